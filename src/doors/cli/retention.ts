import type { Command } from 'commander';
import { limitsAt } from '../../store/retention/limits.ts';
import { retain } from '../../store/retention/retain.ts';
import { type Due, tableSizes, type TableSize, whatIsDue } from '../../store/retention/sizes.ts';
import type { Cli } from './cli.ts';
import type { Page } from './page.ts';
import { list, table } from './table.ts';
import { bytes, count, counted } from './words.ts';

export function registerRetention(retention: Command, cli: Cli): void {
  retention.description(
    'How long each kind of data is kept: ANSWER_DAYS, REJECT_DAYS, MESSAGE_DAYS, AUDIT_DAYS, SNAPSHOT_DAYS. Workers let go of what is older, once an hour.',
  );
  retention
    .command('show')
    .description('show what is kept, how large it is, and what would go now')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const due = await whatIsDue(ctx.db, limitsAt(ctx.clock.now(), ctx.config));
        const tables = await tableSizes(ctx.db);
        const { answerDays, rejectDays, messageDays, auditDays, snapshotDays = null } = ctx.config;
        const days = {
          answer_days: answerDays,
          reject_days: rejectDays,
          message_days: messageDays,
          audit_days: auditDays,
          snapshot_days: snapshotDays,
        };
        await cli.show(json, { ...days, due, tables }, () => [
          ...list(
            [
              ['raw answers', `kept ${counted(answerDays, 'day')}`],
              ['rejects', `kept ${counted(rejectDays, 'day')}`],
              ['texts of messages', `kept ${counted(messageDays, 'day')}`],
              ['audit log', `kept ${counted(auditDays, 'day')}`],
              [
                'snapshots',
                snapshotDays === null ? 'kept for ever' : `kept ${counted(snapshotDays, 'day')}, by months`,
              ],
              ['to go now', dueInWords(due, cli.page)],
            ],
            cli.page,
          ),
          '',
          ...sizes(tables, cli.page),
        ]);
      }),
    );
  retention
    .command('run')
    .description('let go now of what is older')
    .option('--dry-run', 'only say what would go')
    .option('--json', 'print JSON')
    .action(({ dryRun, json }: { dryRun?: boolean; json?: boolean }) =>
      cli.withHome(async ({ ctx }, stopping) => {
        const limits = limitsAt(ctx.clock.now(), ctx.config);
        if (dryRun === true) {
          const due = await whatIsDue(ctx.db, limits);
          await cli.show(json, due, () => []);
          cli.say(`would go: ${dueInWords(due, cli.page)}`);
          return;
        }
        const gone = await retain(ctx.db, limits, () => !stopping.aborted);
        await cli.show(json, gone, () => []);
        cli.say(`gone: ${inWords(gone, gone.months)}`);
        if (!gone.done) cli.say('not all of it: stopped, or a month is being read; workers go on');
      }),
    );
}

function dueInWords(all: Due, page: Page): string {
  const due = all.months.filter((month) => month.due);
  const freed = all.answer_bytes + due.reduce((sum, month) => sum + month.bytes, 0);
  const size = freed === 0 ? '' : ` (${bytes(freed, page)})`;
  return (
    inWords(
      all,
      due.map(({ name }) => name),
    ) + size
  );
}

function inWords(
  { answers, rejects, messages, audit }: Pick<Due, 'answers' | 'rejects' | 'messages' | 'audit'>,
  months: readonly string[],
): string {
  const parts = [
    ...(answers === 0 ? [] : [counted(answers, 'raw answer')]),
    ...(rejects === 0 ? [] : [counted(rejects, 'reject')]),
    ...(messages === 0 ? [] : [counted(messages, 'text of a message', 'texts of messages')]),
    ...(audit === 0 ? [] : [counted(audit, 'entry of the audit log', 'entries of the audit log')]),
    ...months,
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function sizes(tables: readonly TableSize[], page: Page): string[] {
  return table(
    tables,
    [
      { head: 'table', cell: (row) => row.table },
      { head: 'size', cell: (row) => bytes(row.bytes, page), right: true },
      { head: 'rows, about', cell: (row) => count(row.rows, page), right: true },
    ],
    page,
  );
}
