/**
 * Posts of Bluesky, searched in the name of the user's own account: without one the search is closed. First the
 * search, then the session that it needs and the profiles of those who wrote.
 */

import { anyText, bareAddress, variable } from '../../../config/variable.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { type Adapter, type AdapterContext, defineSource, limitSideRequests } from '../adapter.ts';
import type { OutageCode } from '../../../protocol/service-status.ts';
import { SourceDown } from '../outage.ts';
import { createRateLimitOutage, parseFittingItems, parsePayload, tryParsePayload } from '../parse/payload.ts';
import { toFoundPost } from '../parse/post-fields.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { joinSearchTerms, readPages, shortenPrompt } from '../provider-query.ts';
import { createSharedWork } from '../resilience/coalescing.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import type { SourceQuery } from '../search-source.ts';
import {
  type BlueskyProfiles,
  blueskyView,
  listAccounts,
  profileView,
  toBlueskyPost,
} from './bluesky-post.ts';
import { z } from 'zod';

/** The most of one page, and the most pages of one search. */
const MAX_PAGE_SIZE = 100;
const MAX_PAGES = 2;
/** All words must occur: more than these would find nothing. */
const MAX_WORDS = 4;
/** The newer method looks at the last 30 days unless it is told to look at everything. */
const RECENT_WINDOW_MS = 29 * DAY;

type SearchMethod = 'app.bsky.feed.searchPostsV2' | 'app.bsky.feed.searchPosts';
const searchPayload = z.object({ posts: z.array(z.unknown()), cursor: z.string().optional() });
/** Stands in for a post that was taken down, or is kept from the account that searches. */
const tombstone = z.union([z.object({ notFound: z.literal(true) }), z.object({ blocked: z.literal(true) })]);

/** An app password, never the account's own. */
type BlueskyAccount = { handle: string; appPassword: string; server?: string | undefined };

export const BLUESKY = defineSource({
  facts: {
    name: 'bluesky',
    source: 'microblog',
    title: 'Bluesky (search through your account)',
    dates: 'exact',
    terms:
      'An account with an app password; 3,000 requests in five minutes; meant for what a person asks, not for copying the network.',
    // One search is up to eight requests: two pages, and the profiles of those who wrote.
    pace: { perMinute: 60, burst: 20 },
    restMs: 5 * MINUTE,
  },
  // biome-ignore format: one row for each
  variables: {
    handle: variable('BLUESKY_HANDLE', anyText, 'account used for searches', { needed: true }),
    appPassword: variable('BLUESKY_APP_PASSWORD', anyText, 'an app password of the account, not its main password', { needed: true, secret: 'whole' }),
    server: variable('BLUESKY_SERVER', bareAddress('https://host'), 'server of the account', { default: 'https://bsky.social' }),
  },
  make: ({ server, ...account }, { at }) => bluesky({ ...account, server: at ?? server }),
});

export function bluesky(account: BlueskyAccount): Adapter {
  const session = createBlueskySession(account);
  const profilesOf = createBlueskyProfiles(session);
  const page = createPageReader(session);
  return {
    ...BLUESKY.facts,
    async find(query, asking) {
      let cursor: string | undefined;
      const views = await readPages({ pages: MAX_PAGES, items: query.limit }, asking, async () => {
        const next = await page(query, cursor, asking);
        cursor = next.cursor;
        return { items: next.views, isLast: cursor === undefined };
      });
      const each = [...new Map(views.map((view) => [view.uri, view])).values()];
      const profiles = await profilesOf(each.flatMap(listAccounts), limitSideRequests(asking));
      return each.flatMap((view) => toBlueskyPost(view, profiles)).flatMap(toFoundPost);
    },
  };
}

/** Reads pages with the newer method, and with the older one from when a server does not know the newer. */
function createPageReader(session: BlueskySession) {
  let method: SearchMethod = 'app.bsky.feed.searchPostsV2';
  return async (query: SourceQuery, cursor: string | undefined, asking: AdapterContext) => {
    const more = cursor === undefined ? [] : [['cursor', cursor] as const];
    const ask = (by: SearchMethod, reads: readonly number[]) =>
      session.get(by, [...Object.entries(buildParams(by, query, asking)), ...more], asking, reads);
    // Whoever may not page on is refused with 403; what came before stands.
    const closed = cursor === undefined ? [] : [403];
    let reply = await ask(method, method === 'app.bsky.feed.searchPosts' ? closed : [404, 501, ...closed]);
    if (reply.status === 404 || reply.status === 501) {
      method = 'app.bsky.feed.searchPosts';
      reply = await ask(method, closed);
    }
    if (reply.status === 403) return { views: [], cursor: undefined };
    const read = parsePayload(reply.text, searchPayload);
    const there = read.posts.filter((post) => !tombstone.safeParse(post).success);
    const isFull = read.posts.length >= Math.min(query.limit, MAX_PAGE_SIZE);
    return { views: parseFittingItems(there, blueskyView), cursor: isFull ? read.cursor : undefined };
  };
}

