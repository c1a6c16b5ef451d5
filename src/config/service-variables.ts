/**
 * Kinds of values that a variable of the environment can hold, and the search service's part of the environment: where it listens,
 * which sources it asks, who writes completions. `config.ts` reads the rest.
 */

import { InvalidInput } from '../domain/errors.ts';
import { parseUrl } from '../domain/link.ts';
import { z } from 'zod';

export function port(fallback: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/, 'a port number from 0 to 65535')
    .transform(Number)
    .refine((n) => n <= 65_535, 'a port number from 0 to 65535')
    .optional()
    .transform((given) => ({ port: given ?? fallback, asked: given !== undefined }));
}

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `a whole number from ${min} to ${max}`);
}

const ESCAPES = '; in a password, @ : / % # are written %40 %3A %2F %25 %23';

export function address(schemes: readonly string[], example: string) {
  return z.string().refine(
    (text) => {
      const url = parseUrl(text);
      return url !== undefined && schemes.includes(url.protocol) && isEscaped(url);
    },
    `an address such as ${example}${example.includes('@') ? ESCAPES : ''}`,
  );
}

/** A password is read as it was meant: with signs that stand for themselves it ends early, or cannot be read at all. */
function isEscaped({ password, hash }: URL): boolean {
  try {
    decodeURIComponent(password);
    return hash === '';
  } catch {
    return false;
  }
}

/** An address of HTTP without what opens a door: it is stored and shown. */
export function bareAddress(example: string, keyStandsIn: string) {
  return address(['http:', 'https:'], example).refine(
    isBare,
    `an address without user, password, query and fragment; ${keyStandsIn}`,
  );
}

/** Texts separated by commas; none where nothing is set. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

function isBare(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined) return true; // refused already
  const { username, password, search, hash } = url;
  return username + password + search + hash === '';
}

const server = bareAddress('https://host', 'a key has a variable of its own');
const secret = z.string().min(1);

/** It is sent in a header, which holds no other characters; `Bearer` before it would be read as the scheme. */
const serviceKeys = list.refine(
  (keys) => keys.every((key) => /^(?!bearer\s)[\x20-\x7e]+$/i.test(key)),
  'keys of ASCII letters, digits and signs, without Bearer: a header can hold no others',
);

export const SERVICE_SECRETS = [
  'SERVICE_API_KEYS',
  'BLUESKY_APP_PASSWORD',
  'MASTODON_TOKEN',
  'X_BEARER_TOKEN',
  'REDDIT_CLIENT_SECRET',
  'YOUTUBE_API_KEY',
  'BRAVE_API_KEY',
  'TAVILY_API_KEY',
  'EXA_API_KEY',
  'LLM_API_KEY',
] as const;

export const serviceVariables = z.object({
  SERVICE_PORT: port(7811),
  SERVICE_API_KEYS: serviceKeys.default([]),
  // Of one key. As much as two cores answer: a lower one is for a service that others may use.
  SERVICE_CALLS_PER_MINUTE: wholeNumber(1, 10_000_000).default(60_000),
  SERVICE_SOURCES: list.default(['auto']),
  // A contact of the one who runs this: some operators ask for it, and block who gives none.
  SERVICE_CONTACT: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'an address or a mailbox, without spaces')
    .optional(),
  SERVICE_SOURCE_URLS: list.transform(addressesByName).default({}),
  SERVICE_WEB_GROUP: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  ENCYCLOPEDIA_LANGUAGE: z
    .string()
    .regex(/^[a-z]{2,12}(-[a-z]{1,12})*$/, 'a language such as en')
    .default('en'),
  ENCYCLOPEDIA_DATE_MODE: z.enum(['none', 'edited']).default('none'),
  BLUESKY_HANDLE: z.string().min(1).optional(),
  BLUESKY_APP_PASSWORD: secret.optional(),
  BLUESKY_SERVER: server.default('https://bsky.social'),
  MASTODON_SERVER: server.default('https://mastodon.social'),
  MASTODON_TOKEN: secret.optional(),
  X_BEARER_TOKEN: secret.optional(),
  X_USD_PER_DAY: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, 'dollars, such as 2.50')
    .default('0')
    .transform(Number),
  REDDIT_CLIENT_ID: z.string().min(1).optional(),
  REDDIT_CLIENT_SECRET: secret.optional(),
  REDDIT_USERNAME: z
    .string()
    .regex(/^[\w-]{1,40}$/, 'the name of an account, without u/')
    .optional(),
  LEMMY_SERVER: server.optional(),
  YOUTUBE_API_KEY: secret.optional(),
  SEARXNG_URL: server.optional(),
  BRAVE_API_KEY: secret.optional(),
  TAVILY_API_KEY: secret.optional(),
  EXA_API_KEY: secret.optional(),
  LLM_BASE_URL: server.optional(),
  LLM_API_KEY: secret.optional(),
  LLM_MODEL: z.string().min(1).optional(),
});
type Variables = z.infer<typeof serviceVariables>;

