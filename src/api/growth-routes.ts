/** Growth: gains of posts and searches, and what is typical at each age. */
import { limitParam } from '../monitor/common-inputs.ts';
import { PostAtAge } from '../monitor/items/item-shapes.ts';
import { z } from 'zod';
import { AGES } from '../model/counters.ts';
import { DAY } from '../lib/time.ts';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import { readLatestAges, readPostsAtAge, readTypicalAtAge } from '../store/queries/counters-at-age.ts';
import { GROWTH_ORDERS, readGrowth, readSearchGrowth } from '../store/queries/growth.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { GrownPost, SearchGrowth, TypicalAtAge } from './reply-shapes.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { timeParam } from '../model/value-shapes.ts';
import { createTrendRoutes, defineDays, defineFigures, MAX_BUCKETS } from './trend-operation.ts';

export function growthRoutes(app: App, home: RouteContext): void {
  const { ctx } = home;
  const { addRoute, readDerived, countDaysBack } = createTrendRoutes(app, home);

  addRoute(
    '/growth',
    {
      operationId: 'listGrowth',
      summary: 'List the posts that gained most',
      description:
        'Ordered by gains since each was first seen. `at_age` compares a post with others of the same age.',
      query: z.strictObject({
        ...scopeParams,
        by: z.enum(GROWTH_ORDERS).default('engagement'),
        since: timeParam
          .optional()
          .describe('Only posts with a counter change at or after this time. Default: the last day.'),
        limit: limitParam,
      }),
      reply: defineFigures(GrownPost),
    },
    async ({ by, since, limit, ...scopeInput }) => {
      const scope = await findScope(ctx.db, scopeInput);
      const from = since ?? new Date(ctx.clock.now().getTime() - DAY);
      return readDerived(scope, async () => {
        const rows = await readGrowth(ctx.db, { ...scope, since: from, order: by, limit });
        const ids = rows.map(({ post_id }) => post_id);
        const ages = await readLatestAges(ctx.db, ids, scope);
        return rows.map((row) => ({ ...row, at_age: ages.get(row.post_id) ?? null }));
      });
    },
  );

  addRoute(
    '/gains',
    {
      operationId: 'listSearchGrowth',
      summary: 'List the engagement gains of searches',
      description: 'Gains and losses of the posts of a search per hour or day, with coverage.',
      query: z.strictObject({
        ...scopeParams,
        per: z.enum(['hour', 'day']).default('day'),
        days: defineDays(92, 7),
      }),
      reply: defineFigures(SearchGrowth),
    },
    async ({ per, days: back, ...scopeInput }) => {
      const scope = await findScope(ctx.db, scopeInput);
      const filter = { ...scope, per, ...countDaysBack(back), limit: MAX_BUCKETS };
      return readDerived(scope, () => readSearchGrowth(ctx.db, filter));
    },
  );

  addRoute(
    '/ages',
    {
      operationId: 'listPostsAtAge',
      summary: 'List posts at one age',
      description:
        'Furthest above typical first. Counters at the age are interpolated between observations; ratios are null if too few posts were observed.',
      query: z.strictObject({
        ...scopeParams,
        hours: z.coerce
          .number()
          .pipe(z.union(AGES.map((n) => z.literal(n))))
          .default(24)
          .meta({ description: 'Age in hours: 1, 3, 8, 24 or 72.', examples: [24] }),
        since: timeParam
          .optional()
          .describe('Only posts that reached the age at or after this time. Default: the last 7 days.'),
        limit: limitParam,
      }),
      reply: defineFigures(PostAtAge),
    },
    async ({ hours, since, limit, ...scopeInput }) => {
      const scope = await findScope(ctx.db, scopeInput);
      const from = since ?? new Date(ctx.clock.now().getTime() - 7 * DAY);
      return readDerived(scope, () => readPostsAtAge(ctx.db, { ...scope, hours, since: from, limit }));
    },
  );

  addRoute(
    '/typical',
    {
      operationId: 'listTypical',
      summary: 'List typical counters by age',
      description:
        'Medians over the posts of a search at 1, 3, 8, 24 and 72 hours, with the number of posts.',
      query: z.strictObject({ ...scopeParams, limit: limitParam }),
      reply: defineFigures(TypicalAtAge),
    },
    async ({ limit, ...scopeInput }) => {
      const scope = await findScope(ctx.db, scopeInput);
      return readDerived(scope, () => readTypicalAtAge(ctx.db, { ...scope, limit }));
    },
  );
}
