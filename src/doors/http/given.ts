/** What a request may give, each kind of value once: in a path, a query, a body or a cursor. */
import { z } from 'zod';

/** The greatest bigint of Postgres. */
const ID_MAX = 2n ** 63n - 1n;

/** An id of ours, text outside and a bigint inside. */
export const givenId = z
  .codec(z.string().regex(/^[1-9]\d{0,18}$/, 'an id: digits only'), z.bigint().max(ID_MAX, 'an id'), {
    decode: (text) => BigInt(text),
    encode: String,
  })
  .meta({ description: 'An id.', examples: ['1'] });

/** The years that Postgres, ISO 8601 and a person all write alike. */
const FIRST = new Date('1000-01-01T00:00:00Z');
const LAST = new Date('9999-12-31T23:59:59.999Z');

/** A time with its zone, such as `2026-11-21T12:00:00Z`. */
export const givenTime = z
  .codec(
    z.iso.datetime({ offset: true, error: 'a time with its zone, such as 2026-11-21T12:00:00Z' }),
    z.date().min(FIRST, 'a time from the year 1000 on').max(LAST, 'a time up to the year 9999'),
    { decode: (text) => new Date(text), encode: (time) => time.toISOString() },
  )
  .meta({ description: 'A time with its zone (ISO 8601).', examples: ['2026-11-21T00:00:00Z'] });

/** The short name of a topic or search. */
const givenSlug = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    '1 to 63 lower-case letters, digits and hyphens, none of them first a hyphen',
  );
export const topicSlug = givenSlug.meta({ description: 'Slug of a topic.', examples: ['harbour-ferry'] });
export const searchSlug = givenSlug.meta({
  description: 'Slug of a saved search.',
  examples: ['harbour-ferry-posts'],
});

/** Yes or no, in a query. */
export const givenFlag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** A text that Postgres can hold. @param max in UTF-16 code units */
export function givenText(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), 'a text without NUL');
}

/** What is looked for in texts. No pattern in the document: it would need the flag u, which few clients set. */
export const givenWords = givenText(1_000).refine((text) => /[\p{L}\p{N}]/u.test(text), 'at least one word');
