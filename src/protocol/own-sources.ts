/**
 * An addition of our service to both requests: feeds and pages of the client's own, which are read besides the sources of the
 * service, and sources of the service that are not asked. A hosted service is never sent them.
 */
import { z } from 'zod';
import { isWebUrl, parseUrl } from '../model/links/link.ts';

/** The most feeds and pages of one request: a body has 64 kB. */
export const MAX_OWN_SOURCES = 100;
/** Characters of an address, as it is sent. */
export const MAX_OWN_ADDRESS = 500;
const MAX_LEFT_OUT = 50;

/** Where the words of a question stand in the address of a search: `https://engine.example/rss?q={query}`. */
const PLACEHOLDER = '{query}';
/** Also as other programs write it, or as browsers copy it. */
const OTHER_PLACEHOLDERS = /%7Bquery%7D|\{searchTerms\??\}|%7BsearchTerms(?:%3F)?%7D/gi;

/** Whether an address is that of a search, which takes words. */
export function takesWords(address: string): boolean {
  return address.includes(PLACEHOLDER);
}

/** The address of a search with these words, encoded. */
export function fillWords(address: string, words: string): string {
  return address.replaceAll(PLACEHOLDER, encodeURIComponent(words));
}

/**
 * An address as it is stored and sent: HTTP, without credentials and fragment; undefined if it is none. Words may stand anywhere
 * behind the host.
 */
export function normalizeOwnAddress(input: string): string | undefined {
  const text = input.trim().replace(OTHER_PLACEHOLDERS, PLACEHOLDER);
  // Letters, so that the host of the placeholder would be another one.
  const filled = parseUrl(fillWords(text, 'words'));
  if (filled === undefined || !isWebUrl(filled.href)) return undefined;
  filled.hash = '';
  if (!takesWords(text)) return checkLength(filled.href);
  const host = parseUrl(fillWords(text, 'other'))?.host;
  if (host !== filled.host) return undefined;
  const [start = ''] = text.split('#', 1);
  return takesWords(start) && !/[\s\p{C}"<>\\]/u.test(start) ? checkLength(start) : undefined;
}

function checkLength(address: string): string | undefined {
  return address.length <= MAX_OWN_ADDRESS ? address : undefined;
}

const OWN_SOURCE_KINDS = ['feed', 'page'] as const;

/** Every source of the service, in `without`. */
export const ALL_SOURCES = 'all';

const ADDRESS_NEEDED =
  'Value error, an address such as https://news.example/feed.xml is needed, without user and password';

const id = z.string().min(1).max(40);

const ownSource = z.object({
  id: id.describe('Yours: the response names the source by it.'),
  kind: z
    .enum(OWN_SOURCE_KINDS)
    .describe('`feed`: a feed, or a site that names one. `page`: a page whose text is watched.'),
  address: z
    .string()
    .max(MAX_OWN_ADDRESS, { abort: true })
    .transform((input, context) => {
      const address = normalizeOwnAddress(input);
      if (address === undefined) context.addIssue({ code: 'custom', message: ADDRESS_NEEDED });
      return address ?? z.NEVER;
    })
    .describe(
      'Public, with https, or allowed by FEEDS_ALLOW. Of a feed, `{query}` stands for the words of the question.',
    ),
  all: z
    .boolean()
    .optional()
    .describe(
      'True: its items are results whatever they say. By default, those with the words of the question.',
    ),
});
export type OwnSource = z.infer<typeof ownSource>;

/** The member of a request. */
export const ownSources = z
  .object({
    read: z
      .array(ownSource)
      .max(MAX_OWN_SOURCES)
      .optional()
      .describe('Feeds and pages to read for Web Search, besides those of the service.'),
    without: z
      .array(z.string().regex(/^[a-z][a-z\d-]{0,39}$/, 'Value error, the name of a source is needed'))
      .max(MAX_LEFT_OUT)
      .optional()
      .describe(
        `Sources of the service not to ask, by their names in /healthz/sources, or \`${ALL_SOURCES}\`.`,
      ),
  })
  .describe('An extension of this service: sources of your own.');
export type OwnSources = z.infer<typeof ownSources>;

/**
 * `read`: to the last request; `pending`: not yet, since it takes longer than the response; `failed`; `unasked`: Web Search was not
 * among the tools, or the sandbox responded.
 */
const OWN_SOURCE_STATES = ['read', 'pending', 'failed', 'unasked'] as const;

/** What is known of a source of the request. */
export const ownSourceReport = z.object({
  id,
  state: z.enum(OWN_SOURCE_STATES),
  /** Its own title, as plain text; empty if it is unknown. */
  title: z.string(),
  /** Entries that it has now, or texts of a page, at most 200 and 500. */
  entries: z.int().nonnegative(),
  /** Time of the newest entry, ISO 8601 in UTC; absent if none has one. */
  newest: z.string().optional(),
  /** What is wrong with it, in our own words. */
  problem: z.string().optional(),
});
export type OwnSourceReport = z.infer<typeof ownSourceReport>;

/** What an address is, for who adds it: the reply of `/sources/check`. */
export const checkedSource = z.object({
  /** `none`: it could not be read, or is neither. */
  found: z.enum([...OWN_SOURCE_KINDS, 'none']),
  /** Where its feed is, if a page names it. */
  feed: z.string().nullable(),
  title: z.string(),
  entries: z.int().nonnegative(),
  newest: z.object({ title: z.string(), at: z.string().nullable() }).nullable(),
  problem: z.string().nullable(),
});
export type CheckedSource = z.infer<typeof checkedSource>;

/** Below the base address of the service. */
export const CHECK_PATH = '/sources/check';
export const checkRequest = z.object({ address: ownSource.shape.address });
