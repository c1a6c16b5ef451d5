import { findScope } from '../monitor/topics/find-by-slug.ts';
import { COUNTER_BY_PLURAL, COUNTER_PLURALS, type CounterPlural } from '../model/counters.ts';
import { EVERYTHING, parseQuery } from '../model/search-query.ts';
import { DAY } from '../lib/time.ts';
import { catchUpArchive } from '../store/archive/index-archive.ts';
import { readDerivedUntil } from '../store/derive/pending-derivations.ts';
import { GROWTH_ORDERS, type GrowthOrder, type PostGrowthRow, readGrowth } from '../store/queries/growth.ts';
import { type PostAge, readLatestAges } from '../store/queries/counters-at-age.ts';
import { POST_ORDERS, type PostOrder, type PostPlace, readPostPage } from '../store/queries/post-pages.ts';
import type { PostRow } from '../store/queries/post-detail.ts';
import type { Cli } from './command-context.ts';
import { highlightColumns } from './highlighted-words.ts';
import { addListOptions, type ListOptions, showRows } from './list-command.ts';
import {
  choiceOption,
  createInvalidOption,
  limitOption,
  type PastTime,
  TIME_EXAMPLES,
  timeOption,
} from './option-values.ts';
import { sayBacklog, printAsOfNotice } from './result-notices.ts';
import type { ShowOptions } from './show-item.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { formatCount, formatTime, roundForDisplay } from './value-formatting.ts';
import { type Command, Option } from 'commander';

export function registerPosts(posts: Command, cli: Cli): void {
  posts.description('Posts that searches found, with their latest counters.');
  registerList(
    posts.command('list').description('list posts'),
    cli,
    'sort',
    POST_ORDERS,
    'newest',
  ).addHelpText(
    'after',
    '\nExamples:\n  $ strandline posts list --topic harbour-ferry --sort likes --since 1w\n' +
      '  $ strandline posts list \'"night line" -cancelled lang:en\'\n\nThe query language: docs/reference/queries.md\n',
  );
  posts
    .command('show <post>')
    .description('show a post by id or address: its counters, its versions, and the searches that found it')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ strandline posts show https://x.com/somebody/status/1860000000000000001\n',
    )
    .action(async (named: string, options: ShowOptions) => {
      const { showPost } = await import('./show-item.ts');
      return showPost(cli, named, options);
    });
  registerList(
    posts.command('top').description('list the posts with the highest counters'),
    cli,
    'by',
    POST_ORDERS.filter((order) => order !== 'newest'),
    'likes',
  ).addHelpText(
    'after',
    '\nExample:\n  $ strandline posts top --topic harbour-ferry --by views --since 1w\n',
  );
  registerPostsGrowth(posts, cli);
}

type PostListOptions = ListOptions & {
  since?: PastTime;
  until?: PastTime;
  author?: string;
  lang?: string;
  limit: number;
  after?: string;
};

/** A list of posts. @param sort the option that chooses the order */
function registerList(
  command: Command,
  cli: Cli,
  sort: 'sort' | 'by',
  orders: readonly PostOrder[],
  fallback: PostOrder,
): Command {
  command.argument('[query]', 'only posts that match: words, "phrases", -excluded, OR, lang:, author: ...');
  return addListOptions(command, 'posts', [
    new Option('--author <name>', 'only posts of this author, such as @name'),
    new Option('--lang <language>', 'only posts that state this language'),
    timeOption('since', `only posts published since: ${TIME_EXAMPLES}`, cli.page),
    timeOption('until', 'only posts published before', cli.page),
    choiceOption(`--${sort} <order>`, orders.join(', '), orders, fallback),
    limitOption(20),
    new Option('--after <place>', 'the next page, as the previous one says'),
  ]).action(
    (written: string | undefined, options: PostListOptions & { sort?: PostOrder; by?: PostOrder }) => {
      const query = parseQuery(written ?? '');
      const { since, until, author, lang, limit, after, json, [sort]: order = fallback } = options;
      const place = after === undefined ? undefined : parsePlace(after, order);
      return cli.withProgram(async ({ ctx }) => {
        const now = ctx.clock.now();
        const scope = await findScope(ctx.db, options);
        const backlog = query === EVERYTHING ? null : await catchUpArchive(ctx.db);
        const posts = await readPostPage(ctx.db, {
          ...scope,
          matching: { query, now },
          since: since?.(now),
          until: until?.(now),
          author,
          lang,
          order,
          after: place,
          limit: limit + 1,
        });
        if (backlog !== null) sayBacklog(cli, backlog);
        const shown = posts.slice(0, limit);
        const counts = new Map(shown.map(({ post, place: { by } }) => [post, by < 0n ? null : Number(by)]));
        const rows = shown.map(({ post }) => post);
        const describe = ({ id, text }: PostRow) => ({ kind: 'post' as const, id, texts: [text] });
        const columns =
          order === 'newest' ? newestColumns(now, cli.page) : countColumns(order, counts, now, cli.page);
        await showRows(cli, json, rows, {
          columns: await highlightColumns(ctx.db, { query, rows, describe, columns, json }, cli.page),
          none: 'No posts.',
          readUrl: ({ url }) => url,
        });
        const last = shown.at(-1);
        if (posts.length > limit && last !== undefined)
          cli.say(`Next page: --after ${order}.${last.place.by}.${last.place.id}`);
      });
    },
  );
}

/** A place that a page printed: its order, and the sort value and id of its last post. */
function parsePlace(text: string, order: PostOrder): PostPlace {
  const [, by, id] = new RegExp(String.raw`^${order}\.(-?\d{1,18})\.(\d{1,18})$`).exec(text) ?? [];
  if (by === undefined || id === undefined)
    throw createInvalidOption(
      'after',
      text,
      `what the previous page said after --after, in the same order: ${order}.<value>.<id>`,
    );
  return { by: BigInt(by), id: BigInt(id) };
}

