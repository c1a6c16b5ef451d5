/**
 * Searches posts on Bluesky with the user's own account, which its search requires. Contains the search, its session,
 * and the profiles of authors.
 */

import { anyText, bareAddress, pattern, variable } from '../../../config/variable.ts';
import { DAY, HOUR, MINUTE } from '../../../lib/time.ts';
import { type Adapter, type AdapterContext, defineSource, limitSideRequests } from '../adapter.ts';
import type { OutageCode } from '../../../model/tool-coverage.ts';
import { SourceDown } from '../outage.ts';
import { createRateLimitOutage, parseFittingItems, parsePayload, tryParsePayload } from '../parse/payload.ts';
import { toFoundPost } from '../parse/post-fields.ts';
import { buildEndpoint, type QueryParams } from '../parse/provider-addresses.ts';
import { joinSearchTerms, readPages, shortenPrompt } from '../provider-query.ts';
import { buildCacheTime } from '../../../platform/clock.ts';
import { createSharedWork } from '../resilience/coalescing.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import type { SourceQuery } from '../search-source.ts';
import {
  type BlueskyProfiles,
  blueskyView,
  listAccounts,
  profileView,
  readQuotedPost,
  toBlueskyPost,
} from './bluesky-post.ts';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** Per page, and pages per search. */
const MAX_PAGE_SIZE = 100;
const MAX_PAGES = 2;
/** Every word is required: more would find nothing. */
const MAX_WORDS = 4;
/** By default, the newer method searches the last 30 days only. */
const RECENT_WINDOW_MS = 29 * DAY;

/** Bluesky's own; some servers only forward requests that name it. */
const BLUESKY_APP_VIEW = 'did:web:api.bsky.app#bsky_appview';

type SearchMethod = 'app.bsky.feed.searchPostsV2' | 'app.bsky.feed.searchPosts';
const searchPayload = z.object({ posts: z.array(z.unknown()), cursor: z.string().optional() });
/** Placeholder for a post that was removed, or is hidden from the searching account. */
const tombstone = z.union([z.object({ notFound: z.literal(true) }), z.object({ blocked: z.literal(true) })]);

/** Requires an app password, not the account's own. */
type BlueskyAccount = {
  handle: string;
  appPassword: string;
  server?: string | undefined;
  /** The service for `app.bsky`, as `did#id`; `none`: the server's own. */
  appView?: string | undefined;
};

