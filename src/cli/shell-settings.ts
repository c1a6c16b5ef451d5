/** The variables as they apply, with their origin. Secrets are masked. */
import { assertSources } from '../app/source-variables.ts';
import type { Config } from '../config/config.ts';
import { listVariables, type Table, type Variable } from '../config/variable.ts';
import { VARIABLES } from '../config/variables.ts';
import { HIDDEN } from '../model/errors.ts';
import { maskUrl, parseUrl } from '../model/links/link.ts';
import type { ServerSetting } from './running-server.ts';
import { digestSetting } from './server-settings.ts';

/** These locate the server, or are the shell's own. */
const OF_SHELL: ReadonlySet<Variable> = new Set([
  VARIABLES.configFile,
  VARIABLES.dataDir,
  VARIABLES.logLevel,
]);

/** The variables of the program and of all sources. @throws InvalidInput */
async function listTables(config: Config): Promise<readonly Table[]> {
  return [VARIABLES, await assertSources(config)];
}

/** For shells beside a server. @param key of the digests */
export async function describeSettings(config: Config, key: string): Promise<ServerSetting[]> {
  const tables = await listTables(config);
  const variables = new Map(
    tables.flatMap(listVariables).map(([variable]) => [variable.name, variable] as const),
  );
  return (await listSettings(config)).map((setting) => {
    const variable = variables.get(setting.name);
    const standard = variable?.default ?? '';
    const text = variable === undefined ? undefined : config.settings.find(variable)?.text;
    return {
      ...setting,
      secret: variable?.secret !== undefined,
      isOfShell: variable !== undefined && OF_SHELL.has(variable),
      used: digestSetting(key, text ?? standard),
      standard: digestSetting(key, standard),
    };
  });
}

/** A variable as it applies. */
export type EffectiveSetting = Pick<ServerSetting, 'name' | 'value' | 'unit' | 'from' | 'file' | 'note'>;

/** @throws InvalidInput */
export async function listSettings(config: Config): Promise<EffectiveSetting[]> {
  const { settings } = config;
  return (await listTables(config)).flatMap((table) =>
    listVariables(table).map(([variable, needed]) => {
      const setting = settings.find(variable);
      const value = formatValue(variable, setting?.text ?? variable.default ?? variable.typical);
      const lacking = needed.find((row) => settings.read(row) === undefined);
      const unused =
        setting === undefined || lacking === undefined ? null : `unused: ${lacking.name} is not set`;
      return {
        name: variable.name,
        value,
        unit: variable.unit ?? null,
        from: setting?.from ?? 'default',
        file: setting?.file ?? null,
        note: setting === undefined ? (variable.unset ?? null) : unused,
      };
    }),
  );
}

/** Masks secrets and passwords in URLs; numbers are shown as written. */
function formatValue(variable: Variable, text: string | undefined): string | number | null {
  const parsed = variable.schema.parse(text);
  const isHidden = variable.secret === 'whole';
  if (Array.isArray(parsed))
    return parsed.length === 0
      ? null
      : isHidden
        ? `${parsed.length} ${HIDDEN}`
        : parsed.map(maskText).join(',');
  if (text === undefined || text === '') return null;
  if (isHidden) return HIDDEN;
  if (typeof parsed === 'string') return maskText(parsed);
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function maskText(value: unknown): string {
  const text = String(value);
  return parseUrl(text) === undefined ? text : maskUrl(text);
}
