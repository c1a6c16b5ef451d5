/** Authors of posts: latest profile, counters over time, and posts. */
import { z } from 'zod';
import { awaitMembers } from '../lib/await-members.ts';
import {
  readAuthor,
  readAuthorSnapshots,
  readAuthorPosts,
  readAuthorTopics,
  readAuthorTypical,
  readAuthorVersions,
} from '../store/queries/authors.ts';
import { timeShape, idParam } from '../model/value-shapes.ts';
import { findById } from '../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { Author, AuthorSnapshot, AuthorVersion, Post } from './reply-shapes.ts';
import { limitParam } from './pagination.ts';

const tags = ['authors'];
const params = z.strictObject({ id: idParam });

const WholeAuthor = z
  .object({
    author: Author,
    topics: z
      .array(
        z.object({
          topic: z.string(),
          name: z.string(),
          posts: z.int(),
          searches: z.int(),
          first_seen_at: timeShape,
          last_seen_at: timeShape,
        }),
      )
      .describe('Topics of the newest 2,000 posts of the author, most posts first.'),
    typical: z
      .array(
        z.object({
          hours: z.int().describe('Age of the posts, in hours.'),
          posts: z.int().describe('Posts observed at this age.'),
          engagement: z.number().nullable().describe('Median; null if fewer than 5 are known.'),
          like_count: z.number().nullable(),
          view_count: z.number().nullable(),
        }),
      )
      .describe('Medians of the last 200 posts of the author at each age.'),
    versions: z
      .array(AuthorVersion)
      .describe(
        'Handles, names, profile texts, locations and URLs over time: at most the newest 100, oldest first.',
      ),
  })
  .meta({ id: 'WholeAuthor' });

export function authorRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/authors/:id',
    operation({
      scope: 'read',
      operationId: 'getAuthor',
      summary: 'Get an author',
      description:
        'The latest profile and counters, its versions, the topics of their posts, and the medians of their posts at each age.',
      tags,
      params,
      response: { 200: WholeAuthor },
    }),
    async ({ params: { id } }) => {
      const author = await findById('author', id, readAuthor(ctx.db, id));
      const parts = await awaitMembers({
        topics: readAuthorTopics(ctx.db, id),
        typical: readAuthorTypical(ctx.db, id),
        versions: readAuthorVersions(ctx.db, id),
      });
      return { author, ...parts };
    },
  );

  app.get(
    '/api/v1/authors/:id/snapshots',
    operation({
      scope: 'read',
      operationId: 'listAuthorSnapshots',
      summary: 'List the counters of an author over time',
      description: 'One row for each observation in which a counter changed: the newest 500, oldest first.',
      tags,
      params,
      response: { 200: z.object({ items: z.array(AuthorSnapshot) }) },
    }),
    async ({ params: { id } }) => {
      await findById('author', id, readAuthor(ctx.db, id));
      return { items: await readAuthorSnapshots(ctx.db, id) };
    },
  );

  app.get(
    '/api/v1/authors/:id/posts',
    operation({
      scope: 'read',
      operationId: 'listAuthorPosts',
      summary: 'List the posts of an author',
      description:
        'The newest, or those with the most engagement, including posts known only as quotes or reposts. For all pages, use `/api/v1/posts?author=`.',
      tags,
      params,
      querystring: z.strictObject({
        sort: z.enum(['newest', 'engagement']).default('newest'),
        limit: limitParam,
      }),
      response: { 200: z.object({ items: z.array(Post) }) },
    }),
    async ({ params: { id }, query: { sort, limit } }) => {
      await findById('author', id, readAuthor(ctx.db, id));
      return { items: await readAuthorPosts(ctx.db, id, { order: sort, limit }) };
    },
  );
}
