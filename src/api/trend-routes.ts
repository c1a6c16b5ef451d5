/** Trends: volume with what was observed of it, spikes with what they were decided on, growth, and who is on top. */
import { z } from 'zod';
import { DAY, HOUR } from '../platform/clock.ts';
import { InvalidInput } from '../domain/errors.ts';
import { assertFilterExists, findSearches } from '../monitor/topics/find-by-slug.ts';
import { readTrends } from '../monitor/trends/search-trends.ts';
import { readShareOfVoice } from '../monitor/trends/read-share-of-voice.ts';
import { findOldest, readDerivedUntil } from '../store/derive/pending-derivations.ts';
import { readLatestAges } from '../store/queries/post-ages.ts';
import {
  GROWTH_ORDERS,
  readGrowth,
  readPostsAtAge,
  readSearchGrowth,
  readTypicalAtAge,
} from '../store/queries/growth.ts';
import { readRisingDomains, readRisingHashtags, readRisingPosts } from '../store/queries/rising.ts';
import { readTopAuthors, readTopDomains, readTopHashtags, readTopLanguages } from '../store/queries/tops.ts';
import { BUCKETS, readBuckets, readSpikePage } from '../store/queries/volume.ts';
import { timeShape } from '../store/row-shapes.ts';
import { SPIKE_MEASURES } from '../store/schema/analytics/trend-views.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createIdCursor, defineListQuery, defineListReply, limitParam } from './pagination.ts';
import {
  GrownPost,
  PostAtAge,
  RisingDomain,
  RisingHashtag,
  RisingPost,
  SearchGrowth,
  Spike,
  Top,
  Trend,
  TypicalAtAge,
  Voice,
  Volume,
} from './reply-shapes.ts';
import { timeParam, searchSlug, topicSlug } from './request-shapes.ts';

