import type { Command } from 'commander';
import {
  applyRetention,
  countDue,
  describeDue,
  describeExpired,
  readTableSizes,
  retentionLimitsAt,
  type TableSize,
} from '../store/erase/retention.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { renderList, renderTable } from './terminal-table.ts';
import { formatBytes, formatCount, formatQuantity } from './value-formatting.ts';

export function registerRetention(retention: Command, cli: Cli): void {
  retention.description(
    'Retention periods: ANSWER_DAYS, REJECT_DAYS, MESSAGE_DAYS, AUDIT_DAYS, SNAPSHOT_DAYS. Workers delete expired data once an hour.',
  );
  retention
    .command('show')
    .description('show retention periods, table sizes and expired data')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withServer(async ({ ctx }) => {
        const due = await countDue(ctx.db, retentionLimitsAt(ctx.clock.now(), ctx.config));
        const tables = await readTableSizes(ctx.db);
        const { answerDays, rejectDays, messageDays, auditDays, snapshotDays = null } = ctx.config;
        const days = {
          answer_days: answerDays,
          reject_days: rejectDays,
          message_days: messageDays,
          audit_days: auditDays,
          snapshot_days: snapshotDays,
        };
        await cli.show(json, { ...days, due, tables }, () => [
          ...renderList(
            [
              ['raw responses', `kept ${formatQuantity(answerDays, 'day')}`],
              ['rejected items', `kept ${formatQuantity(rejectDays, 'day')}`],
              ['message bodies', `kept ${formatQuantity(messageDays, 'day')}`],
              ['audit log', `kept ${formatQuantity(auditDays, 'day')}`],
              [
                'snapshots',
                snapshotDays === null
                  ? 'kept indefinitely'
                  : `kept ${formatQuantity(snapshotDays, 'day')}, by month`,
              ],
              ['due for deletion', describeDue(due)],
            ],
            cli.page,
          ),
          '',
          ...renderSizes(tables, cli.page),
        ]);
      }),
    );
  retention
    .command('run')
    .description('delete expired data now')
    .option('--dry-run', 'only show what would be deleted')
    .option('--json', 'print JSON')
    .action(({ dryRun, json }: { dryRun?: boolean; json?: boolean }) =>
      cli.withServer(async ({ ctx }, stopping) => {
        const limits = retentionLimitsAt(ctx.clock.now(), ctx.config);
        if (dryRun === true) {
          const due = await countDue(ctx.db, limits);
          await cli.show(json, due, () => []);
          cli.say(`Would delete: ${describeDue(due)}`);
          return;
        }
        const gone = await applyRetention(ctx.db, limits, () => !stopping.aborted);
        await cli.show(json, gone, () => []);
        cli.say(`Deleted: ${describeExpired(gone, gone.months)}`);
        if (!gone.done)
          cli.say('Not finished: interrupted, or a partition is locked. Workers delete the rest.');
      }),
    );
}

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
