/**
 * A session at the user's own server. It lasts as long as it can: creating one is limited to some ten a
 * day, so it is refreshed when it expires, made by one request at a time, and not soon again once refused.
 */

import { HOUR, MINUTE } from '../../../domain/time.ts';
import type { AdapterContext } from '../adapter.ts';
import type { OutageCode } from '../../../protocol/service-status.ts';
import { SourceDown } from '../outage.ts';
import { createRateLimitOutage, parseFittingItems, parsePayload } from '../parse/payload.ts';
import { countField, idField, textOrNull } from '../parse/post-fields.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { createSharedWork } from '../resilience/coalescing.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { z } from 'zod';

/** How long no session is created after one was refused: what is wrong, its user has to put right. */
const REFUSED_REST_MS = HOUR;
/** The least time after "too many". */
const MIN_BUSY_MS = MINUTE;
/** Who answers for `app.bsky`; some servers pass a request on only when they are told to whom. */
const APP_VIEW = 'did:web:api.bsky.app#bsky_appview';

const sessionPayload = z.object({ accessJwt: z.string().min(1), refreshJwt: z.string().min(1) });
const errorPayload = z.object({ error: z.string() });
type SessionTokens = z.infer<typeof sessionPayload>;
type RenewalKind = 'refresh' | 'create';

export type BlueskySession = {
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

export function createBlueskySession(account: {
  handle: string;
  appPassword: string;
  server: string;
}): BlueskySession {
  const { handle, appPassword, server } = account;
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
      () => make(stale, how, asking),
    );
  }

  async function make(
    stale: SessionTokens | undefined,
    how: RenewalKind,
    asking: AdapterContext,
  ): Promise<SessionTokens> {
    const refreshed = stale !== undefined && how === 'refresh' ? await refresh(stale, asking) : undefined;
    return (tokens = refreshed ?? (await create(asking)));
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
      let held = tokens ?? (await renewed(undefined, 'create', asking));
      for (const next of ['refresh', 'create', undefined] as const) {
        const reply = await asking.ask({
          url,
          headers: { authorization: `Bearer ${held.accessJwt}`, 'atproto-proxy': APP_VIEW },
          reads: [400, 401, 429, ...reads],
        });
        if (!isExpired(reply)) return checkResponse(reply, reads, asking);
        if (next !== undefined) held = await renewed(held, next, asking);
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
  throw new SourceDown('source_refused', { detail: `answered ${reply.status}` });
}

function describeSignIn({ status, text }: ProviderResponse): string {
  const asksMore = readErrorName(text) === 'AuthFactorTokenRequired';
  return asksMore ? 'an app password is needed' : `signing in answered ${status}`;
}

/** The name of an error as the protocol writes it: `ExpiredToken`. */
function readErrorName(text: string): string | undefined {
  try {
    return parsePayload(text, errorPayload).error;
  } catch {
    return undefined;
  }
}

/** What a search does not say of authors, by their profiles; each is good for an hour. */

/** The most of one request. */
const MAX_PROFILES_PER_REQUEST = 25;
const PROFILE_TTL_MS = HOUR;
const MAX_CACHED_PROFILES = 5_000;

const profilesPayload = z.object({ profiles: z.array(z.unknown()) });
const profileView = z.object({
  did: idField,
  handle: idField,
  description: textOrNull,
  followersCount: countField,
  postsCount: countField,
});
export type BlueskyProfile = z.infer<typeof profileView>;
export type BlueskyProfiles = ReadonlyMap<string, BlueskyProfile>;

/** @returns asks for the profiles of accounts; who has none (any more) is not among them */
export function createBlueskyProfiles(session: BlueskySession) {
  const kept = new Map<string, { at: number; profile: BlueskyProfile }>();

  async function load(dids: readonly string[], asking: AdapterContext): Promise<void> {
    const actors = dids.map((did) => ['actors', did] as const);
    const { text } = await session.get('app.bsky.actor.getProfiles', actors, asking);
    const at = asking.clock.now().getTime();
    for (const one of parseFittingItems(parsePayload(text, profilesPayload).profiles, profileView)) {
      // Behind the others: those that were asked for longest ago go first.
      kept.delete(one.did);
      kept.set(one.did, { at, profile: one });
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
      const one = isFresh(did) ? kept.get(did) : undefined;
      return one === undefined ? [] : [[did, one.profile] as const];
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
