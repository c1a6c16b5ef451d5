/** `config show`: every variable with its value and origin, and where this shell differs from the running server. */

import type { Cli } from './command-context.ts';
import { findOwnServer } from './running-server.ts';
import { compareSettings } from './server-settings.ts';
import { type EffectiveSetting, listSettings } from './shell-settings.ts';
import { renderTable } from './terminal-table.ts';
import type { Command } from 'commander';

type ShownSetting = EffectiveSetting & { shell: Pick<EffectiveSetting, 'value' | 'from' | 'file'> | null };

export function registerConfig(command: Command, cli: Cli): void {
  command.description('Configuration.');
  command
    .command('show')
    .description('show every variable, its value and its origin; secrets are masked')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const own = await listSettings(cli.config());
      const server = await findOwnServer(cli.io.env);
      const differences = new Set((await compareSettings(cli)).map(({ name }) => name));
      const shown: ShownSetting[] = (server?.settings ?? own).map(
        ({ name, value, unit, from, file, note }) => {
          const inShell = differences.has(name) ? own.find((each) => each.name === name) : undefined;
          const shell =
            inShell === undefined ? null : { value: inShell.value, from: inShell.from, file: inShell.file };
          return { name, value, unit, from, file, note, shell };
        },
      );
      await cli.show(json, shown, () => renderSettings(shown, cli));
      if (json === true) return;
      cli.say(
        server === undefined
          ? 'No server owns this data directory. These are the values of this shell.'
          : `Values of the running server (process ${server.pid}), which commands use.`,
      );
    });
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
