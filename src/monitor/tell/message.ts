/**
 * What a message says, as its receiver reads it: compose.ts makes it, and the document of the API describes it under
 * `webhooks`. Members are only ever added.
 */
import { z } from 'zod';
import { RULE_KINDS } from '../../store/schema/analytics/tell.ts';
import { SENSITIVITIES } from '../../store/schema/analytics/topics.ts';
import { SPIKE_MEASURES } from '../../store/schema/analytics/volume.ts';

/** Longest text of a post in a message, in UTF-16 code units; the whole stands in the database. */
export const TEXT_MAX = 2_000;
/** Discoveries that a message holds whole; of more it has the ids. */
export const WHOLE_MAX = 100;

const time = z.string().meta({ format: 'date-time' });
const count = z.number().nullable().describe('Null where the service did not say.');
const shortened = z.string().max(TEXT_MAX);

const Post = z.object({
  id: z.string(),
  external_id: z.string().describe('Its id at the service.'),
  url: z.string().nullable(),
  author_username: z.string().nullable(),
  text: shortened.describe('A longer text ends with an ellipsis.'),
  lang: z.string().nullable(),
  hashtags: z.array(z.string()),
  created_at: time.nullable(),
  like_count: count,
  repost_count: count,
  reply_count: count,
  quote_count: count,
  view_count: count,
});

const Link = z.object({
  id: z.string(),
  url: z.string(),
  site: z.string(),
  title: shortened.nullable(),
  snippet: shortened.nullable(),
  published_at: time.nullable(),
});

const Spike = z
  .object({
    id: z.string(),
    measure: z.enum(SPIKE_MEASURES),
    sentence: z.string(),
    window_start: time,
    window_end: time,
    n: z.number(),
    lower_bound: z.boolean(),
    coverage: z.number(),
    usual: z.number(),
    mean: z.number(),
    sd: z.number(),
    score: z.number(),
    threshold: z.number(),
    days: z.int(),
    windows: z.int(),
    sensitivity: z.enum(SENSITIVITIES),
    provisional: z.boolean(),
  })
  .describe('Units as in the view spikes of the SQL contract.');

const common = {
  id: z.string().describe('Id of the discovery, in the order of the feed.'),
  at: time.describe('When it was found.'),
  run_id: z.string(),
  topic: z.string().describe('Slug.'),
  search: z.string().describe('Slug.'),
  simulated: z.boolean().describe('Whether the sandbox made it up.'),
};
const [post, link, spike] = RULE_KINDS;
const Discovery = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal(post), post: Post }),
  z.object({ ...common, kind: z.literal(link), link: Link }),
  z.object({ ...common, kind: z.literal(spike), spike: Spike }),
]);
export type MessageDiscovery = z.infer<typeof Discovery>;

export const DiscoveriesMessage = z
  .object({
    type: z.literal('strandline.discoveries'),
    timestamp: time.describe('When the message was composed.'),
    data: z.object({
      rule: z.string().describe('Slug of the rule.'),
      rule_name: z.string(),
      topic: z.string().nullable().describe('Slug of the topic; null where there are several.'),
      search: z.string().nullable().describe('Slug of the search; null where there are several.'),
      run_id: z.string().nullable().describe('The run that found it; null where there are several.'),
      link: z.string().nullable().describe('Where the dashboard shows it; null without BASE_URL.'),
      total: z.int().describe('Number of discoveries, those of further_ids included.'),
      discoveries: z.array(Discovery).max(WHOLE_MAX),
      further_ids: z.array(z.string()).describe(`Ids of discoveries beyond the first ${WHOLE_MAX}.`),
    }),
  })
  .meta({ id: 'DiscoveriesMessage' });

export const TestMessage = z
  .object({
    type: z.literal('strandline.test'),
    timestamp: time.describe('When the message was composed.'),
    data: z.object({ channel: z.string().describe('Slug of the channel that was tested.') }),
  })
  .meta({ id: 'TestMessage' });
