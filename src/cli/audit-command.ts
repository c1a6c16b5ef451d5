import type { Command } from 'commander';
import { type AuditRow, readAudit } from '../store/queries/audit-log.ts';
import { AUDIT_ACTIONS } from '../store/schema/analytics/audit-log-view.ts';
import { parseLimit, parseChoice, parseSince } from './option-values.ts';
import type { Cli } from './command-context.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderTable } from './terminal-table.ts';
import { formatInstant } from './value-formatting.ts';

type AuditOptions = {
  token?: string;
  subject?: string;
  action?: string;
  since?: string;
  limit?: string;
  json?: boolean;
};

export function registerAudit(command: Command, cli: Cli): void {
  command
    .description(
      'Lists the audit log, newest first: who created, changed or removed what. Entries are kept for AUDIT_DAYS.',
    )
    .option('--token <token>', 'only changes made with this token (its prefix)')
    .option('--subject <name>', 'only changes to the item with this slug or id')
    .option('--action <action>', 'only this action, such as search.updated')
    .option('--since <time>', 'only entries since: a time, or an age such as 7d')
    .option('--limit <n>', 'maximum number (default: 50)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ strandline audit --subject harbour-ferry-posts --since 7d\n')
    .action(({ token, subject, json, ...options }: AuditOptions) => {
      const action =
        options.action === undefined ? undefined : parseChoice('action', options.action, AUDIT_ACTIONS);
      const limit = parseLimit(options.limit, 50);
      return cli.withProgram(async ({ ctx }) => {
        const since =
          options.since === undefined ? undefined : parseSince(options.since, ctx.clock.now(), cli.page);
        const rows = await readAudit(ctx.db, { token, subject, action, since }, { limit });
        if (rows.length === 0) cli.page.say('No entries.');
        await cli.show(json, rows, () => renderTable(rows, auditColumns(cli.page), cli.page));
      });
    });
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