/**
 * What the search service is to do.
 * @throws InvalidInput where one variable asks for another that is not set
 */
export function readServiceConfig(e: Variables) {
  const keyed = (apiKey: string | undefined) => (apiKey === undefined ? undefined : { apiKey });
  const at = (url: string | undefined) => (url === undefined ? undefined : { server: url });
  return {
    port: e.SERVICE_PORT.port,
    portAsked: e.SERVICE_PORT.asked,
    keys: e.SERVICE_API_KEYS,
    callsPerMinute: e.SERVICE_CALLS_PER_MINUTE,
    /** Whether the web's results have a group of their own, which the specification does not show. */
    webGroup: e.SERVICE_WEB_GROUP,
    sources: {
      wanted: e.SERVICE_SOURCES,
      contact: e.SERVICE_CONTACT,
      addresses: e.SERVICE_SOURCE_URLS,
      encyclopedia: { language: e.ENCYCLOPEDIA_LANGUAGE, dates: e.ENCYCLOPEDIA_DATE_MODE },
      bluesky: requireTogether(
        { BLUESKY_HANDLE: e.BLUESKY_HANDLE, BLUESKY_APP_PASSWORD: e.BLUESKY_APP_PASSWORD },
        ([handle, appPassword]) => ({ handle, appPassword, server: e.BLUESKY_SERVER }),
      ),
      mastodon: { server: e.MASTODON_SERVER, token: e.MASTODON_TOKEN },
      x:
        e.X_BEARER_TOKEN === undefined
          ? undefined
          : { bearerToken: e.X_BEARER_TOKEN, usdPerDay: e.X_USD_PER_DAY },
      reddit: requireTogether(
        {
          REDDIT_CLIENT_ID: e.REDDIT_CLIENT_ID,
          REDDIT_CLIENT_SECRET: e.REDDIT_CLIENT_SECRET,
          REDDIT_USERNAME: e.REDDIT_USERNAME,
        },
        ([clientId, clientSecret, username]) => ({ clientId, clientSecret, username }),
      ),
      lemmy: at(e.LEMMY_SERVER),
      youtube: keyed(e.YOUTUBE_API_KEY),
      searxng: at(e.SEARXNG_URL),
      brave: keyed(e.BRAVE_API_KEY),
      tavily: keyed(e.TAVILY_API_KEY),
      exa: keyed(e.EXA_API_KEY),
    },
    /** The language model that writes completions; undefined: sentences are quoted. */
    model: requireTogether({ LLM_BASE_URL: e.LLM_BASE_URL, LLM_MODEL: e.LLM_MODEL }, ([baseUrl, model]) => ({
      baseUrl,
      apiKey: e.LLM_API_KEY,
      model,
    })),
  };
}

/** What needs several variables: all of them or none. */
function requireTogether<T>(
  parts: Readonly<Record<string, string | undefined>>,
  make: (values: [string, string, string]) => T,
): T | undefined {
  const set = Object.entries(parts).filter(([, value]) => value !== undefined);
  if (set.length === 0) return undefined;
  const missing = Object.keys(parts).filter((name) => parts[name] === undefined);
  if (missing.length > 0) {
    const beside = set.map(([name]) => name).join(' and ');
    throw new InvalidInput(
      missing.map((path) => ({ path, given: undefined, expected: `to be set, since ${beside} is` })),
    );
  }
  const [first = '', second = '', third = ''] = Object.values(parts);
  return make([first, second, third]);
}

/** `name=address` for each source that is asked elsewhere. */
function addressesByName(pairs: string[], ctx: z.RefinementCtx): Record<string, string> {
  const addresses: Record<string, string> = {};
  for (const pair of pairs) {
    const [, name, url = ''] = /^([a-z-]{1,40})=(.+)$/.exec(pair) ?? [];
    if (name !== undefined && server.safeParse(url).success) addresses[name] = url;
    else
      ctx.addIssue({ code: 'custom', message: 'pairs such as hacker-news=https://mirror.host, by commas' });
  }
  return addresses;
}
