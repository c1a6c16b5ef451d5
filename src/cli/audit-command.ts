import type { Command } from 'commander';
import { type AuditRow, readAudit } from '../store/queries/audit-log.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../model/audit.ts';
import { showRows } from './list-command.ts';
import { choiceOption, limitOption, type PastTime, timeOption } from './option-values.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { formatInstant } from './value-formatting.ts';

type AuditOptions = {
  token?: string;
  subject?: string;
  action?: AuditAction;
  since?: PastTime;
  limit: number;
  json?: boolean;
};

export function registerAudit(command: Command, cli: Cli): void {
  command
    .description(
      'Lists the audit log, newest first: who created, changed or removed what. Entries are kept for AUDIT_DAYS.',
    )
    .option('--token <token>', 'only changes made with this token (its prefix)')
    .option('--subject <name>', 'only changes to the item with this slug or id')
    .addOption(choiceOption('--action <action>', 'only this action, such as search.updated', AUDIT_ACTIONS))
    .addOption(timeOption('since', 'only entries since: a time, or an age such as 7d', cli.page))
    .addOption(limitOption(50))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline audit --subject harbour-ferry-posts --since 7d\n')
    .action(({ since, limit, json, ...chosen }: AuditOptions) =>
      cli.withProgram(async ({ ctx }) => {
        const filter = { ...chosen, since: since?.(ctx.clock.now()) };
        const rows = await readAudit(ctx.db, filter, { limit });
        await showRows(cli, json, rows, { columns: auditColumns(cli.page), none: 'No entries.' });
      }),
    );
}

function auditColumns(page: TerminalPage): Column<AuditRow>[] {
  return [
    { head: 'time', cell: ({ at }) => formatInstant(at, page) },
    { head: 'by', cell: ({ actor }) => actor.replace('_', ' '), drop: 2 },
    { head: 'token', cell: ({ token }) => token ?? '', drop: 3 },
    { head: 'name', cell: ({ name }) => name ?? '', drop: 1 },
    { head: 'action', cell: ({ action }) => action },
    { head: 'subject', cell: ({ subject }) => subject ?? '' },
    { head: 'changes', cell: formatChanges, elastic: 1, drop: 4 },
  ];
}

/** `cooldown_seconds: 0 → 3600; name: Tides`. */
function formatChanges({ changes }: AuditRow): string {
  return Object.entries(changes)
    .map(([field, change]) => {
      const sides = [change.before, change.after].filter((value) => value !== undefined);
      return `${field}: ${sides.map(formatChangedValue).join(' → ')}`;
    })
    .join('; ');
}

function formatChangedValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
