/** Authors of posts: as last seen, and over time. */
import { z } from 'zod';
import { Refused } from '../domain/errors.ts';
import type { Database } from '../store/database.ts';
import {
  type AuthorRow,
  readAuthor,
  readAuthorSnapshots,
  readAuthorPosts,
  readAuthorTopics,
  readAuthorTypical,
} from '../store/queries/authors.ts';
import { timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { Author, AuthorSnapshot, Post } from './reply-shapes.ts';
import { idParam } from './request-shapes.ts';
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
      .describe('Where the newest 2,000 posts of the author were found, most posts first.'),
    typical: z
      .array(
        z.object({
          hours: z.int().describe('Age of the posts.'),
          posts: z.int().describe('Posts that were observed at it.'),
          engagement: z.number().nullable().describe('Median; null where fewer than 5 are known.'),
          like_count: z.number().nullable(),
          view_count: z.number().nullable(),
        }),
      )
      .describe('What the last 200 posts of the author had at each age.'),
  })
  .meta({ id: 'WholeAuthor' });

export function authorRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/authors/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getAuthor',
        summary: 'An author, their topics, and what is typical of their posts',
        description:
          'The latest profile and counters, the topics in which posts of the author were found, and medians of their posts at each age.',
        tags,
        params,
        response: { 200: WholeAuthor },
      },
    },
    async ({ params: { id } }) => {
      const [author, topics, typical] = await Promise.all([
        findAuthor(ctx.db, id),
        readAuthorTopics(ctx.db, id),
        readAuthorTypical(ctx.db, id),
      ]);
      return { author, topics, typical };
    },
  );

  app.get(
    '/api/v1/authors/:id/snapshots',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listAuthorSnapshots',
        summary: 'Counters of an author over time: the newest 500 changes, oldest first',
        description: 'There is a row for each observation in which a counter changed.',
        tags,
        params,
        response: { 200: z.object({ items: z.array(AuthorSnapshot) }) },
      },
    },
    async ({ params: { id } }) => {
      await findAuthor(ctx.db, id);
      return { items: await readAuthorSnapshots(ctx.db, id) };
    },
  );

  app.get(
    '/api/v1/authors/:id/posts',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listAuthorPosts',
        summary: 'Posts of an author: the newest, or those with most engagement',
        description: 'Also those that only stand inside others. Page by page: /api/v1/posts?author=.',
        tags,
        params,
        querystring: z.strictObject({
          sort: z.enum(['newest', 'engagement']).default('newest'),
          limit: limitParam,
        }),
        response: { 200: z.object({ items: z.array(Post) }) },
      },
    },
    async ({ params: { id }, query: { sort, limit } }) => {
      await findAuthor(ctx.db, id);
      return { items: await readAuthorPosts(ctx.db, id, { order: sort, limit }) };
    },
  );
}

/** @throws Refused `not_found` */
async function findAuthor(db: Database, id: bigint): Promise<AuthorRow> {
  const author = await readAuthor(db, id);
  if (author === undefined) throw new Refused('not_found', `there is no author ${id}`);
  return author;
}
