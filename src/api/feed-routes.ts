/** Feeds: addresses for feed readers, each with a key that reads one feed. */
import { z } from 'zod';
import { idParam, idShape, textParam, timeShape } from '../model/value-shapes.ts';
import { createFeed, MAX_FEED_NAME, revokeFeed } from '../monitor/feeds/manage-feeds.ts';
import { writeFeedPath } from '../monitor/feeds/feed-address.ts';
import { readPublicBase } from '../monitor/http/public-address.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { readFeeds } from '../store/feeds.ts';
import { operation } from './operation.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { queryParam, scopeParams } from './request-shapes.ts';

const tags = ['feeds'];
const cursor = createIdCursor('feeds');
const params = z.strictObject({ feed: idParam });

const feedMembers = {
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
const Feed = z.object(feedMembers).meta({ id: 'Feed' });
const NewFeed = z
  .object({
    ...feedMembers,
    url: z
      .string()
      .nullable()
      .describe(
        'Address of the Atom document, shown once; null in a replayed reply. For RSS, end it with `.rss` instead of `.atom`.',
      ),
  })
  .meta({ id: 'NewFeed' });

const newFeedBody = z
  .strictObject({
    name: textParam(MAX_FEED_NAME).optional().describe('Default: what the feed shows.'),
    ...scopeParams,
    query: queryParam
      .optional()
      .describe('Only posts and links that match. Omitted: all new posts, links and spikes.'),
  })
  .meta({ examples: [{ topic: 'harbour-ferry', query: 'ferry -cancelled' }] });

export function feedRoutes(app: App, home: RouteContext): void {
  const { ctx } = home;

  app.get(
    '/api/v1/feeds',
    operation({
      scope: 'read',
      operationId: 'listFeeds',
      summary: 'List feeds',
      description: 'Newest first, without addresses. Includes revoked feeds.',
      tags,
      querystring: defineListQuery(cursor, {}),
      response: { 200: defineListReply(Feed) },
    }),
    async ({ query }) => {
      const { limit, after, reply } = cursor.pageOf(query);
      return reply(await readFeeds(ctx.db, { limit, before: after?.[0] }), ({ id }) => [id]);
    },
  );

  app.post(
    '/api/v1/feeds',
    operation({
      scope: 'admin',
      idempotent: { secret: 'url' },
      operationId: 'createFeed',
      summary: 'Create a feed',
      description:
        'Of a topic, a search, or everything, with or without a query. Only this reply contains the address. Whoever has the address can read this feed and nothing else, without a token.',
      tags,
      body: newFeedBody,
      response: { 201: NewFeed },
    }),
    async (request, reply) => {
      const { feed, key } = await createFeed(request.acting, request.body);
      const url = `${readPublicBase(request, home)}${writeFeedPath(key)}`;
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...feed, url });
    },
  );

  app.delete(
    '/api/v1/feeds/:feed',
    operation({
      scope: 'admin',
      operationId: 'revokeFeed',
      summary: 'Revoke a feed',
      description: 'Cannot be undone. Its address returns 410 from now on. The feed stays listed.',
      tags,
      params,
      response: { 200: Feed },
    }),
    ({ params: { feed }, acting }) => revokeFeed(acting, feed),
  );
}
