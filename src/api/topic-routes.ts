import { z } from 'zod';
import { readTopics } from '../store/queries/topic-list.ts';
import { watch } from '../monitor/sources/watch-address.ts';
import { createTopic, putTopic, renameTopic } from '../monitor/topics/save-topic.ts';
import { findTopicRow } from '../monitor/topics/find-by-slug.ts';
import { rewatchTopic } from '../monitor/topics/rewatch-topic.ts';
import { addTopicStatus, readTopicStatuses, readTopicWithStatus } from '../monitor/status/search-status.ts';
import { Topic } from '../monitor/status/status-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createCursor } from '../monitor/http/cursors.ts';
import { operation } from './operation.ts';
import { defineListQuery, defineListReply } from './pagination.ts';
import { mayOnlyCreate, putHeaders, replyToPut } from './put-reply.ts';
import {
  FORMER_SLUGS,
  newTopic,
  renamedTopic,
  rewatchedTopic,
  watchedText,
  writtenTopic,
} from './request-shapes.ts';
import { flagParam, topicSlug } from '../model/value-shapes.ts';

const tags = ['topics'];
const params = z.strictObject({ topic: topicSlug });
const cursor = createCursor('topics', topicSlug);

export function topicRoutes(app: App, routeContext: RouteContext): void {
  readRoutes(app, routeContext);
  createRoutes(app);
  rewatchRoute(app);
  renameRoute(app);
}

async function readTopic(ctx: RouteContext['ctx'], slug: string) {
  return readTopicWithStatus(ctx, await findTopicRow(ctx.db, slug));
}

function readRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/topics',
    operation({
      scope: 'read',
      operationId: 'listTopics',
      summary: 'List topics',
      description: 'Ordered by slug. Omits removed topics unless `removed` is true.',
      tags,
      querystring: defineListQuery(cursor, {
        removed: flagParam.optional().describe('Include removed topics.'),
      }),
      response: { 200: defineListReply(Topic) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const rows = await readTopics(ctx.db, { ...filter, after, limit });
      const page = reply(rows, ({ slug }) => slug);
      const statuses = await readTopicStatuses(ctx);
      return { ...page, items: page.items.map((row) => addTopicStatus(row, statuses.get(row.slug))) };
    },
  );

  app.get(
    '/api/v1/topics/:topic',
    operation({
      scope: 'read',
      operationId: 'getTopic',
      summary: 'Get a topic',
      description:
        'The topic as in the view `topics`. A removed topic keeps its history; `archived_at` is when it was removed.',
      tags,
      params,
      response: { 200: Topic },
    }),
    ({ params: { topic } }) => readTopic(ctx, topic),
  );
}

function createRoutes(app: App): void {
  const slugRule = 'Slugs are unique: one that exists, or that something removed keeps, returns 409.';
  app.post(
    '/api/v1/topics',
    operation({
      scope: ['write', 'run'],
      idempotent: true,
      sends: ['Location'],
      operationId: 'createTopic',
      summary: 'Create a topic with its searches',
      description: `Saves everything or nothing, and runs each search immediately. ${slugRule}`,
      tags,
      body: newTopic,
      response: { 201: Topic },
    }),
    async ({ body, acting }, reply) => {
      const { topic } = await createTopic(acting, body);
      void reply.code(201).header('location', `/api/v1/topics/${topic}`);
      return readTopic(acting, topic);
    },
  );

  app.put(
    '/api/v1/topics/:topic',
    operation({
      scope: ['write', 'run'],
      sends: ['Location'],
      reads: putHeaders,
      operationId: 'putTopic',
      summary: 'Create or replace a topic with its searches',
      description:
        'Saves everything or nothing. Each search is created or replaced as by `putSearch`; searches of the topic that are not in the request are removed, and keep their results. Repeating the request changes nothing.',
      tags,
      params,
      body: writtenTopic,
      response: { 200: Topic, 201: Topic },
    }),
    async (request, reply) => {
      const { params: path, body, acting } = request;
      const put = await putTopic(acting, path.topic, body, { onlyCreate: mayOnlyCreate(request) });
      return readTopic(
        acting,
        replyToPut(reply, put, (slug) => `/api/v1/topics/${slug}`),
      );
    },
  );

  app.post(
    '/api/v1/topics/watch',
    operation({
      scope: ['write', 'run'],
      idempotent: true,
      sends: ['Location'],
      operationId: 'watchTopic',
      summary: 'Watch a text',
      description: `Creates a topic with a microblog search and an AI search, and runs both immediately. A search is left out if none of its tools has a source, unless its interval is given. If the text is an address (https://...), the page or its feed becomes the only source of the topic, and one AI search returns all of its items. ${slugRule}`,
      tags,
      body: watchedText,
      response: { 201: Topic },
    }),
    async ({ body: { posts_every: postsEvery, ai_every: aiEvery, ...body }, acting }, reply) => {
      const { topic } = await watch(acting, { ...body, postsEvery, aiEvery });
      void reply.code(201).header('location', `/api/v1/topics/${topic}`);
      return readTopic(acting, topic);
    },
  );
}

function rewatchRoute(app: App): void {
  app.post(
    '/api/v1/topics/:topic/rewatch',
    operation({
      scope: ['write', 'run'],
      idempotent: true,
      sends: ['Location'],
      operationId: 'rewatchTopic',
      summary: 'Start the searches of a topic on another service',
      description:
        'Creates a topic with the same searches (requests, schedules, labels) on another service, and runs each immediately. Pauses the topic; its `successor` is the new one. Rules stay with the old topic.',
      tags,
      params,
      body: rewatchedTopic,
      response: { 201: Topic },
    }),
    async ({ params: { topic: slug }, body, acting }, reply) => {
      const { topic } = await rewatchTopic(acting, slug, body);
      void reply.code(201).header('location', `/api/v1/topics/${topic}`);
      return readTopic(acting, topic);
    },
  );
}

function renameRoute(app: App): void {
  app.patch(
    '/api/v1/topics/:topic',
    operation({
      scope: 'write',
      operationId: 'renameTopic',
      summary: 'Rename a topic',
      description: `Changes the name, the slug, or both. ${FORMER_SLUGS} The slugs of its searches stay.`,
      tags,
      params,
      body: renamedTopic,
      response: { 200: Topic },
    }),
    async ({ params: { topic }, body, acting }) => readTopic(acting, await renameTopic(acting, topic, body)),
  );
}