/** Who wrote it, and what. @param drop when the author is omitted on a narrow page */
function textColumns(
  page: TerminalPage,
  drop?: number,
): Column<{ author_username: string | null; text: string }>[] {
  return [
    {
      head: 'by',
      cell: ({ author_username: name }) => (name === null ? page.unknown : `@${name}`),
      elastic: 1,
      ...(drop === undefined ? {} : { drop }),
      paint: (shown) => page.colors.cyan(shown),
    },
    { head: 'text', cell: ({ text }) => text, elastic: 4, least: 16 },
  ];
}

function newestColumns(now: Date, page: TerminalPage): Column<PostRow>[] {
  return [
    { head: 'published', cell: (post) => formatTime(post.created_at, now, page) },
    { head: 'likes', cell: (post) => formatCount(post.like_count, page), right: true },
    { head: 'reposts', cell: (post) => formatCount(post.repost_count, page), right: true, drop: 2 },
    { head: 'views', cell: (post) => formatCount(post.view_count, page), right: true, drop: 1 },
    ...textColumns(page),
  ];
}

/** What the list is sorted by comes first; counters follow if there is room. */
function countColumns(
  order: Exclude<PostOrder, 'newest'>,
  counts: ReadonlyMap<PostRow, number | null>,
  now: Date,
  page: TerminalPage,
): Column<PostRow>[] {
  const counter = (head: CounterPlural, drop: number): Column<PostRow> => ({
    head,
    cell: (post) => formatCount(post[COUNTER_BY_PLURAL[head]], page),
    right: true,
    drop,
  });
  const others = COUNTER_PLURALS.filter((name) => name !== order && name !== 'quotes');
  return [
    { head: order, cell: (post) => formatCount(counts.get(post) ?? null, page), right: true },
    ...others.map((name, i) => counter(name, i + 2)),
    { head: 'published', cell: (post) => formatTime(post.created_at, now, page), drop: 1 },
    ...textColumns(page),
  ];
}

type GrowthRow = PostGrowthRow & { at_age: PostAge | null };

function registerPostsGrowth(posts: Command, cli: Cli): void {
  const command = posts
    .command('growth')
    .description('list the posts that grew most, compared with posts of the same age');
  addListOptions(command, 'posts', [
    choiceOption('--by <gain>', GROWTH_ORDERS.join(', '), GROWTH_ORDERS, 'engagement'),
    timeOption('since', 'only posts with a counter that changed since (default: 1d)', cli.page),
    limitOption(20),
  ])
    .addHelpText('after', '\nExample:\n  $ strandline posts growth --topic harbour-ferry --by views\n')
    .action((options: ListOptions & { by: GrowthOrder; since?: PastTime; limit: number }) =>
      cli.withProgram(async ({ ctx }) => {
        const now = ctx.clock.now();
        const { by: order, limit, json } = options;
        const since = options.since?.(now) ?? new Date(now.getTime() - DAY);
        const scope = await findScope(ctx.db, options);
        const underived = await readDerivedUntil(ctx.db, scope);
        const grown = await readGrowth(ctx.db, { ...scope, since, order, limit });
        const ids = grown.map(({ post_id }) => post_id);
        const ages = await readLatestAges(ctx.db, ids, scope);
        const rows = grown.map((row) => ({ ...row, at_age: ages.get(row.post_id) ?? null }));
        await showRows(cli, json, rows, {
          columns: growthColumns(now, cli.page),
          none: 'No posts grew. For other time ranges, see: strandline posts growth --help',
          readUrl: ({ url }) => url,
        });
        printAsOfNotice(cli, underived, now);
      }),
    );
}

function growthColumns(now: Date, page: TerminalPage): Column<GrowthRow>[] {
  return [
    {
      head: 'likes',
      cell: (row) => formatGrowth(row.first_like_count, row.like_count, row.lost_like_count, page),
      right: true,
    },
    {
      head: 'views',
      cell: (row) => formatGrowth(row.first_view_count, row.view_count, row.lost_view_count, page),
      right: true,
      drop: 3,
    },
    {
      head: 'likes/h',
      cell: (row) => formatCount(roundForDisplay(row.likes_per_hour_24h), page),
      right: true,
    },
    {
      head: 'vs. typical',
      cell: ({ at_age }) => (at_age === null ? '' : formatComparison(at_age)),
      drop: 1,
    },
    {
      head: 'last returned',
      cell: ({ not_seen_since: at }) => (at === null ? '' : formatTime(at, now, page)),
      drop: 2,
      paint: (shown) => page.colors.yellow(shown),
    },
    ...textColumns(page, 4),
  ];
}

/** `12 > 184` since it was first seen; `12 > 170 (fell by 14)` if the counter fell in between. */
function formatGrowth(
  first: number | null,
  last: number | null,
  lost: number | null,
  page: TerminalPage,
): string {
  if (last === null) return page.unknown;
  const fell = lost !== null && lost > 0 ? ` (fell by ${formatCount(lost, page)})` : '';
  return first === null || first === last
    ? `${formatCount(last, page)}${fell}`
    : `${formatCount(first, page)} > ${formatCount(last, page)}${fell}`;
}

/** `3.2x at 24 h`: its engagement at that age, compared with posts of its search at the same age. */
function formatComparison({ hours, engagement_ratio: ratio }: PostAge): string {
  return ratio === null ? '' : `${roundForDisplay(ratio)}x at ${hours} h`;
}
