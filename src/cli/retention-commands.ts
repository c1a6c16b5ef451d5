import type { Command } from 'commander';
import type { TableSize } from '../store/erase/retention.ts';
import { askJson } from './api-requests.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { renderList, renderTable } from './terminal-table.ts';
import { formatBytes, formatCount, formatQuantity } from './value-formatting.ts';

export function registerRetention(retention: Command, cli: Cli): void {
  retention.description(
    'Retention periods: ANSWER_DAYS, REJECT_DAYS, MESSAGE_DAYS, AUDIT_DAYS, SNAPSHOT_DAYS. Workers delete expired data once an hour.',
  );
  const show = retention
    .command('show')
    .description('show retention periods, table sizes and expired data')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withApi(
        async (api) => {
          const { words, ...kept } = (await askJson(api, 'getRetention')) as Kept; // as it replies
          const { answer_days, reject_days, message_days, audit_days, snapshot_days, due, tables } = kept;
          const days = { answer_days, reject_days, message_days, audit_days, snapshot_days };
          await cli.show(json, { ...days, due, tables }, () => [
            ...renderList(
              [
                ['raw responses', `kept ${formatQuantity(answer_days, 'day')}`],
                ['rejected items', `kept ${formatQuantity(reject_days, 'day')}`],
                ['message bodies', `kept ${formatQuantity(message_days, 'day')}`],
                ['audit log', `kept ${formatQuantity(audit_days, 'day')}`],
                [
                  'snapshots',
                  snapshot_days === null
                    ? 'kept indefinitely'
                    : `kept ${formatQuantity(snapshot_days, 'day')}, by month`,
                ],
                ['due for deletion', words],
              ],
              cli.page,
            ),
            '',
            ...renderSizes(tables, cli.page),
          ]);
        },
        { runsIn: 'server' },
      ),
    );
  const run = retention
    .command('run')
    .description('delete expired data now')
    .option('--dry-run', 'only show what would be deleted')
    .option('--json', 'print JSON')
    .action(({ dryRun, json }: { dryRun?: boolean; json?: boolean }) =>
      cli.withApi(
        async (api) => {
          if (dryRun === true) {
            const { due, words } = (await askJson(api, 'getRetention')) as Kept; // as it replies
            await cli.show(json, due, () => []);
            cli.say(`Would delete: ${words}`);
            return;
          }
          const { words, ...gone } = (await askJson(api, 'runRetention')) as Gone; // as it replies
          await cli.show(json, gone, () => []);
          cli.say(`Deleted: ${words}`);
          if (!gone.done)
            cli.say('Not finished: interrupted, or a partition is locked. Workers delete the rest.');
        },
        { runsIn: 'server' },
      ),
    );
  cli.callers.add(show).add(run);
}

type Kept = Record<`${'answer' | 'reject' | 'message' | 'audit'}_days`, number> & {
  snapshot_days: number | null;
  due: unknown;
  words: string;
  tables: TableSize[];
};
type Gone = { words: string; done: boolean };

function renderSizes(tables: readonly TableSize[], page: TerminalPage): string[] {
  return renderTable(
    tables,
    [
      { head: 'table', cell: (row) => row.table },
      { head: 'size', cell: (row) => formatBytes(row.bytes, page), right: true },
      { head: 'rows (estimate)', cell: (row) => formatCount(row.rows, page), right: true },
    ],
    page,
  );
}