export const BLUESKY = defineSource({
  facts: {
    name: 'bluesky',
    source: 'microblog',
    title: 'Bluesky (search through your account)',
    dates: 'exact',
    sample: 'music',
    terms:
      'An account with an app password; 3,000 requests in five minutes; meant for what a person asks, not for copying the network.',
    // A search takes up to eight requests: two pages, and author profiles.
    pace: { perMinute: 60, burst: 20 },
    pauseMs: 5 * MINUTE,
  },
  // biome-ignore format: one row for each
  variables: {
    handle: variable('BLUESKY_HANDLE', anyText, 'Bluesky account used for searches', { needed: true }),
    appPassword: variable('BLUESKY_APP_PASSWORD', anyText, 'an app password of the Bluesky account, not its main password', { needed: true, secret: 'whole' }),
    server: variable('BLUESKY_SERVER', bareAddress('https://host'), 'server of the Bluesky account', { default: 'https://bsky.social' }),
    appView: variable('BLUESKY_APPVIEW', pattern(/^(?:none|did:[a-z]+:[\w.:%-]{1,200}#\w{1,50})$/, 'none, or a service such as did:web:api.host#bsky_appview'), 'service that answers its searches; `none`: the one of its server', { default: BLUESKY_APP_VIEW }),
  },
  make: ({ server, ...account }, { at }) => bluesky({ ...account, server: at ?? server }),
});

export function bluesky(account: BlueskyAccount): Adapter {
  const session = createBlueskySession(account);
  const profilesOf = createBlueskyProfiles(session);
  const page = createPageReader(session);
  return {
    ...BLUESKY.facts,
    async find(query, context) {
      let cursor: string | undefined;
      const views = await readPages({ pages: MAX_PAGES, items: query.limit }, context, async () => {
        const next = await page(query, cursor, context);
        cursor = next.cursor;
        return { items: next.views, isLast: cursor === undefined };
      });
      const each = [...new Map(views.map((view) => [view.uri, view])).values()];
      const profiles = await profilesOf(each.flatMap(listAccounts), limitSideRequests(context));
      return each.flatMap((view) => {
        const [quoted] = readQuotedPost(view, profiles);
        return toBlueskyPost(view, profiles).flatMap((post) => toFoundPost(post, quoted));
      });
    },
  };
}

/** Reads pages with the newer method, or with the older one if the server does not support it. */
function createPageReader(session: BlueskySession) {
  let method: SearchMethod = 'app.bsky.feed.searchPostsV2';
  return async (query: SourceQuery, cursor: string | undefined, context: AdapterContext) => {
    const more = cursor === undefined ? [] : [['cursor', cursor] as const];
    const ask = (by: SearchMethod, reads: readonly number[]) =>
      session(by, [...Object.entries(buildParams(by, query, context)), ...more], context, reads);
    // A 403 means that paging is not allowed; keep the earlier pages.
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
  const isOld = from !== undefined && clock.now().getTime() - from.getTime() > RECENT_WINDOW_MS;
  return {
    [isNewer ? 'query' : 'q']: joinSearchTerms(query, MAX_WORDS) || shortenPrompt(query.prompt),
    sort: isNewer ? 'recent' : 'latest',
    ...(from === undefined ? {} : { since: from.toISOString() }),
    // Exclusive there, inclusive here.
    until: new Date(to.getTime() + 1).toISOString(),
    ...(isNewer && isOld ? { allTime: 'true' } : {}),
    limit: String(Math.min(limit, MAX_PAGE_SIZE)),
  };
}

// A session at the user's own server. Servers allow only about ten new sessions a day, so it is refreshed when it
// expires, created by one request at a time, and not retried soon after a refusal.

/** Pause after a refused session: the user has to fix the cause. */
const REFUSED_REST_MS = HOUR;
/** Minimum pause after "too many requests". */
const MIN_BUSY_MS = MINUTE;
const sessionPayload = z.object({ accessJwt: z.string().min(1), refreshJwt: z.string().min(1) });
const errorPayload = z.object({ error: z.string() });
type SessionTokens = z.infer<typeof sessionPayload>;

/**
 * Calls a method of `app.bsky` as the user.
 * @param reads statuses besides 2xx that the caller handles
 * @throws SourceDown `source_refused` if no session is accepted
 */
type BlueskySession = (
  method: string,
  params: QueryParams,
  context: AdapterContext,
  reads?: readonly number[],
) => Promise<ProviderResponse>;

function createBlueskySession({
  handle,
  appPassword,
  server = 'https://bsky.social',
  appView = BLUESKY_APP_VIEW,
}: BlueskyAccount): BlueskySession {
  const proxy: Record<string, string> = appView === 'none' ? {} : { 'atproto-proxy': appView };
  let tokens: SessionTokens | undefined;
  const renewal = createSharedWork<SessionTokens>();
  let refused: { until: number; code: OutageCode; detail: string } | undefined;

  /** Replaces rejected tokens, unless another request already has. */
  function renewed(
    stale: SessionTokens | undefined,
    how: 'refresh' | 'create',
    context: AdapterContext,
  ): Promise<SessionTokens> {
    return renewal(
      () => (tokens === stale ? undefined : tokens),
      async () => {
        const refreshed =
          stale !== undefined && how === 'refresh' ? await refresh(stale, context) : undefined;
        return (tokens = refreshed ?? (await create(context)));
      },
    );
  }

  /** Undefined if the server no longer accepts the session. */
  async function refresh(
    { refreshJwt }: SessionTokens,
    context: AdapterContext,
  ): Promise<SessionTokens | undefined> {
    const reply = await context.ask({
      url: buildEndpoint(server, 'xrpc/com.atproto.server.refreshSession'),
      method: 'POST',
      headers: { authorization: `Bearer ${refreshJwt}` },
      reads: [400, 401, 429],
    });
    if (reply.status === 429) throw toBusyOutage(reply, context);
    return reply.status < 300 ? parsePayload(reply.text, sessionPayload) : undefined;
  }

  async function create(context: AdapterContext): Promise<SessionTokens> {
    const now = context.clock.now().getTime();
    if (refused !== undefined && now < refused.until) {
      const { until, code, detail } = refused;
      throw new SourceDown(code, { detail, retryAfterMs: until - now, unasked: true });
    }
    const reply = await context.ask({
      url: buildEndpoint(server, 'xrpc/com.atproto.server.createSession'),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: handle, password: appPassword }),
      reads: [400, 401, 403, 429],
    });
    if (reply.status < 300) return parsePayload(reply.text, sessionPayload);
    if (reply.status !== 429) throw refuse('source_refused', describeSignIn(reply), REFUSED_REST_MS, now);
    const waitMs = toBusyOutage(reply, context).retryAfterMs ?? MIN_BUSY_MS;
    throw refuse('source_busy', describeSignIn(reply), Math.max(waitMs, MIN_BUSY_MS), now);
  }

  /** Suppresses new sessions for a while. */
  function refuse(code: OutageCode, detail: string, retryAfterMs: number, now: number): SourceDown {
    refused = { until: now + retryAfterMs, code, detail };
    return new SourceDown(code, { detail, retryAfterMs });
  }

  return async (method, params, context, reads = []) => {
    const url = buildEndpoint(server, `xrpc/${method}`, params);
    let current = tokens ?? (await renewed(undefined, 'create', context));
    for (const next of ['refresh', 'create', undefined] as const) {
      const reply = await context.ask({
        url,
        headers: { authorization: `Bearer ${current.accessJwt}`, ...proxy },
        reads: [400, 401, 429, ...reads],
      });
      if (!isExpired(reply)) return checkResponse(reply, reads, context);
      if (next !== undefined) current = await renewed(current, next, context);
    }
    tokens = undefined;
    const now = context.clock.now().getTime();
    throw refuse('source_refused', 'a new session is not accepted', REFUSED_REST_MS, now);
  };
}

function toBusyOutage(reply: ProviderResponse, { clock }: AdapterContext): SourceDown {
  return createRateLimitOutage(reply, 'ratelimit-reset', clock);
}

/** Servers use 400 or 401. */
function isExpired({ status, text }: ProviderResponse): boolean {
  return status === 401 || (status === 400 && /^(Expired|Invalid)Token$/.test(readErrorName(text) ?? ''));
}

function checkResponse(
  reply: ProviderResponse,
  reads: readonly number[],
  context: AdapterContext,
): ProviderResponse {
  if (reply.status < 300 || reads.includes(reply.status)) return reply;
  if (reply.status === 429) throw toBusyOutage(reply, context);
  throw new SourceDown('source_refused', { detail: `HTTP ${reply.status}` });
}

function describeSignIn({ status, text }: ProviderResponse): string {
  const asksMore = readErrorName(text) === 'AuthFactorTokenRequired';
  return asksMore ? 'an app password is needed' : `sign-in failed: HTTP ${status}`;
}

/** The error name as in the protocol: `ExpiredToken`. */
function readErrorName(text: string): string | undefined {
  return tryParsePayload(text, errorPayload)?.error;
}

// Author profiles, with the details that a search lacks.

/** Per request. */
const MAX_PROFILES_PER_REQUEST = 25;
const PROFILE_TTL_MS = HOUR;
const MAX_CACHED_PROFILES = 5_000;

const profilesPayload = z.object({ profiles: z.array(z.unknown()) });
/** @returns reads the profiles of accounts, without those that no longer exist */
function createBlueskyProfiles(session: BlueskySession) {
  let kept: LRUCache<string, z.infer<typeof profileView>> | undefined;

  return async (dids: readonly string[], context: AdapterContext): Promise<BlueskyProfiles> => {
    const cache = (kept ??= new LRUCache({
      max: MAX_CACHED_PROFILES,
      // An entry is kept up to this age, including it.
      ttl: PROFILE_TTL_MS - 1,
      ...buildCacheTime(context.clock),
    }));
    const profiles = new Map<string, z.infer<typeof profileView>>();
    const missing = new Set<string>();
    for (const did of dids) {
      const profile = cache.get(did);
      if (profile === undefined) missing.add(did);
      else profiles.set(did, profile);
    }
    const load = async (batch: readonly string[]) => {
      const actors = batch.map((did) => ['actors', did] as const);
      const { text } = await session('app.bsky.actor.getProfiles', actors, context);
      for (const profile of parseFittingItems(parsePayload(text, profilesPayload).profiles, profileView)) {
        cache.set(profile.did, profile);
        profiles.set(profile.did, profile);
      }
    };
    const batches = Array.from({ length: Math.ceil(missing.size / MAX_PROFILES_PER_REQUEST) }, (_, i) =>
      Array.from(missing).slice(i * MAX_PROFILES_PER_REQUEST, (i + 1) * MAX_PROFILES_PER_REQUEST),
    );
    await Promise.all(batches.map((batch) => load(batch).catch(ignoreOutage)));
    return profiles;
  };
}

/** Posts remain useful without author counters, which are then reported as unknown. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof SourceDown)) throw error;
}
