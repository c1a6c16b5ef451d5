/**
 * The variables of a shell beside those of the running server. Commands that depend on the configuration run in the server, so a
 * variable that is set in the shell alone has no effect: `config show`, `status` and `doctor` say so.
 */

import { assertSources } from '../app/source-variables.ts';
import type { Settings } from '../config/settings.ts';
import { listVariables, type Table, type Variable } from '../config/variable.ts';
import { VARIABLES } from '../config/variables.ts';
import { HIDDEN, Refused } from '../model/errors.ts';
import { maskUrl, parseUrl } from '../model/links/link.ts';
import type { Cli } from './command-context.ts';
import type { ShellSetting } from './forwarded-command.ts';
import { createHmac } from 'node:crypto';

/** These locate the server, or are the shell's own. */
const OF_SHELL: ReadonlySet<Variable> = new Set([
  VARIABLES.configFile,
  VARIABLES.dataDir,
  VARIABLES.logLevel,
]);

/**
 * Runs a command that shows the state in the server. One that cannot be asked does not prevent a diagnosis.
 * @returns `done`: it ran there; else why the server did not take it, null without one
 */
export async function diagnoseAtServer(cli: Cli): Promise<{ done: boolean; problem: string | null }> {
  try {
    return { done: await cli.atServer((key) => listSet(cli, key)), problem: null };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { done: false, problem: error.message };
  }
}

async function listSet(cli: Cli, key: string): Promise<ShellSetting[]> {
  const { settings } = cli.config();
  return (await listTables(cli)).flatMap(listVariables).flatMap(([variable]) => {
    const setting = settings.find(variable);
    if (setting === undefined || OF_SHELL.has(variable)) return [];
    const { text, from, file } = setting;
    const value = formatValue(variable, text);
    return [{ name: variable.name, from, file, value, digest: digest(key, text) }];
  });
}

/** The variables of the program and of all sources. @throws InvalidInput */
export async function listTables(cli: Cli): Promise<readonly Table[]> {
  return [VARIABLES, await assertSources(cli.config())];
}

/** What applies in the shell, where it is not what the server uses. */
export type ShellDifference = {
  name: string;
  value: ShellSetting['value'];
  from: string;
  file: string | null;
};

/** @returns those of the shell that called; empty if no server runs this */
export async function compareSettings(cli: Cli): Promise<ShellDifference[]> {
  const shell = cli.caller?.settings;
  if (shell === undefined) return [];
  const { settings } = cli.config();
  const set = new Map(shell.set.map((setting) => [setting.name, setting]));
  return (await listTables(cli)).flatMap(listVariables).flatMap(([variable]) => {
    if (OF_SHELL.has(variable)) return [];
    const { name, default: standard = '' } = variable;
    const own = set.get(name);
    const used = digest(shell.key, settings.find(variable)?.text ?? standard);
    if (used === (own?.digest ?? digest(shell.key, standard))) return [];
    if (own !== undefined) return [{ name, value: own.value, from: own.from, file: own.file }];
    return [{ name, value: formatValue(variable, variable.default), from: 'default', file: null }];
  });
}

/** Variables that somebody set in the shell, to no effect. @returns their names */
export async function listIneffective(cli: Cli): Promise<string[]> {
  return (await compareSettings(cli)).flatMap(({ name, from }) => (from === 'default' ? [] : [name]));
}

function digest(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** A variable as it applies. */
export type EffectiveSetting = ReturnType<typeof listSettings>[number];

export function listSettings(settings: Settings, tables: readonly Table[]) {
  return tables.flatMap((table) =>
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
