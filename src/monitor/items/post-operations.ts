/** Operations on posts: lists, details, counters, sightings and ranks over time. */
import { z } from 'zod';
import { queryText } from '../../model/query-shape.ts';
import { parseQuery } from '../../model/search-query.ts';
import { idParam, idShape, textParam, timeShape } from '../../model/value-shapes.ts';
import type { Database, Id } from '../../store/db/database.ts';
import { defineRowWith } from '../../store/db/row-shapes.ts';
import {
  readCounterChanges,
  readPost,
  readPostRanks,
  readPostSightings,
} from '../../store/queries/post-detail.ts';
import {
  isByTime,
  POST_ORDERS,
  type PostOrder,
  type PostPlace,
  readPostPage,
} from '../../store/queries/post-pages.ts';
import { pastTime, scopeParams, TIME_EXAMPLES } from '../common-inputs.ts';
import { orderKey } from '../http/cursors.ts';
import { findById } from '../http/find-by-id.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { idOrNameParam } from './find-named.ts';
import { catchUpForQuery, notIndexed } from './indexed.ts';
import { Post, PostAtAge, PostEngagement, PostGrowth } from './item-shapes.ts';
import { findMatchedWords, matchedWords } from './matched-words.ts';

const ListedPost = defineRowWith('ListedPost', 'posts', {
  sorted_by: z
    .number()
    .nullable()
    .describe('The count by which the list is sorted; null if it is unknown, or the newest posts are first.'),
  matched: matchedWords,
});

const PostSighting = z
  .object({
    search_id: idShape,
    search: z.string(),
    topic: z.string(),
    first_run_id: idShape,
    first_seen_at: timeShape,
    last_seen_at: timeShape
      .nullable()
      .describe('When the last response that contains it was received; null if unknown.'),
    unseen: z.boolean().describe('True if the newest response of this search does not contain it.'),
  })
  .meta({ id: 'PostSighting' });

const PostRank = z
  .object({
    search: z.string(),
    run_id: idShape,
    observed_at: timeShape,
    rank: z
      .int()
      .nullable()
      .describe('Position in the response, from 1; null if the response did not contain it.'),
    posts: z.int().describe('Posts in the response.'),
  })
  .meta({ id: 'PostRank' });

const changed = z.array(z.string()).describe('Members that differ from the version before.');

const WholePost = z
  .object({
    post: Post,
    growth: PostGrowth.nullable(),
    versions: z
      .array(defineRowWith('PostVersion', 'post_versions', { changed }))
      .describe('Its texts, times, languages and entities over time: at most the newest 100, oldest first.'),
    ages: z.array(PostAtAge).describe('Counters at each age at which it was observed.'),
    found_by: z.array(PostSighting).describe('The searches that saw it, earliest first: at most 100.'),
    quoted: Post.nullable().describe('The quoted post, if known.'),
    reposted: Post.nullable().describe('The reposted post, if known.'),
  })
  .meta({ id: 'WholePost' });

/** @param orders the first is the default @param option that chooses the order */
const definePostFilter = <const Order extends PostOrder>(
  orders: readonly [Order, ...Order[]],
  option: 'sort' | 'by',
) =>
  z.strictObject({
    text: queryText
      .meta({ examples: ['"night line" -cancelled lang:en'] })
      .optional()
      .describe(
        'Query: words, "phrases", -excluded, OR, fields such as `lang:en`. See docs/reference/queries.md. To rank by relevance, use `/api/v1/find`.',
      )
      .register(commandWords, {
        argument: 'query',
        help: 'only posts that match: words, "phrases", -excluded, OR, lang:, author: ...',
      }),
    ...scopeParams,
    author: textParam(100)
      .min(1)
      .optional()
      .describe('Username of the author, without @. Case-insensitive.')
      .register(commandWords, { value: 'name', help: 'only posts of this author, such as @name' }),
    lang: textParam(35)
      .min(1)
      .optional()
      .describe('Language that the post states.')
      .register(commandWords, { value: 'language', help: 'only posts that state this language' }),
    since: pastTime('Published at or after this time.', `only posts published since: ${TIME_EXAMPLES}`),
    until: pastTime('Published before this time.', 'only posts published before'),
    sort: z
      .enum(orders)
      .default(orders[0] as z.util.NoUndefined<Order>) // the type of an order has no undefined
      .register(commandWords, { flag: `--${option} <order>`, help: `order: ${orders.join(', ')}` }),
  });

const about = { tag: 'posts', scope: 'read' } as const;
const named = z.strictObject({ id: idParam });

const assertKnown = (db: Database, id: Id) => findById('post', id, readPost(db, id));

