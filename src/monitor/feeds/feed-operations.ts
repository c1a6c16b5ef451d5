/** Operations on feeds: addresses for feed readers, each with a key that reads one feed. */
import { z } from 'zod';
import { MAX_QUERY_LENGTH } from '../../model/search-query.ts';
import {
  idOrPrefixParam,
  idParam,
  idShape,
  searchSlug,
  textParam,
  timeShape,
  topicSlug,
} from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';
import { readFeeds } from '../../store/access/feeds.ts';
import { commandWords, declareOperation } from '../operation.ts';
import { writeFeedPath } from './feed-address.ts';
import { createFeed, MAX_FEED_NAME, revokeFeed } from './manage-feeds.ts';

const members = {
  id: idShape,
  prefix: z.string().describe('The eight characters that identify the key of its address.'),
  name: z.string(),
  topic: z.string().nullable().describe('Slug of the topic, or of the topic of the search; null: all.'),
  search: z.string().nullable().describe('Slug of the search; null: all searches of the topic.'),
  query: z.string().describe('Only posts and links that match; empty: everything that is new.'),
  created_at: timeShape,
  last_read_at: timeShape.nullable().describe('To the hour. Null: never.'),
  revoked_at: timeShape.nullable().describe('Null: not revoked.'),
};
const Feed = z.object(members).meta({ id: 'Feed' });
const NewFeed = z
  .object({
    ...members,
    url: z
      .string()
      .nullable()
      .describe(
        'Address of the Atom document, shown once; null in a replayed reply. For RSS, end it with `.rss` instead of `.atom`.',
      ),
  })
  .meta({ id: 'NewFeed' });

const newFeed = z
  .strictObject({
    query: textParam(MAX_QUERY_LENGTH)
      .meta({ examples: ['"night line" -cancelled lang:en'] })
      .optional()
      .describe('Only posts and links that match. Omitted: all new posts, links and spikes.')
      .register(commandWords, {
        argument: 'query',
        help: 'only posts and links that match, such as \'"night ferry" -cancelled\'',
      }),
    topic: topicSlug.optional().register(commandWords, { help: 'only what is new in this topic' }),
    search: searchSlug.optional().register(commandWords, { help: 'only what this search found' }),
    name: textParam(MAX_FEED_NAME)
      .optional()
      .describe('Default: what the feed shows.')
      .register(commandWords, { help: 'name in the feed reader (default: what the feed shows)' }),
  })
  .meta({ examples: [{ topic: 'harbour-ferry', query: 'ferry -cancelled' }] });

const named = idOrPrefixParam
  .meta({ description: 'Id or prefix of a feed.', examples: ['1'] })
  .register(commandWords, { argument: 'feed', help: 'feed prefix, id or address; see: feeds list' });

const about = { tag: 'feeds', scope: 'admin' } as const;

export const FEED_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'createFeed',
    route: 'POST /api/v1/feeds',
    command: 'feeds add',
    does: 'Create a feed; its address is shown once',
    more: 'Of a topic, a search, or everything, with or without a query. Only this reply contains the address. Whoever has the address can read this feed and nothing else, without a token.',
    input: newFeed,
    output: NewFeed,
    once: 'url',
    created: true,
    idempotent: true,
    run: async ({ ctx, findPublicBase }, written) => {
      const { feed, key } = await createFeed(ctx, written);
      return { ...feed, url: `${await findPublicBase()}${writeFeedPath(key)}` };
    },
  }),
  declareOperation({
    ...about,
    id: 'listFeeds',
    route: 'GET /api/v1/feeds',
    command: 'feeds list',
    scope: 'read',
    does: 'List feeds',
    more: 'Newest first, without addresses. Includes revoked feeds.',
    input: z.strictObject({}),
    output: Feed,
    list: { cursor: z.tuple([idParam]), key: ({ id }: { id: Id }) => [id] },
    run: ({ ctx, page: { limit, after } }) =>
      readFeeds(ctx.db, { limit, before: (after as [Id] | undefined)?.[0] }), // as `list` declares it
  }),
  declareOperation({
    ...about,
    id: 'revokeFeed',
    route: 'DELETE /api/v1/feeds/{feed}',
    command: 'feeds remove',
    does: 'Revoke a feed: its address no longer works',
    more: 'Cannot be undone. Its address returns 410 from now on. The feed stays listed.',
    input: z.strictObject({ feed: named }),
    output: Feed,
    run: ({ ctx }, { feed }) => revokeFeed(ctx, feed),
  }),
];
