import { z } from 'zod';
import { createSearch, editSearch, putSearch } from '../monitor/topics/save-search.ts';
import { findSearchRow } from '../monitor/topics/find-by-slug.ts';
import { readSearchWithStatus } from '../monitor/status/search-status.ts';
import { Search, searchMembers } from '../monitor/status/status-shapes.ts';
import { findMissingTools } from '../monitor/topics/tool-sources.ts';
import { readIntervalChanges, readVersions } from '../store/queries/search-list.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createCursor } from '../monitor/http/cursors.ts';
import { operation } from './operation.ts';
import { mayOnlyCreate, putHeaders, replyToPut } from './put-reply.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { editedSearch, FORMER_SLUGS, newSearch, writtenSearch } from '../monitor/topics/topic-inputs.ts';
import { searchSlug } from '../model/value-shapes.ts';
import { IntervalChange, MissingTools, SearchVersion } from './reply-shapes.ts';
import { defineRowWith } from '../store/db/row-shapes.ts';

const tags = ['searches'];
const params = z.strictObject({ search: searchSlug });

export function searchRoutes(app: App, routeContext: RouteContext): void {
  readRoutes(app, routeContext);
  writeRoutes(app);
}

const versionCursor = createCursor(
  'versions',
  z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
);
const intervalCursor = createIdCursor('interval_changes');

function readRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/searches/:search',
    operation({
      scope: 'read',
      operationId: 'getSearch',
      summary: 'Get a saved search',
      description:
        'The current version and state. `state_reason` explains why a search is broken or capped. Removed searches are returned, too.',
      tags,
      params,
      response: { 200: Search },
    }),
    async ({ params: { search } }) => readSearchWithStatus(ctx, await findSearchRow(ctx.db, search)),
  );

  app.get(
    '/api/v1/searches/:search/versions',
    operation({
      scope: 'read',
      operationId: 'listSearchVersions',
      summary: 'List the versions of a search',
      description:
        'Newest first. Each edit creates a version. `request_version` rises only if the request itself changes; the next run is then a new baseline.',
      tags,
      params,
      querystring: defineListQuery(versionCursor, {}),
      response: { 200: defineListReply(SearchVersion) },
    }),
    async ({ params: path, query }) => {
      const { limit, after, reply } = versionCursor.pageOf(query, path);
      const search = await findSearchRow(ctx.db, path.search);
      const rows = await readVersions(ctx.db, search.id, { before: after, limit });
      return reply(rows, ({ version }) => version);
    },
  );

  app.get(
    '/api/v1/searches/:search/interval-changes',
    operation({
      scope: 'read',
      operationId: 'listIntervalChanges',
      summary: 'List the interval changes of a search',
      description:
        'Newest first. Each change of an adaptive interval (`auto`) by a tenth or more, with its reason and the figures it is based on.',
      tags,
      params,
      querystring: defineListQuery(intervalCursor, {}),
      response: { 200: defineListReply(IntervalChange) },
    }),
    async ({ params: path, query }) => {
      const { limit, after, reply } = intervalCursor.pageOf(query, path);
      const search = await findSearchRow(ctx.db, path.search);
      const rows = await readIntervalChanges(ctx.db, search.id, {
        before: after?.[0],
        limit,
      });
      return reply(rows, ({ id }) => [id]);
    },
  );
}

const SavedSearch = defineRowWith('SavedSearch', 'searches', {
  ...searchMembers,
  missing_tools: MissingTools,
});

async function readSavedSearch(ctx: RouteContext['ctx'], slug: string) {
  const row = await findSearchRow(ctx.db, slug);
  return {
    ...(await readSearchWithStatus(ctx, row)),
    missing_tools: await findMissingTools(ctx, row.service_kind, row),
  };
}

function writeRoutes(app: App): void {
  app.post(
    '/api/v1/searches',
    operation({
      scope: ['write', 'run'],
      idempotent: true,
      sends: ['Location'],
      operationId: 'createSearch',
      summary: 'Create a search',
      description:
        'Saves the search and runs it immediately. Slugs are unique: one that exists, or that a removed search keeps, returns 409.',
      tags,
      body: newSearch,
      response: { 201: SavedSearch },
    }),
    async ({ body, acting }, reply) => {
      const { search } = await createSearch(acting, body);
      void reply.code(201).header('location', `/api/v1/searches/${search.slug}`);
      return readSavedSearch(acting, search.slug);
    },
  );

  app.put(
    '/api/v1/searches/:search',
    operation({
      scope: ['write', 'run'],
      sends: ['Location'],
      reads: putHeaders,
      operationId: 'putSearch',
      summary: 'Create or replace a search',
      description:
        'A new search runs immediately. Otherwise omitted members get their defaults, and what changes is a new version, as in `editSearch`; topic, service and operation cannot change (409); an omitted service stays. Repeating the request changes nothing.',
      tags,
      params,
      body: writtenSearch,
      response: { 200: SavedSearch, 201: SavedSearch },
    }),
    async (request, reply) => {
      const { params: path, body, acting } = request;
      const put = await putSearch(acting, path.search, body, { onlyCreate: mayOnlyCreate(request) });
      const { slug } = replyToPut(reply, put, (search) => `/api/v1/searches/${search.slug}`);
      return readSavedSearch(acting, slug);
    },
  );

  app.patch(
    '/api/v1/searches/:search',
    operation({
      scope: ['write', 'run'],
      operationId: 'editSearch',
      summary: 'Edit a search',
      description: `Creates a new version. Omitted members keep their values. If the request changes (not only its schedule), the next run is a new baseline. ${FORMER_SLUGS} In another topic, what the search found counts there, and nothing is reported again.`,
      tags,
      params,
      body: editedSearch,
      response: { 200: SavedSearch },
    }),
    async ({ params: { search }, body, acting }) => {
      const { slug } = (await editSearch(acting, search, body)).search;
      return readSavedSearch(acting, slug);
    },
  );
}
