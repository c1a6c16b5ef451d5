/** `shares`: links that show one page of the dashboard. */
import type { Command } from 'commander';
import type { Share } from '../monitor/access/manage-shares.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { formatTime, type JsonOf, type OperationView } from './reply-view.ts';

const VIEW: OperationView<JsonOf<Share>> = {
  columns: [
    { of: 'prefix', head: 'share' },
    { of: 'name', elastic: 2, drop: 5 },
    { of: 'address', head: 'page', elastic: 1, drop: 4 },
    { of: 'created_at', head: 'created', drop: 1 },
    { of: 'expires_at', head: 'expires' },
    { of: 'last_opened_at', head: 'last opened', drop: 3 },
    {
      of: 'revoked_at',
      head: 'revoked',
      as: ({ revoked_at }, { page }) => (revoked_at === null ? '' : formatTime(revoked_at, page)),
      paint: (shown, _row, { page }) => page.colors.red(shown),
    },
    { of: 'created_by', head: 'by', drop: 2 },
  ],
  none: 'No shared pages. Add one: strandline shares add --help',
  replies: {
    createShare: {
      says: ({ prefix, name, expires_at }, { page }) => [
        `Link ${prefix} ("${name}") shown once. Anyone who has it can see this page until ${formatTime(expires_at, page)}.`,
      ],
    },
    revokeShare: {
      says: ({ prefix, name, revoked_at }, { page }) => [
        `${prefix} ("${name}"): revoked ${formatTime(revoked_at, page)}`,
      ],
    },
  },
};

export function registerShares(shares: Command, cli: Cli): void {
  shares.description('Shared pages: links that show one page without a token. See docs/reference/access.md.');
  addOperations(shares, cli, VIEW);
}
