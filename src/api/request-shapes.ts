/**
 * What requests are made of: each kind of value of a path, query, body or cursor, and the bodies of searches, topics and
 * alerts.
 */

import { DATE_FILTERS, MODELS, OPERATIONS, TOOLS } from '../domain/enumerations.ts';
import { SETTINGS_OF_A_KIND } from '../monitor/alerts/channel-settings.ts';
import type { Setting } from '../monitor/alerts/channels/channel-kind.ts';
import { CHANNEL_KINDS } from '../monitor/alerts/channels/channel-kinds.ts';
import { MAX_PROMPT_LENGTH } from '../protocol/specification.ts';
import { RULE_KINDS } from '../store/schema/analytics/alert-views.ts';
import { SENSITIVITIES } from '../store/schema/analytics/topic-views.ts';
import { SERVICE_KINDS } from '../store/services.ts';
import { z } from 'zod';

/** The greatest bigint of Postgres. */
const MAX_ID = 2n ** 63n - 1n;

/** An id of ours, text outside and a bigint inside. */
export const idParam = z
  .codec(z.string().regex(/^[1-9]\d{0,18}$/, 'an id: digits only'), z.bigint().max(MAX_ID, 'an id'), {
    decode: (text) => BigInt(text),
    encode: String,
  })
  .meta({ description: 'An id.', examples: ['1'] });

/** The years that Postgres, ISO 8601 and a person all write alike. */
const MIN_TIME = new Date('1000-01-01T00:00:00Z');
const MAX_TIME = new Date('9999-12-31T23:59:59.999Z');

/** A time with its zone, such as `2026-11-21T12:00:00Z`. */
export const timeParam = z
  .codec(
    z.iso.datetime({ offset: true, error: 'a time with its zone, such as 2026-11-21T12:00:00Z' }),
    z.date().min(MIN_TIME, 'a time from the year 1000 on').max(MAX_TIME, 'a time up to the year 9999'),
    { decode: (text) => new Date(text), encode: (time) => time.toISOString() },
  )
  .meta({ description: 'A time with its zone (ISO 8601).', examples: ['2026-11-21T00:00:00Z'] });

/** The short name of a topic, search, rule or channel. */
const slugParam = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    '1 to 63 lower-case letters, digits and hyphens, none of them first a hyphen',
  );
export const topicSlug = slugParam.meta({ description: 'Slug of a topic.', examples: ['harbour-ferry'] });
export const searchSlug = slugParam.meta({
  description: 'Slug of a saved search.',
  examples: ['harbour-ferry-posts'],
});

/** Yes or no, in a query. */
export const flagParam = z.enum(['true', 'false']).transform((value) => value === 'true');

/** A text that Postgres can hold. @param max in UTF-16 code units */
export function textParam(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), 'a text without NUL');
}

/** What is looked for in texts. No pattern in the document: it would need the flag u, which few clients set. */
export const wordsParam = textParam(1_000).refine((text) => /[\p{L}\p{N}]/u.test(text), 'at least one word');

/** The last discovery that was seen; 0 where none was. */
export const afterDiscoveryId = z
  .union([z.codec(z.literal('0'), z.bigint(), { decode: () => 0n, encode: () => '0' as const }), idParam])
  .meta({ description: 'Id of the last discovery that was seen; 0 for all there are.', examples: ['0'] });

/** What a search asks. Its values are checked by the verbs, which report all that is wrong at once. */
const requestMembers = {
  prompt: textParam(MAX_PROMPT_LENGTH).describe('What is asked.'),
  tools: z.array(z.enum(TOOLS)).max(TOOLS.length).describe('Of an AI search; left out: all.'),
  model: z.enum(MODELS).describe('How long an answer may take; NOVA where it is left out.'),
  date_filter: z
    .enum(DATE_FILTERS)
    .describe('How far back an AI search looks; PAST_24_HOURS where it is left out.'),
  streaming: z.boolean().describe('Whether the answer of an AI search comes as a stream.'),
  extra: z
    .record(z.string(), z.unknown())
    .transform((members) => JSON.stringify(members))
    .describe('Members of the request beyond the specification.'),
};

const scheduleMembers = {
  cron: textParam(200).describe('Five fields, such as 0 8 * * 1-5; or every, not both.'),
  tz: textParam(60).describe('Time zone of cron, such as Europe/Berlin; UTC where it is left out.'),
  every: textParam(60).describe('A rhythm, such as 90s, 15m or 1h30m; or cron, not both.'),
};

const otherMembers = {
  labels: z.array(textParam(60)).max(50),
  sensitivity: z.enum(SENSITIVITIES).describe('How unusual is worth a spike; normal where it is left out.'),
};

export const serviceKind = z
  .enum(SERVICE_KINDS)
  .describe(
    'Who is asked, for ever; left out: hosted where it is set up, otherwise own where a public source answers, otherwise sandbox.',
  );

const operationMember = z.enum(OPERATIONS).describe('microblog: posts; ai: all sources.');
const searchMembers = z.strictObject({ ...requestMembers, ...scheduleMembers, ...otherMembers }).partial();

/** A search of a topic that is being made. */
const topicSearch = searchMembers.extend({
  operation: operationMember,
  prompt: requestMembers.prompt,
  slug: searchSlug.optional().describe('Made from the slug of the topic where it is left out.'),
});