const tags = ['trends'];
const searchFilter = { topic: topicSlug.optional(), search: searchSlug.optional() };
const defineDays = (most: number, usual: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .meta({ description: 'How many days back.', examples: [usual] });
const cursor = createIdCursor('spikes');

/** Longer stretches are asked in wider buckets: what is answered at once is bounded. */
const MAX_DAYS = { quarter: 7, hour: 92, day: 1_100 } as const;
const BUCKET_MS = { quarter: HOUR / 4, hour: HOUR, day: DAY } as const;
const MAX_SEARCHES = 100;
/** What is answered at once is written in one piece, which holds up whatever else this process does. */
const MAX_BUCKETS = 20_000;
const MAX_TOPICS = 10;

/** @throws InvalidInput where a list of buckets would be longer than one may be */
function assertBucketLimit(path: string, given: unknown, buckets: number): void {
  if (buckets <= MAX_BUCKETS) return;
  const expected = `fewer than these ${Math.ceil(buckets)} buckets: at most ${MAX_BUCKETS}, by a topic, a search, a shorter time or wider buckets`;
  throw new InvalidInput([{ path, given, expected }]);
}

export function trendRoutes(app: App, { ctx }: RouteContext): void {
  const get = <Q extends z.ZodObject, R>(
    path: string,
    operation: {
      operationId: string;
      summary: string;
      description: string;
      query: Q;
      reply: z.core.$ZodType;
    },
    answer: (query: z.output<Q>) => Promise<R>,
  ) => {
    const { query, reply, ...told } = operation;
    app.get(
      `/api/v1/trends${path}`,
      {
        config: { scope: 'read' },
        schema: { ...told, tags, querystring: query, response: { 200: reply } },
      },
      ({ query: given }) => answer(given as z.output<Q>), // what this query reads
    );
  };
  const itemsOf = (item: z.core.$ZodType) =>
    z.object({
      items: z.array(item),
      as_of: timeShape
        .nullable()
        .describe(
          'When the oldest response was received that these figures do not contain yet; null: they contain all. They are derived a few seconds behind the runs.',
        ),
    });
  /** Read before the figures: they contain at least what was received before. */
  const derived = async <R>(
    of: { topic?: string | readonly string[] | undefined; search?: string | undefined },
    read: () => Promise<R>,
  ) => {
    const as_of = findOldest(await readDerivedUntil(ctx.db, of));
    return { items: await read(), as_of };
  };
  const daysBack = (n: number) => {
    const until = new Date(Math.ceil(ctx.clock.now().getTime() / DAY) * DAY);
    return { from: new Date(until.getTime() - n * DAY), until };
  };

  get(
    '',
    {
      operationId: 'getTrends',
      summary: 'How searches go: posts, how many are usual, and their spikes',
      description:
        'For each search: posts in the time and the time before, coverage, the usual day, and its spikes. A gap in coverage is not zero.',
      query: z.strictObject({
        ...searchFilter,
        days: defineDays(366, 7),
        bucket_hours: z.coerce.number().int().min(1).max(168).default(24).describe('How long a bucket is.'),
      }),
      reply: itemsOf(Trend),
    },
    async ({ topic, search, days: back, bucket_hours }) => {
      const searches = await findSearches(ctx.db, { topic, search });
      assertBucketLimit('days', back, searches.length * Math.ceil((back * 24) / bucket_hours));
      return derived({ topic, search }, () =>
        readTrends(ctx, searches, { days: back, hoursEach: bucket_hours }),
      );
    },
  );

  get(
    '/volume',
    {
      operationId: 'getVolume',
      summary: 'Posts of searches per quarter of an hour, hour or day (UTC)',
      description:
        'A bucket that is not there was not observed, which is not zero. At most 7 days of quarters, 92 of hours, 1,100 of days.',
      query: z.strictObject({
        ...searchFilter,
        per: z.enum(BUCKETS).default('hour'),
        since: timeParam.optional().describe('Left out: 1 day of quarters, 7 of hours, 30 of days.'),
        until: timeParam.optional(),
      }),
      reply: itemsOf(Volume),
    },
    async ({ topic, search, per, since, until = ctx.clock.now() }) => {
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
      const searches = await findSearches(ctx.db, { topic, search });
      if (searches.length > MAX_SEARCHES)
        throw new InvalidInput([
          { path: 'topic', given: topic, expected: `a topic or search: ${MAX_SEARCHES} searches at most` },
        ]);
      assertBucketLimit('since', from.toISOString(), (searches.length * span) / BUCKET_MS[per]);
      const searchIds = searches.map(({ id }) => id);
      return derived({ topic, search }, async () => {
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

  get(
    '/spikes',
    {
      operationId: 'listSpikes',
      summary: 'Spikes, the newest first: a sentence each, and everything it was decided on',
      description:
        '`lower_bound`, `coverage`, `mean`, `sd` and `threshold` are the numbers that the decision was made on.',
      query: defineListQuery(cursor, {
        ...searchFilter,
        measure: z.enum(SPIKE_MEASURES).optional(),
        since: timeParam.optional().describe('Told from here on.'),
        until: timeParam.optional().describe('Told before this.'),
      }),
      reply: defineListReply(Spike),
    },
    async (query) => {
      const { limit, after, filter, reply } = cursor.pageOf(query);
      await assertFilterExists(ctx.db, filter);
      const rows = await readSpikePage(ctx.db, { ...filter, before: after?.[0], limit: limit + 1 });
      return reply(rows, ({ id }) => [id]);
    },
  );

  get(
    '/growth',
    {
      operationId: 'listGrowth',
      summary: 'Posts that gained most, each beside what is typical at its age',
      description:
        'Ordered by what each gained since it was first seen; `at_age` compares it with posts of the same age.',
      query: z.strictObject({
        ...searchFilter,
        by: z.enum(GROWTH_ORDERS).default('engagement'),
        since: timeParam
          .optional()
          .describe('Of which a counter changed from here on; left out: in the last day.'),
        limit: limitParam,
      }),
      reply: itemsOf(GrownPost),
    },
    async ({ topic, search, by, since, limit }) => {
      await assertFilterExists(ctx.db, { topic, search });
      const from = since ?? new Date(ctx.clock.now().getTime() - DAY);
      return derived({ topic, search }, async () => {
        const rows = await readGrowth(ctx.db, { topic, search, since: from, order: by, limit });
        const ids = rows.map(({ post_id }) => post_id);
        const ages = await readLatestAges(ctx.db, ids, { topic, search });
        return rows.map((row) => ({ ...row, at_age: ages.get(row.post_id) ?? null }));
      });
    },
  );

  get(
    '/gains',
    {
      operationId: 'listSearchGrowth',
      summary: 'What the posts of searches gained and lost per hour or day',
      description:
        'Sums over the posts that a search follows, per bucket, with the share of the time that was observed.',
      query: z.strictObject({
        ...searchFilter,
        per: z.enum(['hour', 'day']).default('day'),
        days: defineDays(92, 7),
      }),
      reply: itemsOf(SearchGrowth),
    },
    async ({ topic, search, per, days: back }) => {
      await assertFilterExists(ctx.db, { topic, search });
      const asked = { topic, search, per, ...daysBack(back), limit: MAX_BUCKETS };
      return derived({ topic, search }, () => readSearchGrowth(ctx.db, asked));
    },
  );

  get(
    '/ages',
    {
      operationId: 'listPostsAtAge',
      summary: 'Posts at one age, those furthest above what is typical first',
      description:
        'Posts are compared at equal age, by observations before and after it; ratios are null where too few posts were observed.',
      query: z.strictObject({
        ...searchFilter,
        hours: z.coerce
          .number()
          .pipe(z.union([1, 3, 8, 24, 72].map((n) => z.literal(n))))
          .default(24)
          .meta({ description: 'The age: 1, 3, 8, 24 or 72 hours.', examples: [24] }),
        since: timeParam.optional().describe('That reached it from here on; left out: in the last 7 days.'),
        limit: limitParam,
      }),
      reply: itemsOf(PostAtAge),
    },
    async ({ topic, search, hours, since, limit }) => {
      await assertFilterExists(ctx.db, { topic, search });
      const from = since ?? new Date(ctx.clock.now().getTime() - 7 * DAY);
      return derived({ topic, search }, () =>
        readPostsAtAge(ctx.db, { topic, search, hours, since: from, limit }),
      );
    },
  );

  get(
    '/typical',
    {
      operationId: 'listTypical',
      summary: 'What posts of searches typically have at each age',
      description:
        'Medians over the posts of a search at 1, 3, 8, 24 and 72 hours, with how many posts they are made of.',
      query: z.strictObject({ ...searchFilter, limit: limitParam }),
      reply: itemsOf(TypicalAtAge),
    },
    async (filter) => {
      await assertFilterExists(ctx.db, filter);
      return derived(filter, () => readTypicalAtAge(ctx.db, filter));
    },
  );

  const rising = z.strictObject({
    ...searchFilter,
    since: timeParam.optional().describe('Of searches whose newest answer came from here on.'),
    limit: limitParam,
  });
  const risers = [
    [
      'posts',
      'listRisingPosts',
      'Posts that gain most beyond what is typical at their age',
      'Gains per hour over the newest observations, beside what is typical for posts of that age in the same search.',
      RisingPost,
      readRisingPosts,
    ],
    [
      'hashtags',
      'listRisingHashtags',
      'Hashtags that rise, the least by chance first',
      'Posts per observed day now against before; `score` says how unlikely the difference is by chance.',
      RisingHashtag,
      readRisingHashtags,
    ],
    [
      'domains',
      'listRisingDomains',
      'Domains that rise, the least by chance first',
      'Posts and links per observed day now against before; `score` says how unlikely the difference is by chance.',
      RisingDomain,
      readRisingDomains,
    ],
  ] as const;
  for (const [what, operationId, summary, description, item, read] of risers)
    get(
      `/rising/${what}`,
      { operationId, summary, description, query: rising, reply: itemsOf(item) },
      async (filter) => {
        await assertFilterExists(ctx.db, filter);
        return derived<unknown>(filter, () => read(ctx.db, filter));
      },
    );

  const tops = z.strictObject({ ...searchFilter, days: defineDays(366, 7), limit: limitParam });
  const toppers = [
    [
      'authors',
      'listTopAuthors',
      'Authors with most posts',
      'Counted over whole UTC days, real and simulated services apart.',
      readTopAuthors,
    ],
    [
      'domains',
      'listTopDomains',
      'Domains that most posts and links lead to',
      'Counted over whole UTC days, real and simulated services apart.',
      readTopDomains,
    ],
    [
      'hashtags',
      'listTopHashtags',
      'Hashtags of most posts',
      'Counted over whole UTC days, real and simulated services apart; each hashtag once per post.',
      readTopHashtags,
    ],
    [
      'languages',
      'listTopLanguages',
      'Languages of most posts',
      'Counted over whole UTC days, real and simulated services apart; the language is the one that a post states.',
      readTopLanguages,
    ],
  ] as const;
  for (const [what, operationId, summary, description, read] of toppers)
    get(
      `/tops/${what}`,
      { operationId, summary, description, query: tops, reply: itemsOf(Top[what]) },
      async ({ topic, search, days: back, limit }) => {
        await assertFilterExists(ctx.db, { topic, search });
        return derived<unknown>({ topic, search }, () =>
          read(ctx.db, { topic, search, ...daysBack(back), limit }),
        );
      },
    );

  get(
    '/voices',
    {
      operationId: 'compareTopics',
      summary: 'Share of voice: topics beside each other, each by what was observed of it',
      description:
        'Shares are of posts per observed time, so that a topic that was observed less is not smaller for it; null where too little was observed.',
      query: z.strictObject({
        topics: z
          .string()
          .max(1_000)
          .transform((given) => [...new Set(given.split(',').map((one) => one.trim()))])
          .pipe(z.array(topicSlug).min(1).max(MAX_TOPICS))
          .meta({ description: 'Slugs with commas between them.', examples: ['harbour-ferry'] }),
        days: defineDays(366, 7),
      }),
      reply: itemsOf(Voice),
    },
    async ({ topics, days: back }) => {
      for (const topic of topics) await assertFilterExists(ctx.db, { topic });
      return derived({ topic: topics }, () => readShareOfVoice(ctx, topics, back));
    },
  );
}
