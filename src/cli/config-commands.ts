/** `config show`: every variable with its value and origin, and where this shell differs from the running server. */

import type { Cli } from './command-context.ts';
import {
  compareSettings,
  diagnoseAtServer,
  type EffectiveSetting,
  listSettings,
  listTables,
  type ShellDifference,
} from './shell-settings.ts';
import { renderTable } from './terminal-table.ts';
import type { Command } from 'commander';

type ShownSetting = EffectiveSetting & { shell: Omit<ShellDifference, 'name'> | null };

export function registerConfig(command: Command, cli: Cli): void {
  command.description('Configuration.');
  command
    .command('show')
    .description('show every variable, its value and its origin; secrets are masked')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { done, problem } = await diagnoseAtServer(cli);
      if (done) return;
      const shown = await listShown(cli);
      await cli.show(json, shown, () => renderSettings(shown, cli));
      if (json === true) return;
      const shell = problem ?? 'No server owns this data directory.';
      cli.say(
        cli.caller === undefined
          ? `${shell} These are the values of this shell.`
          : `Values of the running server (process ${process.pid}), which commands use.`,
      );
    });
}

async function listShown(cli: Cli): Promise<ShownSetting[]> {
  const settings = listSettings(cli.config().settings, await listTables(cli));
  const differences = new Map(
    (await compareSettings(cli)).map(({ name, ...shell }) => [name, shell] as const),
  );
  return settings.map((setting) => ({ ...setting, shell: differences.get(setting.name) ?? null }));
}

function renderSettings(shown: readonly ShownSetting[], { page }: Cli): string[] {
  const { dim, unknown } = page;
  const dimDefault = (origin: string) => (origin === 'default' ? dim(origin) : origin);
  return renderTable(
    shown,
    [
      { head: 'variable', cell: ({ name }) => name },
      { head: 'from', cell: ({ from, file }) => file ?? from, paint: dimDefault },
      {
        head: 'value',
        cell: (setting) => formatSetting(setting, unknown),
        elastic: 1,
        least: 24,
        wraps: true,
      },
      {
        head: 'differs in this shell',
        cell: ({ shell, unit }) =>
          shell === null ? '' : formatSetting({ ...shell, unit, note: null }, 'not set'),
        elastic: 1,
        least: 16,
        wraps: true,
      },
    ],
    page,
  );
}

/** What holds without a setting is said in words where there are any. */
function formatSetting(
  { value, unit, from, note }: Pick<EffectiveSetting, 'value' | 'unit' | 'note'> & { from: string },
  unset: string,
): string {
  if (value === null || (from === 'default' && note !== null)) return note ?? unset;
  const measured = unit === null ? String(value) : `${value.toLocaleString('en-US')} ${unit}`;
  return note === null ? measured : `${measured} (${note})`;
}
