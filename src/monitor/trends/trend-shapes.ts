/** Replies of operations on trends: rows of the SQL contract's views, and what is computed from them. */
import { z } from 'zod';
import { SEARCH_STATES, SENSITIVITIES, SERVICE_KINDS } from '../../model/closed-lists.ts';
import { OPERATIONS } from '../../model/enumerations.ts';
import { Brief, idShape, timeShape } from '../../model/value-shapes.ts';
import { defineRow, defineRowWith } from '../../store/db/row-shapes.ts';
import { BUCKETS } from '../../store/queries/volume.ts';

export const TypicalAtAge = defineRow('TypicalAtAge', 'typical_at_age');
export const Spike = defineRow('Spike', 'spikes');
/** A spike in a list, with its brief. */
export const ListedSpike = defineRowWith('ListedSpike', 'spikes', {
  brief: Brief.nullable().describe(
    'What a language model wrote about its posts, each sentence with its sources; null if nothing was written.',
  ),
});
export const TrendState = defineRow('TrendState', 'trend_states');
export const RisingPost = defineRow('RisingPost', 'rising_posts');
export const RisingHashtag = defineRow('RisingHashtag', 'rising_hashtags');
export const RisingDomain = defineRow('RisingDomain', 'rising_domains');
export const SearchGrowth = defineRow('SearchGrowth', 'search_growth_daily');
const VoiceDay = defineRow('VoiceDay', 'share_of_voice');
/** A time bucket, as in `volume_hourly` and `volume_daily`. */
const bucketMembers = {
  bucket_at: timeShape.describe('Start of the bucket (UTC).'),
  posts: z
    .int()
    .describe(
      'Posts counted, by time of publication; without one, or with a later one, by the first sighting.',
    ),
  coverage: z.number().describe('Share of the bucket that was observed, 0 to 1. A gap is not zero.'),
  lower_bound: z.boolean().describe('A response reached its limit: there may have been more posts.'),
  observed_posts: z
    .int()
    .describe('Of `posts`, those of the observed time. Divided by `coverage`: the rate per bucket.'),
};
const Bucket = z.object(bucketMembers).meta({ id: 'Bucket' });
const TopicBucket = z
  .object({
    ...bucketMembers,
    topic_posts: z
      .int()
      .describe(
        'Of `posts`, those that no other search of the topic found earlier: the sum over the searches of a topic counts each post once.',
      ),
  })
  .meta({ id: 'TopicBucket' });

const serviceKindShape = z.enum(SERVICE_KINDS);
const searchIdentity = { search_id: idShape, search: z.string(), topic: z.string() };
const timeRange = { from: timeShape, until: timeShape };

export const Trend = z
  .object({
    ...searchIdentity,
    operation: z.enum(OPERATIONS),
    state: z.enum(SEARCH_STATES),
    sensitivity: z.enum(SENSITIVITIES),
    created_at: timeShape,
    ...timeRange,
    posts: z.int().describe('Posts counted from `from` to `until`.'),
    coverage: z.number().describe('Share of that time that was observed, 0 to 1.'),
    lower_bound: z.boolean(),
    usual_per_day: z
      .number()
      .nullable()
      .describe(
        'Posts on a typical day (median of 14), scaled up by coverage; null if too little was observed.',
      ),
    ratio: z
      .number()
      .nullable()
      .describe('Posts relative to the previous period; null if coverage is too low to compare.'),
    previous: Bucket.describe('The previous period of the same length.'),
    observed_hours: z
      .number()
      .describe(
        'Hours of the last 14 days that were observed at least in part, in steps of the interval if it is longer.',
      ),
    learning: z.boolean().describe('Too little was observed to detect spikes.'),
    provisional: z.boolean().describe('Little was observed: only clear spikes are reported.'),
    bucket_seconds: z.int(),
    buckets: z.array(Bucket),
    spikes: z.array(Spike),
    states: z
      .array(TrendState)
      .describe('Changes of its state in this period, and a state other than normal that goes on.'),
    as_of: timeShape
      .nullable()
      .describe('When the oldest response that its figures do not yet include was received; null: none.'),
  })
  .meta({ id: 'Trend' });

export const Volume = z
  .object({
    ...searchIdentity,
    service_kind: serviceKindShape,
    per: z.enum(BUCKETS),
    ...timeRange,
    buckets: z.array(TopicBucket).describe('Oldest first.'),
  })
  .meta({ id: 'Volume' });

export const GrownPost = defineRowWith('GrownPost', 'post_growth', {
  at_age: z
    .object({
      post_id: idShape,
      search: z.string(),
      hours: z.int(),
      engagement: z.number().nullable(),
      typical_engagement: z.number().nullable(),
      engagement_ratio: z.number().nullable(),
      compared_with: z.int(),
    })
    .nullable()
    .describe('The latest age at which the post was observed, compared with what is typical.'),
});

const topMembers = { service_kind: serviceKindShape, posts: z.int() };
export const Top = {
  authors: z
    .object({
      ...topMembers,
      author_id: idShape,
      author_username: z.string().nullable(),
      followers_count: z.number().nullable(),
    })
    .meta({ id: 'TopAuthor' }),
  domains: z.object({ ...topMembers, domain: z.string(), links: z.int() }).meta({ id: 'TopDomain' }),
  hashtags: z.object({ ...topMembers, hashtag: z.string() }).meta({ id: 'TopHashtag' }),
  languages: z.object({ ...topMembers, lang: z.string() }).meta({ id: 'TopLanguage' }),
} as const;

export const Voice = z
  .object({
    topic: z.string(),
    service_kind: serviceKindShape,
    ...timeRange,
    posts: z.int(),
    days: z.int().describe('Days with any observation.'),
    normalised_per_day: z
      .number()
      .nullable()
      .describe('Posts per day, scaled up by coverage, over days of which at least half was observed.'),
    normalised_days: z.int(),
    share: z
      .number()
      .nullable()
      .describe('Share among the requested topics with the same kind of service, 0 to 1.'),
    lower_bound: z.boolean(),
    buckets: z.array(VoiceDay),
  })
  .meta({ id: 'Voice' });
