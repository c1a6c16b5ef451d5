import type { Command } from 'commander';
import {
  applyRetention,
  countDue,
  type DueForDeletion,
  readTableSizes,
  retentionLimitsAt,
  type TableSize,
} from '../store/maintenance/retention.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { renderList, renderTable } from './terminal-table.ts';
import { formatBytes, formatCount, formatQuantity } from './value-formatting.ts';

export function registerRetention(retention: Command, cli: Cli): void {
  retention.description(
    'How long each kind of data is kept: ANSWER_DAYS, REJECT_DAYS, MESSAGE_DAYS, AUDIT_DAYS, SNAPSHOT_DAYS. Workers let go of what is older, once an hour.',
  );
  retention
    .command('show')
    .description('show what is kept, how large it is, and what would go now')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
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
              ['raw answers', `kept ${formatQuantity(answerDays, 'day')}`],
              ['rejects', `kept ${formatQuantity(rejectDays, 'day')}`],
              ['texts of messages', `kept ${formatQuantity(messageDays, 'day')}`],
              ['audit log', `kept ${formatQuantity(auditDays, 'day')}`],
              [
                'snapshots',
                snapshotDays === null
                  ? 'kept for ever'
                  : `kept ${formatQuantity(snapshotDays, 'day')}, by months`,
              ],
              ['to go now', describeDue(due, cli.page)],
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
    .description('let go now of what is older')
    .option('--dry-run', 'only say what would go')
    .option('--json', 'print JSON')
    .action(({ dryRun, json }: { dryRun?: boolean; json?: boolean }) =>
      cli.withProgram(async ({ ctx }, stopping) => {
        const limits = retentionLimitsAt(ctx.clock.now(), ctx.config);
        if (dryRun === true) {
          const due = await countDue(ctx.db, limits);
          await cli.show(json, due, () => []);
          cli.say(`would go: ${describeDue(due, cli.page)}`);
          return;
        }
        const gone = await applyRetention(ctx.db, limits, () => !stopping.aborted);
        await cli.show(json, gone, () => []);
        cli.say(`gone: ${describeAmounts(gone, gone.months)}`);
        if (!gone.done) cli.say('not all of it: stopped, or a month is being read; workers go on');
      }),
    );
}

function describeDue(all: DueForDeletion, page: TerminalPage): string {
  const due = all.months.filter((month) => month.due);
  const freed = all.answer_bytes + due.reduce((sum, month) => sum + month.bytes, 0);
  const size = freed === 0 ? '' : ` (${formatBytes(freed, page)})`;
  return (
    describeAmounts(
      all,
      due.map(({ name }) => name),
    ) + size
  );
}

function describeAmounts(
  { answers, rejects, messages, audit }: Pick<DueForDeletion, 'answers' | 'rejects' | 'messages' | 'audit'>,
  months: readonly string[],
): string {
  const parts = [
    ...(answers === 0 ? [] : [formatQuantity(answers, 'raw answer')]),
    ...(rejects === 0 ? [] : [formatQuantity(rejects, 'reject')]),
    ...(messages === 0 ? [] : [formatQuantity(messages, 'text of a message', 'texts of messages')]),
    ...(audit === 0 ? [] : [formatQuantity(audit, 'entry of the audit log', 'entries of the audit log')]),
    ...months,
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function renderSizes(tables: readonly TableSize[], page: TerminalPage): string[] {
  return renderTable(
    tables,
    [
      { head: 'table', cell: (row) => row.table },
      { head: 'size', cell: (row) => formatBytes(row.bytes, page), right: true },
      { head: 'rows, about', cell: (row) => formatCount(row.rows, page), right: true },
    ],
    page,
  );
}
