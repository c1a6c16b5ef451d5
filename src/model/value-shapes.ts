/** Zod types of single values, for requests and replies of every door. Pure: no database code. */
import { z } from 'zod';
import { FUTURE_TIME_EXPECTED, type FutureTime, parseFutureTime } from '../lib/future-time.ts';
import { BRIEF_SOURCE_KINDS } from './closed-lists.ts';
import { EXPECTED_SLUG, SLUG_PATTERN } from './slug.ts';

/** The largest bigint of Postgres. */
export const MAX_ID = 2n ** 63n - 1n;

/** An id, as text outside of the program. */
export const idKey = z.codec(
  z.string().regex(/^[1-9]\d{0,18}$/, 'an id: digits only'),
  z.bigint().max(MAX_ID, 'an id'),
  { decode: (text) => BigInt(text), encode: String },
);

/** An id: a string in the API, a bigint in the program. */
export const idParam = idKey.meta({ description: 'An id.', examples: ['1'] });

/** Years that Postgres and ISO 8601 write alike. */
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

/** A text that Postgres can store. @param max in UTF-16 code units @param expected what is said of a longer one */
export function textParam(max: number, expected?: string) {
  return storable(z.string().max(max, expected));
}

/** A text without the one character that Postgres cannot store. */
export function storable(text: z.ZodString): z.ZodString {
  return text.refine((value) => !value.includes('\0'), 'text without NUL');
}

/** Of a key that is shown. */
const PREFIX_LENGTH = 8;
/** What names something with a key: its id, or the prefix of the key. A number of any other length than a prefix is an id. */
export const idOrPrefixParam = z.codec(
  storable(z.string()),
  z.union([z.bigint().max(MAX_ID, 'an id'), z.string()]),
  {
    decode: (text) => (/^\d+$/.test(text) && text.length !== PREFIX_LENGTH ? BigInt(text) : text),
    encode: String,
  },
);

/** A time to come, as {@link parseFutureTime} reads it; words and times of day are of UTC. */
export const futureTimeParam = z.codec(z.string().max(100), z.custom<FutureTime>(), {
  decode: (text, context) => {
    const time = parseFutureTime(text, 'UTC');
    if (time !== undefined) return time;
    context.issues.push({ code: 'custom', input: text, message: FUTURE_TIME_EXPECTED });
    return z.NEVER;
  },
  encode: ({ input }) => input,
});

/** A whole number in a query, from 1. @param usual the default */
export function countParam(most: number, usual: number) {
  const expected = `a whole number from 1 to ${most}`;
  return z.coerce.number(expected).int(expected).min(1, expected).max(most, expected).default(usual);
}

/** A boolean in a query. */
export const flagParam = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Of the goal of a topic, in Unicode code points, as the CHECK of the table counts them. */
export const MAX_GOAL_LENGTH = 300;

/** The short name of a topic, search, rule or channel. */
const slugParam = z.string().regex(SLUG_PATTERN, EXPECTED_SLUG);
export const topicSlug = slugParam.meta({ description: 'Slug of a topic.', examples: ['harbour-ferry'] });
export const searchSlug = slugParam.meta({
  description: 'Slug of a saved search.',
  examples: ['harbour-ferry-posts'],
});
export const ruleSlug = slugParam.meta({ description: 'Slug of a rule.', examples: ['ferry-news'] });
export const channelSlug = slugParam.meta({ description: 'Slug of a channel.', examples: ['ops'] });

// A row has bigints and dates, JSON has their text. (Cast by way of unknown: comparing the classes takes the type
// checker a second.)
/** A key of ours in a reply: a bigint, which JSON can only hold as text. */
export const idShape = z.string().regex(/^\d{1,19}$/) as unknown as z.ZodUnknown;
export const timeShape = z.string().meta({ format: 'date-time' }) as unknown as z.ZodUnknown;

/** Sentences of a brief. */
export const MAX_BRIEF_SENTENCES = 3;

/** A brief (`briefs.ts`), as it is stored and returned: only add members. */
export const Brief = z
  .object({
    sentences: z
      .array(
        z.object({
          text: z.string(),
          sources: z.array(z.int()).describe('Numbers of the sources that support the sentence.'),
        }),
      )
      .max(MAX_BRIEF_SENTENCES),
    sources: z
      .array(
        z.object({
          n: z.int().describe('Number, from 1.'),
          kind: z.enum(BRIEF_SOURCE_KINDS).describe('`claim`: a statement of an answer.'),
          id: z.string(),
          page: z.string().describe('Path of its page in the dashboard.'),
        }),
      )
      .describe('What the sentences cite.'),
    model: z.string().describe('The language model that wrote it (`LLM_MODEL`).'),
    written_at: z.string().meta({ format: 'date-time' }).describe('When it wrote it.'),
  })
  .meta({ id: 'Brief' });
export type Brief = z.infer<typeof Brief>;

/** What a sentence of a brief cites. @property words where numbers lead nowhere: `post 12` */
export type BriefCite = { n: number; path: string; words: string };

/** The sentences of a brief, each with what it cites. */
export function listBriefSentences({ sentences, sources }: Brief): { text: string; cites: BriefCite[] }[] {
  const cites = new Map(
    sources.map(({ n, kind, id, page }) => [n, { n, path: page, words: `${kind} ${id}` }]),
  );
  return sentences.map(({ text, sources: numbers }) => ({
    text,
    cites: numbers.flatMap((n) => cites.get(n) ?? []),
  }));
}
