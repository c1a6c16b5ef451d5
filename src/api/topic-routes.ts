import { z } from 'zod';
import { readTopics } from '../store/queries/topic-list.ts';
import type { ActingContext } from '../monitor/context.ts';
import { createTopic, renameTopic, watchTopic } from '../monitor/topics/save-topic.ts';
import { findTopicRow } from '../monitor/topics/find-by-slug.ts';
import { changeTopic } from '../monitor/topics/search-state.ts';
import type { StateChange } from '../store/topics.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createCursor, defineListQuery, defineListReply, emptyQuery } from './pagination.ts';
import { flagParam, newTopic, renamedTopic, topicSlug, watchedText } from './request-shapes.ts';
import { Topic } from './reply-shapes.ts';
import { addStateRoutes } from './state-routes.ts';

const tags = ['topics'];
const params = z.strictObject({ topic: topicSlug });
const cursor = createCursor('topics', topicSlug);

export function topicRoutes(app: App, routeContext: RouteContext): void {
  readRoutes(app, routeContext);
  createRoutes(app, routeContext);
  changeRoutes(app, routeContext);
}

function readRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/topics',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listTopics',
        summary: 'Topics, by slug',
        description: 'Removed topics are left out unless `removed` is true.',
        tags,
        querystring: defineListQuery(cursor, {
          removed: flagParam.optional().describe('Whether those that were removed are listed, too.'),
        }),
        response: { 200: defineListReply(Topic) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const rows = await readTopics(ctx.db, { ...filter, after, limit: limit + 1 });
      return reply(rows, ({ slug }) => slug);
    },
  );

  app.get(
    '/api/v1/topics/:topic',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getTopic',
        summary: 'A topic, also a removed one',
        description:
          'Its members are those of the view `topics`; a topic that was removed keeps its history and says since when.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: Topic },
      },
    },
    ({ params: { topic } }) => findTopicRow(ctx.db, topic),
  );
}

function createRoutes(app: App, { ctx }: RouteContext): void {
  const once = 'A slug is taken for ever: of two that make the same one, the second is told so (409).';
  app.post(
    '/api/v1/topics',
    {
      config: { scope: ['write', 'run'], idempotent: true, sends: ['Location'] },
      schema: {
        operationId: 'createTopic',
        summary: 'Make a topic with its searches, which run at once',
        description: `All of it is saved, or nothing. ${once}`,
        tags,
        querystring: emptyQuery,
        body: newTopic,
        response: { 201: Topic },
      },
    },
    async ({ body, acting }, reply) => {
      const { topic } = await createTopic(acting, body);
      return reply
        .code(201)
        .header('location', `/api/v1/topics/${topic}`)
        .send(await findTopicRow(ctx.db, topic));
    },
  );

  app.post(
    '/api/v1/topics/watch',
    {
      config: { scope: ['write', 'run'], idempotent: true, sends: ['Location'] },
      schema: {
        operationId: 'watchTopic',
        summary: 'Watch a text: a topic with a microblog and an AI search, which run at once',
        description: once,
        tags,
        querystring: emptyQuery,
        body: watchedText,
        response: { 201: Topic },
      },
    },
    async ({ body: { posts_every: postsEvery, ai_every: aiEvery, ...body }, acting }, reply) => {
      const { topic } = await watchTopic(acting, { ...body, postsEvery, aiEvery });
      return reply
        .code(201)
        .header('location', `/api/v1/topics/${topic}`)
        .send(await findTopicRow(ctx.db, topic));
    },
  );
}

function changeRoutes(app: App, { ctx }: RouteContext): void {
  const apply = async (acting: ActingContext, { topic }: z.output<typeof params>, change: StateChange) => {
    await changeTopic(acting, topic, change);
    return findTopicRow(ctx.db, topic);
  };
  addStateRoutes(
    app,
    { path: '/api/v1/topics/:topic', params, tags, reply: Topic, apply },
    {
      resume: {
        operationId: 'resumeTopic',
        summary: 'Go on with all searches of a topic, each at its next slot',
        description: 'Slots that were missed meanwhile are not made up for.',
        scope: ['write', 'run'],
      },
      pause: {
        operationId: 'pauseTopic',
        summary: 'Stop running all searches of a topic; what waits is cancelled',
        description: 'Runs in progress end as usual; `resumeTopic` continues.',
        scope: ['write'],
      },
      remove: {
        operationId: 'removeTopic',
        summary: 'Remove a topic and its searches for good; what they found stays',
        description:
          'All its searches stop for good, and what is queued for them is cancelled. A slug that was used is never free again.',
      },
    },
  );

  app.patch(
    '/api/v1/topics/:topic',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'renameTopic',
        summary: 'Give a topic another name; its slug stays',
        description: 'Only the name changes: the slug stays, and with it every address that names the topic.',
        tags,
        params,
        querystring: emptyQuery,
        body: renamedTopic,
        response: { 200: Topic },
      },
    },
    async ({ params: { topic }, body: { name }, acting }) => {
      await renameTopic(acting, topic, name);
      return findTopicRow(ctx.db, topic);
    },
  );
}
