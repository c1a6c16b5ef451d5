/** The feed that programs follow: what was seen for the first time, in the order of commits. */
import { z } from 'zod';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { readDiscoveriesAfter, readNewestDiscoveries } from '../store/queries/discoveries.ts';
import { DISCOVERY_KINDS } from '../store/schema/analytics/result-views.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createIdCursor, defineListQuery, defineListReply, limitParam } from './pagination.ts';
import { Discovery } from './reply-shapes.ts';
import { afterDiscoveryId, flagParam, searchSlug, timeParam, topicSlug } from './request-shapes.ts';

const tags = ['discoveries'];
const cursor = createIdCursor('discoveries');

const filters = {
  topic: topicSlug.optional(),
  search: searchSlug.optional(),
  kind: z.enum(DISCOVERY_KINDS).optional(),
  baseline: flagParam
    .optional()
    .describe('What a first look found, or what was found since; left out: both.'),
  since: timeParam.optional().describe('Found from here on.'),
  until: timeParam.optional().describe('Found before this.'),
};

export function discoveryRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/discoveries',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listDiscoveries',
        summary: 'Discoveries, the newest first',
        description:
          'A discovery is what a run saw for the first time. To follow them as a program, use `followDiscoveries`, which misses none.',
        tags,
        querystring: defineListQuery(cursor, filters),
        response: { 200: defineListReply(Discovery) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await assertFilterExists(ctx.db, filter);
      const rows = await readNewestDiscoveries(ctx.db, { ...filter, before: after?.[0], limit: limit + 1 });
      return reply(rows.toReversed(), ({ id }) => [id]);
    },
  );

  app.get(
    '/api/v1/discoveries/feed',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'followDiscoveries',
        summary: 'Discoveries behind one that was seen, the oldest first',
        description:
          'Ids are in the order of commits: a program that asks again with next_after, now or in a year, misses none ' +
          'and gets none twice.',
        tags,
        querystring: z.strictObject({ after: afterDiscoveryId.default(0n), limit: limitParam, ...filters }),
        response: {
          200: z.object({
            items: z.array(Discovery),
            next_after: z.string().describe('Goes into after the next time, also where nothing came now.'),
            more: z.boolean().describe('There is more now; otherwise come back later.'),
          }),
        },
      },
    },
    async ({ query: { limit, after, ...filter } }) => {
      await assertFilterExists(ctx.db, filter);
      const rows = await readDiscoveriesAfter(ctx.db, { ...filter, after, limit: limit + 1 });
      const items = rows.slice(0, limit);
      return { items, next_after: String(items.at(-1)?.id ?? after), more: rows.length > limit };
    },
  );
}
