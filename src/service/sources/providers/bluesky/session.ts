/**
 * A session at the user's own server. It lasts as long as it can: creating one is limited to some ten a
 * day, so it is refreshed when it expires, made by one request at a time, and not soon again once refused.
 */
import { z } from 'zod';
import { HOUR, MINUTE } from '../../../../engine/clock.ts';
import { type OutageCode, SourceDown } from '../../../outage.ts';
import type { Asking } from '../../adapter.ts';
import type { Reply } from '../../guard/ask.ts';
import { busyUntil } from '../../reading/rate-reset.ts';
import { readAnswer } from '../../reading/read-answer.ts';
import { createShared } from '../../guard/shared.ts';
import { endpoint } from '../../reading/web-address.ts';

/** How long no session is created after one was refused: what is wrong, its user has to put right. */
const REFUSED_MS = HOUR;
/** The least time after "too many". */
const BUSY_MS = MINUTE;
/** Who answers for `app.bsky`; some servers pass a request on only when they are told to whom. */
const APP_VIEW = 'did:web:api.bsky.app#bsky_appview';

const answer = z.object({ accessJwt: z.string().min(1), refreshJwt: z.string().min(1) });
const problem = z.object({ error: z.string() });
type Tokens = z.infer<typeof answer>;
type How = 'refresh' | 'create';

export type BlueskySession = {
  /**
   * Asks a method of `app.bsky` in the user's name.
   * @param reads statuses besides 2xx that the caller reads itself
   * @throws SourceDown `source_refused` when no session is accepted
   */
  get(
    method: string,
    params: readonly (readonly [name: string, value: string])[],
    asking: Asking,
    reads?: readonly number[],
  ): Promise<Reply>;
};

export function blueskySession(account: {
  handle: string;
  appPassword: string;
  server: string;
}): BlueskySession {
  const { handle, appPassword, server } = account;
  let tokens: Tokens | undefined;
  const renewal = createShared<Tokens>();
  let refused: { until: number; code: OutageCode; detail: string } | undefined;

  /** Tokens other than those that did not pass. */
  function renewed(stale: Tokens | undefined, how: How, asking: Asking): Promise<Tokens> {
    return renewal(
      () => (tokens === stale ? undefined : tokens),
      () => make(stale, how, asking),
    );
  }

  async function make(stale: Tokens | undefined, how: How, asking: Asking): Promise<Tokens> {
    const refreshed = stale !== undefined && how === 'refresh' ? await refresh(stale, asking) : undefined;
    return (tokens = refreshed ?? (await create(asking)));
  }

  /** Undefined when the server does not know the session any more. */
  async function refresh({ refreshJwt }: Tokens, asking: Asking): Promise<Tokens | undefined> {
    const reply = await asking.ask({
      url: endpoint(server, 'xrpc/com.atproto.server.refreshSession'),
      method: 'POST',
      headers: { authorization: `Bearer ${refreshJwt}` },
      reads: [400, 401, 429],
    });
    if (reply.status === 429) throw busy(reply, asking);
    return reply.status < 300 ? readAnswer(reply.text, answer) : undefined;
  }

  async function create(asking: Asking): Promise<Tokens> {
    const now = asking.clock.now().getTime();
    if (refused !== undefined && now < refused.until) {
      const { until, code, detail } = refused;
      throw new SourceDown(code, { detail, retryAfterMs: until - now, unasked: true });
    }
    const reply = await asking.ask({
      url: endpoint(server, 'xrpc/com.atproto.server.createSession'),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: handle, password: appPassword }),
      reads: [400, 401, 403, 429],
    });
    if (reply.status < 300) return readAnswer(reply.text, answer);
    if (reply.status !== 429) throw refuse('source_refused', signIn(reply), REFUSED_MS, now);
    const waitMs = busy(reply, asking).retryAfterMs ?? BUSY_MS;
    throw refuse('source_busy', signIn(reply), Math.max(waitMs, BUSY_MS), now);
  }

  /** Remembers that no session is to be had for a while. */
  function refuse(code: OutageCode, detail: string, retryAfterMs: number, now: number): SourceDown {
    refused = { until: now + retryAfterMs, code, detail };
    return new SourceDown(code, { detail, retryAfterMs });
  }

  return {
    async get(method, params, asking, reads = []) {
      const url = endpoint(server, `xrpc/${method}`);
      for (const [name, value] of params) url.searchParams.append(name, value);
      let held = tokens ?? (await renewed(undefined, 'create', asking));
      for (const next of ['refresh', 'create', undefined] as const) {
        const reply = await asking.ask({
          url,
          headers: { authorization: `Bearer ${held.accessJwt}`, 'atproto-proxy': APP_VIEW },
          reads: [400, 401, 429, ...reads],
        });
        if (!isStale(reply)) return passed(reply, reads, asking);
        if (next !== undefined) held = await renewed(held, next, asking);
      }
      tokens = undefined;
      const now = asking.clock.now().getTime();
      throw refuse('source_refused', 'a new session is not accepted', REFUSED_MS, now);
    },
  };
}

function busy(reply: Reply, { clock }: Asking): SourceDown {
  return busyUntil(reply, 'ratelimit-reset', clock);
}

/** Servers say it with 400 or with 401. */
function isStale({ status, text }: Reply): boolean {
  return status === 401 || (status === 400 && /^(Expired|Invalid)Token$/.test(problemOf(text) ?? ''));
}

function passed(reply: Reply, reads: readonly number[], asking: Asking): Reply {
  if (reply.status < 300 || reads.includes(reply.status)) return reply;
  if (reply.status === 429) throw busy(reply, asking);
  throw new SourceDown('source_refused', { detail: `answered ${reply.status}` });
}

function signIn({ status, text }: Reply): string {
  const asksMore = problemOf(text) === 'AuthFactorTokenRequired';
  return asksMore ? 'an app password is needed' : `signing in answered ${status}`;
}

/** The name of an error as the protocol writes it: `ExpiredToken`. */
function problemOf(text: string): string | undefined {
  try {
    return readAnswer(text, problem).error;
  } catch {
    return undefined;
  }
}