export const listPosts = declareOperation({
  ...about,
  id: 'listPosts',
  route: 'GET /api/v1/posts',
  command: 'posts list',
  does: 'List posts',
  more: 'With their latest counters. Newest or oldest first, by time of publication (if unknown, by when they were first seen), or by a counter, engagement (likes, reposts, replies and quotes) or growth (engagement gained since first seen).',
  input: definePostFilter(POST_ORDERS, 'sort'),
  output: ListedPost,
  list: {
    cursor: z.tuple([orderKey, idParam]),
    key: ({ place: { by, id } }: { place: PostPlace }) => [by, id],
    item: ({ item }: { item: unknown }) => item,
    beside: { not_indexed: notIndexed },
    shown: 20,
  },
  example:
    'strandline posts list --topic harbour-ferry --sort likes --since 1w\nstrandline posts list \'"night line" -cancelled lang:en\'',
  run: async ({ ctx: { db, clock }, page: { limit, after: keys } }, { sort: order, text, ...filter }) => {
    const query = parseQuery(text ?? '', 'text');
    const scope = await findScope(db, filter);
    const not_indexed = await catchUpForQuery(db, text);
    const last = keys as [by: bigint, id: Id] | undefined; // as `list` declares it
    const after = last === undefined ? undefined : { by: last[0], id: last[1] };
    const matching = { query, now: clock.now() };
    const placed = await readPostPage(db, { ...filter, ...scope, matching, order, after, limit });
    const wordsOf = await findMatchedWords(
      db,
      query,
      placed.map(({ post: { id, text: shown } }) => ({ kind: 'post', id, texts: [shown] })),
    );
    const rows = placed.map(({ post, place }) => ({
      place,
      item: {
        ...post,
        sorted_by: isByTime(order) || place.by < 0n ? null : Number(place.by),
        matched: wordsOf(post.id),
      },
    }));
    return { rows, not_indexed };
  },
});

const OTHER_COUNTS = POST_ORDERS.filter((order) => !isByTime(order) && order !== 'likes');

/** The same list, for a command that has the highest counters first. */
export const topPosts = {
  ...listPosts,
  command: 'posts top',
  does: 'List the posts with the highest counters',
  input: definePostFilter(['likes', ...OTHER_COUNTS], 'by'),
  sends: { sort: 'likes' },
  example: 'strandline posts top --topic harbour-ferry --by views --since 1w',
};

export const POST_OPERATIONS = [
  listPosts,
  declareOperation({
    ...about,
    id: 'getPost',
    route: 'GET /api/v1/posts/{id}',
    command: 'posts show',
    does: 'Show a post: its counters, its versions, and the searches that found it',
    more: 'The latest counters, growth since it was first seen, its versions, its counters at each age, the searches that saw it, and the posts that it quotes or reposts, if known.',
    input: z.strictObject({
      id: idOrNameParam(/^https?:\/\//i, 'an id or an address (https://...)')
        .meta({ description: 'Id of a post, or its address.', examples: ['1'] })
        .register(commandWords, { argument: 'post', help: 'its id or address' }),
    }),
    output: WholePost,
    example: 'strandline posts show https://x.com/somebody/status/1860000000000000001',
    run: async ({ ctx }, { id }) => (await import('./read-post.ts')).readWholePost(ctx, id),
  }),
  declareOperation({
    ...about,
    id: 'listPostEngagement',
    route: 'GET /api/v1/posts/{id}/engagement',
    does: 'List the counters of a post over time',
    more: 'One row for each observation in which a counter changed: the newest 500, oldest first.',
    input: named,
    output: z.object({ items: z.array(PostEngagement) }),
    run: async ({ ctx: { db } }, { id }) => {
      await assertKnown(db, id);
      return { items: await readCounterChanges(db, id) };
    },
  }),
  declareOperation({
    ...about,
    id: 'listPostSightings',
    route: 'GET /api/v1/posts/{id}/sightings',
    does: 'List the searches that saw a post',
    more: 'When each search first and last saw the post: at most 100, earliest first. `unseen` is true if its newest response does not contain it.',
    input: named,
    output: z.object({ items: z.array(PostSighting) }),
    run: async ({ ctx: { db } }, { id }) => {
      await assertKnown(db, id);
      return { items: await readPostSightings(db, id) };
    },
  }),
  declareOperation({
    ...about,
    id: 'listPostRanks',
    route: 'GET /api/v1/posts/{id}/ranks',
    does: 'List the ranks of a post over time',
    more: 'At most 100 runs of each of the first ten searches that saw it, oldest first. Rank 1 is the first post of a response.',
    input: named,
    output: z.object({ items: z.array(PostRank) }),
    run: async ({ ctx: { db } }, { id }) => {
      await assertKnown(db, id);
      return { items: await readPostRanks(db, id) };
    },
  }),
];
