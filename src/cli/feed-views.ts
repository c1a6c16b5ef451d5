/** `feeds`: addresses for feed readers. */
import type { Command } from 'commander';
import type { FeedRow } from '../store/access/feeds.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { formatTime, type JsonOf, type OperationView } from './reply-view.ts';

const VIEW: OperationView<JsonOf<FeedRow>> = {
  columns: [
    { of: 'prefix', head: 'feed' },
    { of: 'name', elastic: 2, drop: 4 },
    { of: 'topic', head: 'scope', as: ({ topic, search }) => search ?? topic ?? 'all' },
    { of: 'query', elastic: 1, drop: 3 },
    { of: 'created_at', head: 'created', drop: 1 },
    { of: 'last_read_at', head: 'last read', drop: 2 },
    {
      of: 'revoked_at',
      head: 'revoked',
      as: ({ revoked_at }, { page }) => (revoked_at === null ? '' : formatTime(revoked_at, page)),
      paint: (shown, _row, { page }) => page.colors.red(shown),
    },
  ],
  none: 'No feeds. Add one: strandline feeds add --help',
  replies: {
    createFeed: {
      says: ({ prefix, name }) => [
        `Feed ${prefix} ("${name}"): address shown once. Anyone who has it can read this feed. For RSS, end it with .rss instead of .atom.`,
      ],
    },
    revokeFeed: {
      says: ({ prefix, name, revoked_at }, { page }) => [
        `${prefix} ("${name}"): revoked ${formatTime(revoked_at, page)}`,
      ],
    },
  },
};

export function registerFeeds(feeds: Command, cli: Cli): void {
  feeds.description('Feeds: addresses for feed readers (Atom and RSS). See docs/reference/feeds.md.');
  addOperations(feeds, cli, VIEW);
}