export const newSearch = searchMembers
  .extend({
    operation: operationMember,
    prompt: requestMembers.prompt,
    slug: searchSlug,
    topic: topicSlug
      .optional()
      .describe('Made where there is none; the slug of the search where it is left out.'),
    service: serviceKind.optional(),
  })
  .meta({
    examples: [
      {
        slug: 'harbour-news',
        topic: 'harbour-ferry',
        service: 'sandbox',
        operation: 'ai',
        prompt: 'harbour ferry',
        tools: ['Web Search', 'News Forum Search'],
        date_filter: 'PAST_WEEK',
        cron: '0 8 * * 1-5',
        tz: 'Europe/Berlin',
      },
    ],
  });

export const editedSearch = searchMembers.meta({ examples: [{ every: '30m', labels: ['harbour'] }] });

/** A schedule that is not saved. */
export const schedulePreviewBody = z
  .strictObject({
    ...z.strictObject(scheduleMembers).partial().shape,
    operation: operationMember.default('microblog'),
    model: requestMembers.model.default('NOVA'),
    service: serviceKind.optional(),
    count: z.int().min(1).max(100).default(5).describe('How many runs to tell.'),
  })
  .meta({ examples: [{ cron: '0 8 * * 1-5', tz: 'Europe/Berlin', service: 'sandbox' }] });

export const searchTrialBody = z
  .strictObject({
    ...z.strictObject(requestMembers).partial().shape,
    operation: operationMember,
    prompt: requestMembers.prompt,
    service: serviceKind.optional(),
    shown: z.int().min(0).max(200).default(20).describe('Most posts and most links that come back.'),
  })
  .meta({ examples: [{ operation: 'microblog', prompt: 'harbour ferry', service: 'hosted' }] });

const topicName = textParam(200).describe('What a person calls it.');
const newTopicSlug = topicSlug.optional().describe('Made from the name or text where it is left out.');

export const newTopic = z
  .strictObject({
    name: topicName,
    slug: newTopicSlug,
    service: serviceKind.optional(),
    searches: z.array(topicSearch).max(20),
  })
  .meta({
    examples: [
      {
        name: 'Night train',
        service: 'sandbox',
        searches: [{ operation: 'microblog', prompt: 'night train', every: '15m' }],
      },
    ],
  });

export const watchedText = z
  .strictObject({
    text: textParam(MAX_PROMPT_LENGTH).describe('What to look for.'),
    name: topicName.optional().describe('The text where it is left out.'),
    slug: newTopicSlug,
    service: serviceKind.optional(),
    posts_every: textParam(60).optional().describe('How often to look for posts; 15m where it is left out.'),
    ai_every: textParam(60).optional().describe('How often to ask the AI search; 1h where it is left out.'),
  })
  .meta({ examples: [{ text: 'tide pools', service: 'sandbox' }] });

export const renamedTopic = z
  .strictObject({ name: topicName })
  .meta({ examples: [{ name: 'Ferries of the harbour' }] });

export const ruleSlug = slugParam.meta({ description: 'Slug of a rule.', examples: ['ferry-news'] });
export const channelSlug = slugParam.meta({ description: 'Slug of a channel.', examples: ['ops'] });

const ruleMembers = {
  name: textParam(120).min(1).describe('What a person calls it; left out: its slug.'),
  on: z.array(z.enum(RULE_KINDS)).min(1).describe('What it tells of; left out: posts and links.'),
  topic: topicSlug.nullable().describe('The topic that it watches; null: none in particular.'),
  search: searchSlug.nullable().describe('The search that it watches; null: none in particular.'),
  filter: textParam(500).describe(
    'Words that must appear, -words that must not, "phrases in quotes"; empty: everything passes.',
  ),
  cooldown: textParam(20).describe(
    'At most one message in this time, such as 30m or 1h; 0: one per run that found something.',
  ),
};
const ruleChannels = z.array(channelSlug).min(1).max(20).describe('Slugs of the channels that it tells.');

export const newRule = z
  .strictObject({ slug: ruleSlug, channels: ruleChannels, ...z.object(ruleMembers).partial().shape })
  .meta({
    examples: [
      {
        slug: 'storm-news',
        on: ['post', 'spike'],
        filter: 'storm -forecast',
        cooldown: '1h',
        channels: ['ops'],
      },
    ],
  });
export const editedRule = z
  .strictObject({ ...ruleMembers, channels: ruleChannels })
  .partial()
  .meta({ examples: [{ cooldown: '30m' }] });

export const newChannel = defineChannelBody({ slug: channelSlug }, { slug: 'team' });
export const editedChannel = defineChannelBody({}, {});

/** The settings of any kind of channel, all of one, with other members. */
function defineChannelBody<M extends z.ZodRawShape>(members: M, example: object) {
  const [first, ...others] = Object.values(CHANNEL_KINDS).map(({ settings }) => {
    const each = <T>(read: (setting: Setting) => T): Record<string, T> =>
      Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, read(setting)]));
    const body = z.strictObject({ ...members, ...each(({ shape }) => shape) });
    return body.meta({ examples: [{ ...example, ...each((setting) => setting.example) }] });
  });
  if (first === undefined) throw new Error('there is no kind of channel');
  return others.length === 0 ? first : z.union([first, ...others], { error: SETTINGS_OF_A_KIND });
}
