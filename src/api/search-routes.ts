import { z } from 'zod';
import { OPERATIONS } from '../domain/enumerations.ts';
import type { ActingContext } from '../monitor/context.ts';
import { createSearch, editSearch } from '../monitor/topics/save-search.ts';
import { assertFilterExists, findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { changeSearch } from '../monitor/topics/search-state.ts';
import { readSearches, readVersions } from '../store/queries/search-list.ts';
import { SEARCH_STATES } from '../store/schema/analytics/topic-views.ts';
import type { StateChange } from '../store/topics.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createCursor, defineListQuery, defineListReply, emptyQuery } from './pagination.ts';
import { editedSearch, flagParam, newSearch, searchSlug, serviceKind, topicSlug } from './request-shapes.ts';
import { Search, SearchVersion } from './reply-shapes.ts';
import { addStateRoutes } from './state-routes.ts';

const tags = ['searches'];
const params = z.strictObject({ search: searchSlug });

export function searchRoutes(app: App, routeContext: RouteContext): void {
  readRoutes(app, routeContext);
  writeRoutes(app, routeContext);
  changeRoutes(app, routeContext);
}

const cursor = createCursor('searches', z.strictObject({ topic: topicSlug, slug: searchSlug }));
const versionCursor = createCursor(
  'versions',
  z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
);

function readRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/searches',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listSearches',
        summary: 'Saved searches, by topic and slug',
        description:
          'Removed searches are left out unless `removed` is true. `next_due_at` says when each is due.',
        tags,
        querystring: defineListQuery(cursor, {
          topic: topicSlug.optional(),
          state: z.enum(SEARCH_STATES).optional(),
          operation: z.enum(OPERATIONS).optional(),
          service: serviceKind.optional().describe('Who is asked.'),
          removed: flagParam.optional().describe('Whether those that were removed are listed, too.'),
        }),
        response: { 200: defineListReply(Search) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await assertFilterExists(ctx.db, { topic: filter.topic });
      const rows = await readSearches(ctx.db, { ...filter, after, limit: limit + 1 });
      return reply(rows, ({ topic, slug }) => ({ topic, slug }));
    },
  );

  app.get(
    '/api/v1/searches/:search',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getSearch',
        summary: 'A saved search, also a removed one',
        description: 'Its current version with its state: `state_reason` says why it is broken or capped.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: Search },
      },
    },
    ({ params: { search } }) => findSearchRow(ctx.db, search),
  );

  app.get(
    '/api/v1/searches/:search/versions',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listSearchVersions',
        summary: 'What a search was in each of its versions, the newest first',
        description:
          'Each edit makes a version. `request_version` rises only where the request itself changed, and the next run is then a new baseline.',
        tags,
        params,
        querystring: defineListQuery(versionCursor, {}),
        response: { 200: defineListReply(SearchVersion) },
      },
    },
    async ({ params: path, query }) => {
      const { limit, after, reply } = versionCursor.pageOf(query, path);
      const { id } = await findSearchRow(ctx.db, path.search);
      const rows = await readVersions(ctx.db, id, { before: after, limit: limit + 1 });
      return reply(rows, ({ version }) => version);
    },
  );
}

function writeRoutes(app: App, { ctx }: RouteContext): void {
  app.post(
    '/api/v1/searches',
    {
      config: { scope: ['write', 'run'], idempotent: true, sends: ['Location'] },
      schema: {
        operationId: 'createSearch',
        summary: 'Save a search, which runs at once',
        description:
          'A slug is taken for ever: of two requests that make the same one, the second is told so (409).',
        tags,
        querystring: emptyQuery,
        body: newSearch,
        response: { 201: Search },
      },
    },
    async ({ body, acting }, reply) => {
      const { search } = await createSearch(acting, body);
      return reply
        .code(201)
        .header('location', `/api/v1/searches/${search.slug}`)
        .send(await findSearchRow(ctx.db, search.slug));
    },
  );

  app.patch(
    '/api/v1/searches/:search',
    {
      config: { scope: ['write', 'run'] },
      schema: {
        operationId: 'editSearch',
        summary: 'Change a search: a new version; what is left out stays',
        description:
          'Where the request changes (and not only when it is sent), the next run is a new baseline.',
        tags,
        params,
        querystring: emptyQuery,
        body: editedSearch,
        response: { 200: Search },
      },
    },
    async ({ params: { search }, body, acting }) => {
      await editSearch(acting, search, body);
      return findSearchRow(ctx.db, search);
    },
  );
}

function changeRoutes(app: App, { ctx }: RouteContext): void {
  const apply = async (acting: ActingContext, { search }: z.output<typeof params>, change: StateChange) => {
    await changeSearch(acting, search, change);
    return findSearchRow(ctx.db, search);
  };
  addStateRoutes(
    app,
    { path: '/api/v1/searches/:search', params, tags, reply: Search, apply },
    {
      resume: {
        operationId: 'resumeSearch',
        summary: 'Go on at the next slot, also after it was broken or capped',
        description: 'Slots that were missed meanwhile are not made up for.',
        scope: ['write', 'run'],
      },
      pause: {
        operationId: 'pauseSearch',
        summary: 'Stop running a search; what waits is cancelled',
        description: 'A run in progress ends as usual; `resumeSearch` continues.',
        scope: ['write'],
      },
      remove: {
        operationId: 'removeSearch',
        summary: 'Remove a search for good; what it found stays',
        description:
          'It never runs again, and what is queued for it is cancelled. A slug that was used is never free again.',
      },
    },
  );
}