function buildParams(
  method: SearchMethod,
  query: SourceQuery,
  { clock }: AdapterContext,
): Record<string, string> {
  const { from, to, limit } = query;
  const isNewer = method === 'app.bsky.feed.searchPostsV2';
  const newest = isNewer ? 'recent' : 'latest';
  const isOld = from !== undefined && clock.now().getTime() - from.getTime() > RECENT_WINDOW_MS;
  return {
    [isNewer ? 'query' : 'q']: joinSearchTerms(query, MAX_WORDS) || shortenPrompt(query.prompt),
    sort: from === undefined ? newest : 'top',
    ...(from === undefined ? {} : { since: from.toISOString() }),
    // The end is not included there, and is here.
    until: new Date(to.getTime() + 1).toISOString(),
    ...(isNewer && isOld ? { allTime: 'true' } : {}),
    limit: String(Math.min(limit, MAX_PAGE_SIZE)),
  };
}

// A session at the user's own server. It lasts as long as it can: creating one is limited to some ten a day, so it
// is refreshed when it expires, made by one request at a time, and not soon again once refused.

/** How long no session is created after one was refused: what is wrong, its user has to repair. */
const REFUSED_REST_MS = HOUR;
/** The least time after "too many". */
const MIN_BUSY_MS = MINUTE;
/** Who answers for `app.bsky`; some servers pass a request on only when they are told to whom. */
const APP_VIEW = 'did:web:api.bsky.app#bsky_appview';

const sessionPayload = z.object({ accessJwt: z.string().min(1), refreshJwt: z.string().min(1) });
const errorPayload = z.object({ error: z.string() });
type SessionTokens = z.infer<typeof sessionPayload>;
type RenewalKind = 'refresh' | 'create';

type BlueskySession = {
  /**
   * Asks a method of `app.bsky` in the user's name.
   * @param reads statuses besides 2xx that the caller reads itself
   * @throws SourceDown `source_refused` when no session is accepted
   */
  get(
    method: string,
    params: readonly (readonly [name: string, value: string])[],
    asking: AdapterContext,
    reads?: readonly number[],
  ): Promise<ProviderResponse>;
};

function createBlueskySession({
  handle,
  appPassword,
  server = 'https://bsky.social',
}: BlueskyAccount): BlueskySession {
  let tokens: SessionTokens | undefined;
  const renewal = createSharedWork<SessionTokens>();
  let refused: { until: number; code: OutageCode; detail: string } | undefined;

  /** Tokens other than those that did not pass. */
  function renewed(
    stale: SessionTokens | undefined,
    how: RenewalKind,
    asking: AdapterContext,
  ): Promise<SessionTokens> {
    return renewal(
      () => (tokens === stale ? undefined : tokens),
      async () => {
        const refreshed = stale !== undefined && how === 'refresh' ? await refresh(stale, asking) : undefined;
        return (tokens = refreshed ?? (await create(asking)));
      },
    );
  }

  /** Undefined when the server does not know the session any more. */
  async function refresh(
    { refreshJwt }: SessionTokens,
    asking: AdapterContext,
  ): Promise<SessionTokens | undefined> {
    const reply = await asking.ask({
      url: buildEndpoint(server, 'xrpc/com.atproto.server.refreshSession'),
      method: 'POST',
      headers: { authorization: `Bearer ${refreshJwt}` },
      reads: [400, 401, 429],
    });
    if (reply.status === 429) throw toBusyOutage(reply, asking);
    return reply.status < 300 ? parsePayload(reply.text, sessionPayload) : undefined;
  }

  async function create(asking: AdapterContext): Promise<SessionTokens> {
    const now = asking.clock.now().getTime();
    if (refused !== undefined && now < refused.until) {
      const { until, code, detail } = refused;
      throw new SourceDown(code, { detail, retryAfterMs: until - now, unasked: true });
    }
    const reply = await asking.ask({
      url: buildEndpoint(server, 'xrpc/com.atproto.server.createSession'),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: handle, password: appPassword }),
      reads: [400, 401, 403, 429],
    });
    if (reply.status < 300) return parsePayload(reply.text, sessionPayload);
    if (reply.status !== 429) throw refuse('source_refused', describeSignIn(reply), REFUSED_REST_MS, now);
    const waitMs = toBusyOutage(reply, asking).retryAfterMs ?? MIN_BUSY_MS;
    throw refuse('source_busy', describeSignIn(reply), Math.max(waitMs, MIN_BUSY_MS), now);
  }

  /** Remembers that no session is to be had for a while. */
  function refuse(code: OutageCode, detail: string, retryAfterMs: number, now: number): SourceDown {
    refused = { until: now + retryAfterMs, code, detail };
    return new SourceDown(code, { detail, retryAfterMs });
  }

  return {
    async get(method, params, asking, reads = []) {
      const url = buildEndpoint(server, `xrpc/${method}`);
      for (const [name, value] of params) url.searchParams.append(name, value);
      let current = tokens ?? (await renewed(undefined, 'create', asking));
      for (const next of ['refresh', 'create', undefined] as const) {
        const reply = await asking.ask({
          url,
          headers: { authorization: `Bearer ${current.accessJwt}`, 'atproto-proxy': APP_VIEW },
          reads: [400, 401, 429, ...reads],
        });
        if (!isExpired(reply)) return checkResponse(reply, reads, asking);
        if (next !== undefined) current = await renewed(current, next, asking);
      }
      tokens = undefined;
      const now = asking.clock.now().getTime();
      throw refuse('source_refused', 'a new session is not accepted', REFUSED_REST_MS, now);
    },
  };
}

