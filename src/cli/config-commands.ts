/** `config show`: every variable with its value and origin. */

import { assertSources } from '../app/source-variables.ts';
import type { Settings } from '../config/settings.ts';
import { listVariables, type Table, type Variable } from '../config/variable.ts';
import { VARIABLES } from '../config/variables.ts';
import { HIDDEN } from '../domain/errors.ts';
import { maskUrl, parseUrl } from '../domain/link.ts';
import type { Cli } from './command-context.ts';
import { renderTable } from './terminal-table.ts';
import type { Command } from 'commander';

type ShownSetting = ReturnType<typeof listSettings>[number];

export function registerConfig(command: Command, cli: Cli): void {
  command.description('Configuration.');
  command
    .command('show')
    .description('show every variable, its value and its origin; secrets are masked')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const config = cli.config();
      const shown = listSettings(config.settings, [VARIABLES, await assertSources(config)]);
      const { unknown } = cli.page;
      await cli.show(options.json, shown, () =>
        renderTable(
          shown,
          [
            { head: 'variable', cell: ({ name }) => name },
            {
              head: 'from',
              cell: ({ from, file }) => file ?? from,
              paint: (origin) => (origin === 'default' ? cli.page.dim(origin) : origin),
            },
            {
              head: 'value',
              cell: (setting) => formatSetting(setting, unknown),
              elastic: 1,
              least: 24,
              wraps: true,
            },
          ],
          cli.page,
        ),
      );
      if (options.json !== true)
        cli.say('Values for this shell; a running server may have been started with others.');
    });
}

function listSettings(settings: Settings, tables: readonly Table[]) {
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
    return parsed.length === 0 ? null : isHidden ? `${parsed.length} ${HIDDEN}` : parsed.join(',');
  if (text === undefined || text === '') return null;
  if (isHidden) return HIDDEN;
  if (typeof parsed === 'string') return parseUrl(parsed) === undefined ? parsed : maskUrl(parsed);
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/** What holds without a setting is said in words where there are any. */
function formatSetting({ value, unit, from, note }: ShownSetting, unknown: string): string {
  if (value === null || (from === 'default' && note !== null)) return note ?? unknown;
  const measured = unit === null ? String(value) : `${value.toLocaleString('en-US')} ${unit}`;
  return note === null ? measured : `${measured} (${note})`;
}
