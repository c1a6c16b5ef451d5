/** Growth: what posts and searches gained, and what is typical at an age. */
import { z } from 'zod';
import { DAY } from '../domain/time.ts';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { readLatestAges } from '../store/queries/post-ages.ts';
import {
  GROWTH_ORDERS,
  readGrowth,
  readPostsAtAge,
  readSearchGrowth,
  readTypicalAtAge,
} from '../store/queries/growth.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { limitParam } from './pagination.ts';
import { GrownPost, PostAtAge, SearchGrowth, TypicalAtAge } from './reply-shapes.ts';
import { timeParam } from './request-shapes.ts';
import { createTrendRoutes, defineDays, defineFigures, MAX_BUCKETS, trendFilter } from './trend-operation.ts';

export function growthRoutes(app: App, home: RouteContext): void {
  const { ctx } = home;
  const { addRoute, readDerived, countDaysBack } = createTrendRoutes(app, home);

  addRoute(
    '/growth',
    {
      operationId: 'listGrowth',
      summary: 'Posts that gained most, each beside what is typical at its age',
      description:
        'Ordered by what each gained since it was first seen; `at_age` compares it with posts of the same age.',
      query: z.strictObject({
        ...trendFilter,
        by: z.enum(GROWTH_ORDERS).default('engagement'),
        since: timeParam
          .optional()
          .describe('Of which a counter changed from here on; left out: in the last day.'),
        limit: limitParam,
      }),
      reply: defineFigures(GrownPost),
    },
    async ({ topic, search, by, since, limit }) => {
      await assertFilterExists(ctx.db, { topic, search });
      const from = since ?? new Date(ctx.clock.now().getTime() - DAY);
      return readDerived({ topic, search }, async () => {
        const rows = await readGrowth(ctx.db, { topic, search, since: from, order: by, limit });
        const ids = rows.map(({ post_id }) => post_id);
        const ages = await readLatestAges(ctx.db, ids, { topic, search });
        return rows.map((row) => ({ ...row, at_age: ages.get(row.post_id) ?? null }));
      });
    },
  );

  addRoute(
    '/gains',
    {
      operationId: 'listSearchGrowth',
      summary: 'What the posts of searches gained and lost per hour or day',
      description:
        'Sums over the posts that a search follows, per bucket, with the share of the time that was observed.',
      query: z.strictObject({
        ...trendFilter,
        per: z.enum(['hour', 'day']).default('day'),
        days: defineDays(92, 7),
      }),
      reply: defineFigures(SearchGrowth),
    },
    async ({ topic, search, per, days: back }) => {
      await assertFilterExists(ctx.db, { topic, search });
      const asked = { topic, search, per, ...countDaysBack(back), limit: MAX_BUCKETS };
      return readDerived({ topic, search }, () => readSearchGrowth(ctx.db, asked));
    },
  );

  addRoute(
    '/ages',
    {
      operationId: 'listPostsAtAge',
      summary: 'Posts at one age, those furthest above what is typical first',
      description:
        'Posts are compared at equal age, by observations before and after it; ratios are null where too few posts were observed.',
      query: z.strictObject({
        ...trendFilter,
        hours: z.coerce
          .number()
          .pipe(z.union([1, 3, 8, 24, 72].map((n) => z.literal(n))))
          .default(24)
          .meta({ description: 'The age: 1, 3, 8, 24 or 72 hours.', examples: [24] }),
        since: timeParam.optional().describe('That reached it from here on; left out: in the last 7 days.'),
        limit: limitParam,
      }),
      reply: defineFigures(PostAtAge),
    },
    async ({ topic, search, hours, since, limit }) => {
      await assertFilterExists(ctx.db, { topic, search });
      const from = since ?? new Date(ctx.clock.now().getTime() - 7 * DAY);
      return readDerived({ topic, search }, () =>
        readPostsAtAge(ctx.db, { topic, search, hours, since: from, limit }),
      );
    },
  );

  addRoute(
    '/typical',
    {
      operationId: 'listTypical',
      summary: 'What posts of searches typically have at each age',
      description:
        'Medians over the posts of a search at 1, 3, 8, 24 and 72 hours, with how many posts they are made of.',
      query: z.strictObject({ ...trendFilter, limit: limitParam }),
      reply: defineFigures(TypicalAtAge),
    },
    async (filter) => {
      await assertFilterExists(ctx.db, filter);
      return readDerived(filter, () => readTypicalAtAge(ctx.db, filter));
    },
  );
}