function toBusyOutage(reply: ProviderResponse, { clock }: AdapterContext): SourceDown {
  return createRateLimitOutage(reply, 'ratelimit-reset', clock);
}

/** Servers say it with 400 or with 401. */
function isExpired({ status, text }: ProviderResponse): boolean {
  return status === 401 || (status === 400 && /^(Expired|Invalid)Token$/.test(readErrorName(text) ?? ''));
}

function checkResponse(
  reply: ProviderResponse,
  reads: readonly number[],
  asking: AdapterContext,
): ProviderResponse {
  if (reply.status < 300 || reads.includes(reply.status)) return reply;
  if (reply.status === 429) throw toBusyOutage(reply, asking);
  throw new SourceDown('source_refused', { detail: `HTTP ${reply.status}` });
}

function describeSignIn({ status, text }: ProviderResponse): string {
  const asksMore = readErrorName(text) === 'AuthFactorTokenRequired';
  return asksMore ? 'an app password is needed' : `sign-in failed: HTTP ${status}`;
}

/** The name of an error as the protocol writes it: `ExpiredToken`. */
function readErrorName(text: string): string | undefined {
  return tryParsePayload(text, errorPayload)?.error;
}

// What a search does not say of authors, by their profiles.

/** The most of one request. */
const MAX_PROFILES_PER_REQUEST = 25;
const PROFILE_TTL_MS = HOUR;
const MAX_CACHED_PROFILES = 5_000;

const profilesPayload = z.object({ profiles: z.array(z.unknown()) });
/** @returns asks for the profiles of accounts; who has none (any more) is not among them */
function createBlueskyProfiles(session: BlueskySession) {
  const kept = new Map<string, { at: number; profile: z.infer<typeof profileView> }>();

  async function load(dids: readonly string[], asking: AdapterContext): Promise<void> {
    const actors = dids.map((did) => ['actors', did] as const);
    const { text } = await session.get('app.bsky.actor.getProfiles', actors, asking);
    const at = asking.clock.now().getTime();
    for (const profile of parseFittingItems(parsePayload(text, profilesPayload).profiles, profileView)) {
      // Behind the others: those that were asked for longest ago go first.
      kept.delete(profile.did);
      kept.set(profile.did, { at, profile });
    }
  }

  return async (dids: readonly string[], asking: AdapterContext): Promise<BlueskyProfiles> => {
    const wanted = [...new Set(dids)];
    const now = asking.clock.now().getTime();
    const isFresh = (did: string) => now - (kept.get(did)?.at ?? Number.NEGATIVE_INFINITY) < PROFILE_TTL_MS;
    const missing = wanted.filter((did) => !isFresh(did));
    const batches = Array.from({ length: Math.ceil(missing.length / MAX_PROFILES_PER_REQUEST) }, (_, i) =>
      missing.slice(i * MAX_PROFILES_PER_REQUEST, (i + 1) * MAX_PROFILES_PER_REQUEST),
    );
    await Promise.all(batches.map((batch) => load(batch, asking).catch(ignoreOutage)));
    const found = wanted.flatMap((did) => {
      const entry = isFresh(did) ? kept.get(did) : undefined;
      return entry === undefined ? [] : [[did, entry.profile] as const];
    });
    for (const did of Array.from(kept.keys()).slice(0, Math.max(0, kept.size - MAX_CACHED_PROFILES)))
      kept.delete(did);
    return new Map(found);
  };
}

/** Posts are worth showing without their authors' counters, which are unknown then and said to be. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof SourceDown)) throw error;
}
