/** Trends, volume with its coverage, spikes, and states. */
import { z } from 'zod';
import { DAY, HOUR } from '../lib/time.ts';
import { InvalidInput } from '../model/errors.ts';
import { findScope, findSearches } from '../monitor/topics/find-by-slug.ts';
import { readTrends } from '../monitor/trends/search-trends.ts';
import { readSpikePage, readTrendStatePage } from '../store/queries/trend-reports.ts';
import { BUCKETS, readBuckets } from '../store/queries/volume.ts';
import { SPIKE_MEASURES } from '../model/closed-lists.ts';
import { TREND_STATES } from '../model/enumerations.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { Spike, Trend, TrendState, Volume } from './reply-shapes.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { countParam, timeParam } from '../model/value-shapes.ts';
import { createTrendRoutes, defineDays, defineFigures, MAX_BUCKETS } from './trend-operation.ts';

const spikeCursor = createIdCursor('spikes');
const stateCursor = createIdCursor('trend_states');

/** Longest range per bucket width, so that replies stay bounded. */
const MAX_DAYS = { quarter: 7, hour: 92, day: 1_100 } as const;
const BUCKET_MS = { quarter: HOUR / 4, hour: HOUR, day: DAY } as const;
const MAX_SEARCHES = 200;

export function volumeRoutes(app: App, home: RouteContext): void {
  const { ctx } = home;
  const { addRoute, readDerived } = createTrendRoutes(app, home);

  addRoute(
    '',
    {
      operationId: 'getTrends',
      summary: 'Get the trends of searches',
      description:
        'For each search: posts in this period and the previous one, coverage, posts on a typical day, spikes, and states. A gap in coverage is not zero.',
      query: z.strictObject({
        ...scopeParams,
        days: defineDays(366, 7),
        bucket_hours: countParam(168, 24).describe('Length of a bucket, in hours.'),
      }),
      reply: defineFigures(Trend),
    },
    async ({ days: back, bucket_hours, ...scopeInput }) => {
      const scope = await findScope(ctx.db, scopeInput);
      const searches = await findSearches(ctx.db, scope);
      assertBucketLimit('days', back, searches.length * Math.ceil((back * 24) / bucket_hours));
      return readDerived(scope, () => readTrends(ctx, searches, { days: back, hoursEach: bucket_hours }));
    },
  );

  addRoute(
    '/volume',
    {
      operationId: 'getVolume',
      summary: 'Get the volume of searches',
      description:
        'Posts per quarter of an hour, hour or day (UTC). Missing buckets were not observed; they are not zero. What removed searches found is included. At most 7 days of quarters, 92 days of hours, or 1,100 days.',
      query: z.strictObject({
        ...scopeParams,
        per: z.enum(BUCKETS).default('hour'),
        since: timeParam
          .optional()
          .describe('Default: 1 day for quarters, 7 days for hours, 30 days for days.'),
        until: timeParam.optional(),
      }),
      reply: defineFigures(Volume),
    },
    async ({ per, since, until = ctx.clock.now(), ...scopeInput }) => {
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
      const scope = await findScope(ctx.db, scopeInput);
      const searches = await findSearches(ctx.db, scope, { removed: true });
      if (searches.length > MAX_SEARCHES)
        throw new InvalidInput([
          {
            path: 'topic',
            given: scopeInput.topic,
            expected: `a topic with at most ${MAX_SEARCHES} searches, removed ones included, or one search`,
          },
        ]);
      assertBucketLimit('since', from.toISOString(), (searches.length * span) / BUCKET_MS[per]);
      const searchIds = searches.map(({ id }) => id);
      return readDerived(scope, async () => {
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
  );

  addRoute(
    '/spikes',
    {
      operationId: 'listSpikes',
      summary: 'List spikes',
      description:
        'Newest first, each with a sentence and the numbers it was detected with: `lower_bound`, `coverage`, `mean`, `sd`, `threshold`.',
      query: defineListQuery(spikeCursor, {
        ...scopeParams,
        measure: z.enum(SPIKE_MEASURES).optional(),
        since: timeParam.optional().describe('Reported at or after this time.'),
        until: timeParam.optional().describe('Reported before this time.'),
      }),
      reply: defineListReply(Spike),
    },
    async (query) => {
      const { limit, after, filter, reply } = spikeCursor.pageOf(query);
      const scope = await findScope(ctx.db, filter);
      const rows = await readSpikePage(ctx.db, { ...filter, ...scope, before: after?.[0], limit });
      return reply(rows, ({ id }) => [id]);
    },
  );

  addRoute(
    '/states',
    {
      operationId: 'listTrendStates',
      summary: 'List states of searches',
      description:
        'Newest first: when a search began to rise, to fall, to be silent, or to stay at a new level, and when it was back to normal. Each with a sentence and the numbers of the decision.',
      query: defineListQuery(stateCursor, {
        ...scopeParams,
        state: z.enum(TREND_STATES).optional(),
        since: timeParam.optional().describe('Reported at or after this time.'),
        until: timeParam.optional().describe('Reported before this time.'),
      }),
      reply: defineListReply(TrendState),
    },
    async (query) => {
      const { limit, after, filter, reply } = stateCursor.pageOf(query);
      const scope = await findScope(ctx.db, filter);
      const rows = await readTrendStatePage(ctx.db, { ...filter, ...scope, before: after?.[0], limit });
      return reply(rows, ({ id }) => [id]);
    },
  );
}

/** @throws InvalidInput if a list would have too many buckets */
function assertBucketLimit(path: string, value: unknown, buckets: number): void {
  if (buckets <= MAX_BUCKETS) return;
  const expected = `at most ${MAX_BUCKETS} buckets, not ${Math.ceil(buckets)}: name a topic or search, or use a shorter range or wider buckets`;
  throw new InvalidInput([{ path, given: value, expected }]);
}
