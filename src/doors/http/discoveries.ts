/** The feed that programs follow: what was seen for the first time, in the order of commits. */
import { z } from 'zod';
import { assertFilter } from '../../monitor/topic/find.ts';
import { discoveriesAfter, newestDiscoveries } from '../../store/reads/discoveries.ts';
import { DISCOVERY_KINDS } from '../../store/schema/analytics/discoveries.ts';
import type { App, WebHome } from '../routes.ts';
import { idCursor } from './cursor.ts';
import { Discovery } from './findings.ts';
import { givenFlag, givenTime, searchSlug, topicSlug } from './given.ts';
import { givenLimit, listOf, listQuery } from './listing.ts';
import { afterId } from './events/after.ts';

const tags = ['discoveries'];
const cursor = idCursor('discoveries');

const filters = {
  topic: topicSlug.optional(),
  search: searchSlug.optional(),
  kind: z.enum(DISCOVERY_KINDS).optional(),
  baseline: givenFlag
    .optional()
    .describe('What a first look found, or what was found since; left out: both.'),
  since: givenTime.optional().describe('Found from here on.'),
  until: givenTime.optional().describe('Found before this.'),
};

export function discoveryRoutes(app: App, { ctx }: WebHome): void {
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
        querystring: listQuery(cursor, filters),
        response: { 200: listOf(Discovery) },
      },
    },
    async ({ query }) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await assertFilter(ctx.db, filter);
      const rows = await newestDiscoveries(ctx.db, { ...filter, before: after?.[0], limit: limit + 1 });
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
        querystring: z.strictObject({ after: afterId.default(0n), limit: givenLimit, ...filters }),
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
      await assertFilter(ctx.db, filter);
      const rows = await discoveriesAfter(ctx.db, { ...filter, after, limit: limit + 1 });
      const items = rows.slice(0, limit);
      return { items, next_after: String(items.at(-1)?.id ?? after), more: rows.length > limit };
    },
  );
}
