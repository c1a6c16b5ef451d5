import { z } from 'zod';
import { findTopicRow } from '../../monitor/topic/find.ts';
import { readTopics } from '../../store/reads/topics.ts';
import type { App, WebHome } from '../routes.ts';
import { cursorOf } from './cursor.ts';
import { givenFlag, topicSlug } from './given.ts';
import { listOf, listQuery, pageOf } from './listing.ts';
import { Topic } from './shapes.ts';

const tags = ['topics'];
const params = z.strictObject({ topic: topicSlug });
const cursor = cursorOf('topics', topicSlug);

export function topicRoutes(app: App, { ctx }: WebHome): void {
  app.get(
    '/api/v1/topics',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listTopics',
        summary: 'Topics, by slug',
        tags,
        querystring: listQuery(cursor, {
          removed: givenFlag.optional().describe('Whether those that were removed are listed, too.'),
        }),
        response: { 200: listOf(Topic) },
      },
    },
    async ({ query: { limit, cursor: after, removed } }) => {
      const rows = await readTopics(ctx.db, { removed, after, limit: limit + 1 });
      return pageOf(rows, limit, ({ slug }) => z.encode(cursor, slug));
    },
  );

  app.get(
    '/api/v1/topics/:topic',
    {
      config: { scope: 'read' },
      schema: { operationId: 'getTopic', summary: 'A topic', tags, params, response: { 200: Topic } },
    },
    ({ params: { topic } }) => findTopicRow(ctx.db, topic),
  );
}
