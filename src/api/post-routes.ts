/** Posts: lists, details, counters, sightings and ranks over time. */
import { z } from 'zod';
import { awaitMembers } from '../lib/await-members.ts';
import { parseQuery } from '../model/search-query.ts';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import { readPostGrowth } from '../store/queries/growth.ts';
import { readAgesOfPost } from '../store/queries/counters-at-age.ts';
import {
  readCounterChanges,
  readPost,
  readPostRanks,
  readPostsByExternalId,
  readPostSightings,
  readPostVersions,
} from '../store/queries/post-detail.ts';
import { POST_ORDERS, readPostPage } from '../store/queries/post-pages.ts';
import { idShape, timeShape, idParam, textParam, timeParam } from '../model/value-shapes.ts';
import { findById } from '../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createCursor, orderKey } from '../monitor/http/cursors.ts';
import { operation } from './operation.ts';
import { catchUpForQuery, defineListQuery, defineListReply, notIndexed } from './pagination.ts';
import { Post, PostAtAge, PostEngagement, PostGrowth, PostVersion } from './reply-shapes.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { queryParam } from '../monitor/items/query-input.ts';

const tags = ['posts'];
const params = z.strictObject({ id: idParam });
const cursor = createCursor('posts', z.tuple([orderKey, idParam]));

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

export function postRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/posts',
    operation({
      scope: 'read',
      operationId: 'listPosts',
      summary: 'List posts',
      description:
        'With their latest counters. Newest first, by time of publication (if unknown, by when they were first seen), or by a counter, engagement (likes, reposts, replies and quotes) or growth (engagement gained since first seen).',
      tags,
      querystring: defineListQuery(cursor, {
        ...scopeParams,
        author: textParam(100)
          .min(1)
          .optional()
          .describe('Username of the author, without @. Case-insensitive.'),
        lang: textParam(35).min(1).optional().describe('Language that the post states.'),
        text: queryParam
          .optional()
          .describe(
            'Query: words, "phrases", -excluded, OR, fields such as `lang:en`. See docs/reference/queries.md. To rank by relevance, use `/api/v1/find`.',
          ),
        since: timeParam.optional().describe('Published at or after this time.'),
        until: timeParam.optional().describe('Published before this time.'),
        sort: z.enum(POST_ORDERS).default('newest'),
      }),
      response: { 200: defineListReply(Post).extend({ not_indexed: notIndexed }) },
    }),
    async ({ query }) => {
      const { limit, after: keys, filter, reply } = cursor.pageOf(query);
      const { sort: order, text, ...others } = filter;
      const matching = { query: parseQuery(text ?? '', 'query.text'), now: ctx.clock.now() };
      const scope = await findScope(ctx.db, others);
      const not_indexed = await catchUpForQuery(ctx.db, text);
      const after = keys === undefined ? undefined : { by: keys[0], id: keys[1] };
      const rows = await readPostPage(ctx.db, { ...others, ...scope, matching, order, after, limit });
      const page = reply(rows, ({ place: { by, id } }) => [by, id]);
      return { ...page, items: page.items.map(({ post }) => post), not_indexed };
    },
  );

  app.get(
    '/api/v1/posts/:id',
    operation({
      scope: 'read',
      operationId: 'getPost',
      summary: 'Get a post',
      description:
        'The latest counters, growth since it was first seen, its versions, its counters at each age, and the posts that it quotes or reposts, if known.',
      tags,
      params,
      response: {
        200: z
          .object({
            post: Post,
            growth: PostGrowth.nullable(),
            versions: z
              .array(PostVersion)
              .describe(
                'Its texts, times, languages and entities over time: at most the newest 100, oldest first.',
              ),
            ages: z.array(PostAtAge).describe('Counters at each age at which it was observed.'),
            quoted: Post.nullable().describe('The quoted post, if known.'),
            reposted: Post.nullable().describe('The reposted post, if known.'),
          })
          .meta({ id: 'WholePost' }),
      },
    }),
    async ({ params: { id } }) => {
      const post = await findById('post', id, readPost(ctx.db, id));
      const inside = [post.quoted_status_id, post.reposted_status_id].filter((external) => external !== null);
      const { known, growth, ...history } = await awaitMembers({
        growth: readPostGrowth(ctx.db, id),
        versions: readPostVersions(ctx.db, id),
        ages: readAgesOfPost(ctx.db, id),
        known: readPostsByExternalId(ctx.db, post.service, inside),
      });
      const findKnown = (external: string | null) =>
        known.find(({ external_id }) => external_id === external) ?? null;
      return {
        post,
        growth: growth ?? null,
        ...history,
        quoted: findKnown(post.quoted_status_id),
        reposted: findKnown(post.reposted_status_id),
      };
    },
  );

  app.get(
    '/api/v1/posts/:id/engagement',
    operation({
      scope: 'read',
      operationId: 'listPostEngagement',
      summary: 'List the counters of a post over time',
      description: 'One row for each observation in which a counter changed: the newest 500, oldest first.',
      tags,
      params,
      response: { 200: z.object({ items: z.array(PostEngagement) }) },
    }),
    async ({ params: { id } }) => {
      await findById('post', id, readPost(ctx.db, id));
      return { items: await readCounterChanges(ctx.db, id) };
    },
  );

  app.get(
    '/api/v1/posts/:id/sightings',
    operation({
      scope: 'read',
      operationId: 'listPostSightings',
      summary: 'List the searches that saw a post',
      description:
        'When each search first and last saw the post: at most 100, earliest first. `unseen` is true if its newest response does not contain it.',
      tags,
      params,
      response: { 200: z.object({ items: z.array(PostSighting) }) },
    }),
    async ({ params: { id } }) => {
      await findById('post', id, readPost(ctx.db, id));
      return { items: await readPostSightings(ctx.db, id) };
    },
  );

  app.get(
    '/api/v1/posts/:id/ranks',
    operation({
      scope: 'read',
      operationId: 'listPostRanks',
      summary: 'List the ranks of a post over time',
      description:
        'At most 100 runs of each of the first ten searches that saw it, oldest first. Rank 1 is the first post of a response.',
      tags,
      params,
      response: { 200: z.object({ items: z.array(PostRank) }) },
    }),
    async ({ params: { id } }) => {
      await findById('post', id, readPost(ctx.db, id));
      return { items: await readPostRanks(ctx.db, id) };
    },
  );
}
