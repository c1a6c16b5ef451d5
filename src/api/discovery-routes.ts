/** Discoveries: a list for people, and the feed that programs follow. */
import { z } from 'zod';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import { addCopies } from '../store/topics/copies.ts';
import { readDiscoveriesAfter, readNewestDiscoveries } from '../store/queries/discoveries.ts';
import { DISCOVERY_KINDS } from '../model/closed-lists.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { createIdCursor, defineListQuery, defineListReply, limitParam } from './pagination.ts';
import { Discovery } from './reply-shapes.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { afterDiscoveryId, viewParam } from './request-shapes.ts';
import { flagParam, timeParam } from '../model/value-shapes.ts';

const tags = ['discoveries'];
const cursor = createIdCursor('discoveries');

const filters = {
  ...scopeParams,
  kind: z.enum(DISCOVERY_KINDS).optional(),
  baseline: flagParam
    .optional()
    .describe('true: only the baseline of each search. false: only later discoveries. Default: both.'),
  view: viewParam,
  since: timeParam.optional().describe('Found at or after this time.'),
  until: timeParam.optional().describe('Found before this time.'),
};

export function discoveryRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/discoveries',
    operation({
      scope: 'read',
      operationId: 'listDiscoveries',
      summary: 'List discoveries',
      description:
        'Newest first. A discovery is an item that a search found for the first time. Programs should use `followDiscoveries`, which misses none.',
      tags,
      querystring: defineListQuery(cursor, filters),
      response: { 200: defineListReply(Discovery) },
    }),
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      const scope = await findScope(ctx.db, filter);
      const rows = await readNewestDiscoveries(ctx.db, { ...filter, ...scope, before: after?.[0], limit });
      return reply(await addCopies(ctx.db.pool, rows), ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/discoveries/feed',
    operation({
      scope: 'read',
      operationId: 'followDiscoveries',
      summary: 'Read the feed of discoveries',
      description:
        'Discoveries after a given one, oldest first. Ids are in commit order: a program that continues with `next_after` ' +
        'gets each discovery exactly once.',
      tags,
      querystring: z.strictObject({ after: afterDiscoveryId.default(0n), limit: limitParam, ...filters }),
      response: {
        200: z.object({
          items: z.array(Discovery),
          next_after: z
            .string()
            .describe('Value of `after` for the next request, even if this page is empty.'),
          more: z.boolean().describe('True if there are more now; otherwise poll later.'),
        }),
      },
    }),
    async ({ query: { limit, after, ...filter } }) => {
      const scope = await findScope(ctx.db, filter);
      const rows = await readDiscoveriesAfter(ctx.db, { ...filter, ...scope, after, limit: limit + 1 });
      const items = await addCopies(ctx.db.pool, rows.slice(0, limit));
      return { items, next_after: String(items.at(-1)?.id ?? after), more: rows.length > limit };
    },
  );
}
