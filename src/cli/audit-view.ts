/** `audit`: who created, changed or removed what. */
import type { Command } from 'commander';
import type { AuditRow } from '../store/queries/audit-log.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import type { JsonOf, OperationView } from './reply-view.ts';

type Row = JsonOf<AuditRow>;

const VIEW: OperationView<Row> = {
  columns: [
    { of: 'at', head: 'time' },
    { of: 'actor', head: 'by', as: ({ actor }) => actor.replace('_', ' '), drop: 2 },
    { of: 'token', as: ({ token }) => token ?? '', drop: 3 },
    { of: 'name', as: ({ name }) => name ?? '', drop: 1 },
    'action',
    { of: 'subject', as: ({ subject }) => subject ?? '' },
    { of: 'changes', as: formatChanges, elastic: 1, drop: 4 },
  ],
  none: 'No entries.',
};

/** `cooldown_seconds: 0 → 3600; name: Tides`. */
function formatChanges({ changes }: Row): string {
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

export function registerAudit(command: Command, cli: Cli): void {
  command.description(
    'Lists the audit log, newest first: who created, changed or removed what. Entries are kept for AUDIT_DAYS.',
  );
  addOperations(command, cli, VIEW);
}
