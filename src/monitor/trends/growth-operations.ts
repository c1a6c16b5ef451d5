/** Growth: gains of posts and searches, and what is typical at each age. */
import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import { AGES, GROWTH_ORDERS } from '../../model/counters.ts';
import { timeParam } from '../../model/value-shapes.ts';
import { readLatestAges, readPostsAtAge, readTypicalAtAge } from '../../store/queries/counters-at-age.ts';
import { readGrowth, readSearchGrowth } from '../../store/queries/growth.ts';
import { limitParam, scopeParams } from '../common-inputs.ts';
import { PostAtAge } from '../items/item-shapes.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { countDaysBack, declareTrend, defineDays, MAX_BUCKETS, readDerived } from './trend-operation.ts';
import { GrownPost, SearchGrowth, TypicalAtAge } from './trend-shapes.ts';

export const GROWTH_OPERATIONS = [
  declareTrend(
    '/growth',
    {
      id: 'listGrowth',
      does: 'List the posts that gained most',
      more: 'Ordered by gains since each was first seen. `at_age` compares a post with others of the same age.',
      input: z.strictObject({
        ...scopeParams,
        by: z.enum(GROWTH_ORDERS).default('engagement'),
        since: timeParam
          .optional()
          .describe('Only posts with a counter change at or after this time. Default: the last day.'),
        limit: limitParam,
      }),
      item: GrownPost,
    },
    async (ctx, { by, since, limit, ...named }) => {
      const scope = await findScope(ctx.db, named);
      const from = since ?? new Date(ctx.clock.now().getTime() - DAY);
      return readDerived(ctx, scope, async () => {
        const rows = await readGrowth(ctx.db, { ...scope, since: from, order: by, limit });
        const ids = rows.map(({ post_id }) => post_id);
        const ages = await readLatestAges(ctx.db, ids, scope);
        return rows.map((row) => ({ ...row, at_age: ages.get(row.post_id) ?? null }));
      });
    },
  ),
  declareTrend(
    '/gains',
    {
      id: 'listSearchGrowth',
      does: 'List the engagement gains of searches',
      more: 'Gains and losses of the posts of a search per hour or day, with coverage.',
      input: z.strictObject({
        ...scopeParams,
        per: z.enum(['hour', 'day']).default('day'),
        days: defineDays(92, 7),
      }),
      item: SearchGrowth,
    },
    async (ctx, { per, days, ...named }) => {
      const scope = await findScope(ctx.db, named);
      const filter = { ...scope, per, ...countDaysBack(ctx, days), limit: MAX_BUCKETS };
      return readDerived(ctx, scope, () => readSearchGrowth(ctx.db, filter));
    },
  ),
  declareTrend(
    '/ages',
    {
      id: 'listPostsAtAge',
      does: 'List posts at one age',
      more: 'Furthest above typical first. Counters at the age are interpolated between observations; ratios are null if too few posts were observed.',
      input: z.strictObject({
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
      item: PostAtAge,
    },
    async (ctx, { hours, since, limit, ...named }) => {
      const scope = await findScope(ctx.db, named);
      const from = since ?? new Date(ctx.clock.now().getTime() - 7 * DAY);
      return readDerived(ctx, scope, () => readPostsAtAge(ctx.db, { ...scope, hours, since: from, limit }));
    },
  ),
  declareTrend(
    '/typical',
    {
      id: 'listTypical',
      does: 'List typical counters by age',
      more: 'Medians over the posts of a search at 1, 3, 8, 24 and 72 hours, with the number of posts.',
      input: z.strictObject({ ...scopeParams, limit: limitParam }),
      item: TypicalAtAge,
    },
    async (ctx, { limit, ...named }) => {
      const scope = await findScope(ctx.db, named);
      return readDerived(ctx, scope, () => readTypicalAtAge(ctx.db, { ...scope, limit }));
    },
  ),
];
