/** Trends, volume with its coverage, spikes, and states. */
import { z } from 'zod';
import { DAY, HOUR } from '../../lib/time.ts';
import { SPIKE_MEASURES } from '../../model/closed-lists.ts';
import { TREND_STATES } from '../../model/enumerations.ts';
import { InvalidInput } from '../../model/errors.ts';
import { countParam, timeParam } from '../../model/value-shapes.ts';
import { readSpikeBriefs } from '../../store/queries/briefs.ts';
import { readSpikePage, readTrendStatePage } from '../../store/queries/trend-reports.ts';
import { BUCKETS, readBuckets } from '../../store/queries/volume.ts';
import { BY_ID, lastIdOf, scopeParams } from '../common-inputs.ts';
import { declareOperation } from '../operation.ts';
import { findScope, findSearches } from '../topics/find-by-slug.ts';
import { readTrends } from './search-trends.ts';
import { ABOUT_TRENDS, declareTrend, defineDays, MAX_BUCKETS, readDerived } from './trend-operation.ts';
import { ListedSpike, Trend, TrendState, Volume } from './trend-shapes.ts';

/** Longest range per bucket width, so that replies stay bounded. */
const MAX_DAYS = { quarter: 7, hour: 92, day: 1_100 } as const;
const BUCKET_MS = { quarter: HOUR / 4, hour: HOUR, day: DAY } as const;
const MAX_SEARCHES = 200;

const reported = {
  since: timeParam.optional().describe('Reported at or after this time.'),
  until: timeParam.optional().describe('Reported before this time.'),
};

export const VOLUME_OPERATIONS = [
  declareTrend(
    '',
    {
      id: 'getTrends',
      does: 'Get the trends of searches',
      more: 'For each search: posts in this period and the previous one, coverage, posts on a typical day, spikes, and states. A gap in coverage is not zero.',
      input: z.strictObject({
        ...scopeParams,
        days: defineDays(366, 7),
        bucket_hours: countParam(168, 24).describe('Length of a bucket, in hours.'),
      }),
      item: Trend,
    },
    async (ctx, { days, bucket_hours, ...named }) => {
      const scope = await findScope(ctx.db, named);
      const searches = await findSearches(ctx.db, scope);
      assertBucketLimit('days', days, searches.length * Math.ceil((days * 24) / bucket_hours));
      return readDerived(ctx, scope, async (underived) => {
        const asOf = new Map(underived.map(({ search_id, as_of }) => [search_id, as_of]));
        const trends = await readTrends(ctx, searches, { days, hoursEach: bucket_hours });
        return trends.map((trend) => ({ ...trend, as_of: asOf.get(trend.search_id) ?? null }));
      });
    },
  ),
  declareTrend(
    '/volume',
    {
      id: 'getVolume',
      does: 'Get the volume of searches',
      more: 'Posts per quarter of an hour, hour or day (UTC). Missing buckets were not observed; they are not zero. What removed searches found is included. At most 7 days of quarters, 92 days of hours, or 1,100 days.',
      input: z.strictObject({
        ...scopeParams,
        per: z.enum(BUCKETS).default('hour'),
        since: timeParam
          .optional()
          .describe('Default: 1 day for quarters, 7 days for hours, 30 days for days.'),
        until: timeParam.optional(),
      }),
      item: Volume,
    },
    async (ctx, { per, since, until = ctx.clock.now(), ...named }) => {
      const usual = { quarter: DAY, hour: 7 * DAY, day: 30 * DAY }[per];
      const from = since ?? new Date(Math.floor((until.getTime() - usual) / HOUR) * HOUR);
      const span = until.getTime() - from.getTime();
      if (span <= 0 || span > MAX_DAYS[per] * DAY)
        throw new InvalidInput([
          {
            path: 'since',
            given: from.toISOString(),
            expected: `a time before until, at most ${MAX_DAYS[per]} days before it`,
          },
        ]);
      const scope = await findScope(ctx.db, named);
      const searches = await findSearches(ctx.db, scope, { removed: true });
      if (searches.length > MAX_SEARCHES)
        throw new InvalidInput([
          {
            path: 'topic',
            given: named.topic,
            expected: `a topic with at most ${MAX_SEARCHES} searches, removed ones included, or one search`,
          },
        ]);
      assertBucketLimit('since', from.toISOString(), (searches.length * span) / BUCKET_MS[per]);
      const searchIds = searches.map(({ id }) => id);
      return readDerived(ctx, scope, async () => {
        const rows = await readBuckets(ctx.db, { searchIds, per, from, until, limit: MAX_BUCKETS });
        return searches.map(({ id, slug, topic: of, service_kind }) => ({
          search_id: id,
          search: slug,
          topic: of,
          service_kind,
          per,
          from,
          until,
          buckets: rows.flatMap(({ search_id, ...bucket }) => (search_id === id ? [bucket] : [])),
        }));
      });
    },
  ),
  declareOperation({
    ...ABOUT_TRENDS,
    id: 'listSpikes',
    route: 'GET /api/v1/trends/spikes',
    does: 'List spikes',
    more: 'Newest first, each with a sentence and the numbers it was detected with: `lower_bound`, `coverage`, `mean`, `sd`, `threshold`.',
    input: z.strictObject({
      ...scopeParams,
      measure: z.enum(SPIKE_MEASURES).optional(),
      ...reported,
    }),
    output: ListedSpike,
    list: BY_ID,
    run: async (call, filter) => {
      const { db, briefWriter } = call.ctx;
      const scope = await findScope(db, filter);
      const rows = await readSpikePage(db, {
        ...filter,
        ...scope,
        before: lastIdOf(call),
        limit: call.page.limit,
      });
      const ids = briefWriter === null ? [] : rows.map(({ id }) => id);
      const briefs = await readSpikeBriefs(db, ids);
      return rows.map((row) => ({ ...row, brief: briefs.get(row.id) ?? null }));
    },
  }),
  declareOperation({
    ...ABOUT_TRENDS,
    id: 'listTrendStates',
    route: 'GET /api/v1/trends/states',
    does: 'List states of searches',
    more: 'Newest first: when a search began to rise, to fall, to be silent, or to stay at a new level, and when it was back to normal. Each with a sentence and the numbers of the decision.',
    input: z.strictObject({
      ...scopeParams,
      state: z.enum(TREND_STATES).optional(),
      ...reported,
    }),
    output: TrendState,
    list: BY_ID,
    run: async (call, filter) => {
      const { db } = call.ctx;
      const scope = await findScope(db, filter);
      return readTrendStatePage(db, { ...filter, ...scope, before: lastIdOf(call), limit: call.page.limit });
    },
  }),
];

/** @throws InvalidInput if a list would have too many buckets */
function assertBucketLimit(path: string, value: unknown, buckets: number): void {
  if (buckets <= MAX_BUCKETS) return;
  const expected = `at most ${MAX_BUCKETS} buckets, not ${Math.ceil(buckets)}: name a topic or search, or use a shorter range or wider buckets`;
  throw new InvalidInput([{ path, given: value, expected }]);
}
