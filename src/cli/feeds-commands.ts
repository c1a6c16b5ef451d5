/** `feeds`: addresses for feed readers: create, list, revoke. */
import { SANDBOX_MOUNT } from '../domain/mount.ts';
import { trimEndSlashes } from '../domain/link.ts';
import { writeFeedPath } from '../monitor/feeds/feed-address.ts';
import { createFeed, revokeFeed, type WrittenFeed } from '../monitor/feeds/manage-feeds.ts';
import { formatAddress } from '../platform/listen.ts';
import { type FeedRow, readFeeds } from '../store/feeds.ts';
import type { Cli } from './command-context.ts';
import { showRows } from './list-command.ts';
import { MAX_LIMIT } from './option-values.ts';
import { findServer } from './running-server.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { formatInstant } from './value-formatting.ts';
import type { Command } from 'commander';

export function registerFeeds(feeds: Command, cli: Cli): void {
  feeds.description('Feeds: addresses for feed readers (Atom and RSS). See docs/reference/feeds.md.');

  feeds
    .command('add')
    .description('create a feed and print its address once')
    .argument('[query]', 'only posts and links that match, such as \'"night ferry" -cancelled\'')
    .option('--topic <topic>', 'only what is new in this topic')
    .option('--search <search>', 'only what this search found')
    .option('--name <name>', 'name in the feed reader (default: what the feed shows)')
    .option('--json', 'print JSON')
    .action((query: string | undefined, { json, ...given }: WrittenFeed & { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { feed, key } = await createFeed(ctx, { ...given, query });
        const url = `${await findPublicBase(cli)}${writeFeedPath(key)}`;
        await cli.show(json, { ...feed, url }, () => [url]);
        cli.page.say(
          `Feed ${feed.prefix} ("${feed.name}"): address shown once. Anyone who has it can read this feed. ` +
            'For RSS, end it with .rss instead of .atom.',
        );
      }),
    );

  feeds
    .command('list')
    .description('list feeds')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const rows = await readFeeds(ctx.db, { limit: MAX_LIMIT });
        await showRows(cli, json, rows, {
          columns: feedColumns(cli.page),
          none: 'No feeds. Add one: strandline feeds add --help',
        });
      }),
    );

  feeds
    .command('remove')
    .description('revoke a feed: its address no longer works')
    .argument('<feed>', 'feed prefix, id or address; see: feeds list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await revokeFeed(ctx, given);
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${formatInstant(row.revoked_at, cli.page)}`);
      }),
    );
}

/** Where a reader finds the pages: `BASE_URL`, or else the running server, or where it would listen. */
async function findPublicBase({ page, config }: Pick<Cli, 'page' | 'config'>): Promise<string> {
  const { http, dataDir } = config();
  const running = http.baseUrl === undefined ? await findServer(dataDir) : undefined;
  const base = trimEndSlashes(http.baseUrl ?? running?.dashboard ?? formatAddress(http.host, http.port));
  return page.kind === 'sandbox' ? `${base}${SANDBOX_MOUNT}` : base;
}

function feedColumns(page: TerminalPage): Column<FeedRow>[] {
  return [
    { head: 'feed', cell: ({ prefix }) => prefix },
    { head: 'name', cell: ({ name }) => name, elastic: 2, drop: 4 },
    { head: 'scope', cell: ({ topic, search }) => search ?? topic ?? 'all' },
    { head: 'query', cell: ({ query }) => query, elastic: 1, drop: 3 },
    { head: 'created', cell: ({ created_at }) => formatInstant(created_at, page), drop: 1 },
    { head: 'last read', cell: ({ last_read_at }) => formatInstant(last_read_at, page), drop: 2 },
    {
      head: 'revoked',
      cell: ({ revoked_at }) => (revoked_at === null ? '' : formatInstant(revoked_at, page)),
      paint: (shown) => page.colors.red(shown),
    },
  ];
}
