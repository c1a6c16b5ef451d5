/** Replies about trends that are no row of one view. */
import { z } from 'zod';
import { OPERATIONS } from '../../../contract/enumerations.ts';
import { BUCKETS } from '../../../store/reads/volume.ts';
import { SEARCH_STATES, SENSITIVITIES } from '../../../store/schema/analytics/topics.ts';
import { SERVICE_KINDS } from '../../../store/services.ts';
import { idShape, timeShape } from '../../../store/shapes.ts';
import { Bucket, Spike, VoiceDay } from '../findings.ts';
import { rowWith } from '../shapes.ts';

const serviceKind = z.enum(SERVICE_KINDS);
const search = { search_id: idShape, search: z.string(), topic: z.string() };
const stretch = { from: timeShape, until: timeShape };

export const Trend = z
  .object({
    ...search,
    operation: z.enum(OPERATIONS),
    state: z.enum(SEARCH_STATES),
    sensitivity: z.enum(SENSITIVITIES),
    created_at: timeShape,
    ...stretch,
    posts: z.int().describe('As counted in that time.'),
    coverage: z.number().describe('Share of it that was observed, 0 to 1.'),
    lower_bound: z.boolean(),
    usual_per_day: z
      .number()
      .nullable()
      .describe("A usual day's posts, scaled up by coverage; null where too little was observed."),
    ratio: z
      .number()
      .nullable()
      .describe('Times as many as in the time before; null where coverage does not allow to say.'),
    previous: Bucket.describe('The time before, as long.'),
    observed_hours: z.number().describe('Of the last fourteen days.'),
    learning: z.boolean().describe('Too little was observed to tell any spike.'),
    provisional: z.boolean().describe('Only what is beyond doubt is told.'),
    bucket_seconds: z.int(),
    buckets: z.array(Bucket),
    spikes: z.array(Spike),
  })
  .meta({ id: 'Trend' });

export const VolumeOf = z
  .object({
    ...search,
    service_kind: serviceKind,
    per: z.enum(BUCKETS),
    ...stretch,
    buckets: z.array(Bucket).describe('Oldest first.'),
  })
  .meta({ id: 'Volume' });

export const Grown = rowWith('GrownPost', 'post_growth', {
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
    .describe('At the latest age at which it was observed, beside what is typical.'),
});

const top = { service_kind: serviceKind, posts: z.int() };
export const Top = {
  authors: z
    .object({
      ...top,
      author_id: idShape,
      author_username: z.string().nullable(),
      followers_count: z.number().nullable(),
    })
    .meta({ id: 'TopAuthor' }),
  domains: z.object({ ...top, domain: z.string(), links: z.int() }).meta({ id: 'TopDomain' }),
  hashtags: z.object({ ...top, hashtag: z.string() }).meta({ id: 'TopHashtag' }),
  languages: z.object({ ...top, lang: z.string() }).meta({ id: 'TopLanguage' }),
} as const;

export const Voice = z
  .object({
    topic: z.string(),
    service_kind: serviceKind,
    ...stretch,
    posts: z.int(),
    days: z.int().describe('Days on which anything was observed.'),
    normalised_per_day: z.number().nullable().describe('Of the days of which at least half was observed.'),
    normalised_days: z.int(),
    share: z
      .number()
      .nullable()
      .describe('Among the topics that are asked for, of the same kind of service, 0 to 1.'),
    lower_bound: z.boolean(),
    buckets: z.array(VoiceDay),
  })
  .meta({ id: 'Voice' });
