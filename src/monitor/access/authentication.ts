/** Authenticates visitors: by token, by session, or from this machine. Delays addresses that send wrong tokens. */

import { MINUTE, SECOND } from '../../domain/time.ts';
import { buildCacheTime, type Clock } from '../../platform/clock.ts';
import { hashKey, isKeyOf, keyIdOf } from '../../platform/keys.ts';
import { extractNetwork } from '../../platform/network.ts';
import {
  deleteSession,
  findSession,
  insertSession,
  readFormSecret,
  readOpenSessions,
  readOpenTokens,
} from '../../store/sessions.ts';
import { findToken, hasTokens, touchToken } from '../../store/tokens.ts';
import type { Context } from '../context.ts';
import { createFormToken, createPageTag, verifyFormToken } from './session-cookie.ts';
import { Denied, expandScopes, SCOPES, type Visitor } from './visitor-scopes.ts';
import { LRUCache } from 'lru-cache';
import { randomBytes } from 'node:crypto';

type Credentials = {
  /** From the `Authorization` header; undefined if there is none. */
  token: string | undefined;
  /** From the session's cookie. */
  session: string | undefined;
  address: string;
};

export type Access = {
  /**
   * Identifies the visitor. If there is a token, only the token counts.
   * @throws Denied `unknown_visitor` if the token is wrong, `too_many` after too many wrong ones
   */
  visitorOf(credentials: Credentials): Promise<Visitor>;
  /**
   * Starts a session with a token.
   * @returns the value of the cookie: 256 random bits
   * @throws Denied as above
   */
  signIn(token: string, address: string): Promise<string>;
  /** Ends the visitor's session, if they have one. */
  signOut(visitor: Visitor): Promise<void>;
  /** A new value for the field `form_token` of this visitor's forms. */
  formTokenFor(visitor: Visitor): string;
  isFormTokenOf(visitor: Visitor, given: unknown): boolean;
  /** A tag of text that this visitor sees: 22 characters of base64url, different for any other text or visitor. */
  tagFor(visitor: Visitor, text: string): string;
};

/** Recently accepted tokens that are remembered. */
const MAX_KNOWN_TOKENS = 1_000;

export const NOBODY: Visitor = { kind: 'nobody', scopes: new Set(), name: null };
const LOCAL_VISITOR: Visitor = { kind: 'local', scopes: expandScopes(SCOPES), name: null };

/**
 * @param localMayEnter whether anyone who can connect has access while no token exists: only if the server is reachable
 *   from this machine alone
 */
export async function openAccess(
  ctx: Pick<Context, 'db' | 'clock'>,
  { localMayEnter }: { localMayEnter: boolean },
): Promise<Access> {
  const { db, clock } = ctx;
  const backOff = createBackOff(clock);
  const secret = await readFormSecret(db, clock.now());
  // Behind a proxy all visitors share one address: known tokens are not delayed by wrong tokens of others.
  const knownTokens = new LRUCache<string, true>({ max: MAX_KNOWN_TOKENS });

  async function judge(token: string, address: string) {
    const hash = hashKey(token).toString('base64');
    const waitMs = knownTokens.has(hash) ? 0 : backOff.waitMs(address);
    if (waitMs > 0)
      throw new Denied('too_many', 'too many wrong tokens; try again later', Math.ceil(waitMs / SECOND));
    const prefix = keyIdOf(token, 'st');
    const row = prefix === undefined ? undefined : await findToken(db, 'api', prefix, clock.now());
    const shown = row?.keyHashes.find((keyHash) => isKeyOf(token, keyHash));
    if (row === undefined || shown === undefined) {
      knownTokens.delete(hash);
      backOff.failed(address);
      throw unknownToken();
    }
    knownTokens.set(hash, true);
    await touchToken(db, row, clock.now());
    return { ...row, keyHash: shown };
  }

  return {
    async visitorOf({ token, session, address }) {
      if (token !== undefined) {
        const row = await judge(token, address);
        const { prefix, scopes, keyHash } = row;
        return { kind: 'token', scopes: expandScopes(scopes), name: prefix, keyHash };
      }
      if (session !== undefined) {
        const live = await findSession(db, hashKey(session), clock.now());
        if (live !== undefined) {
          const { id, prefix, scopes } = live;
          return { kind: 'session', scopes: expandScopes(scopes), name: prefix, session: id };
        }
      }
      return localMayEnter && !(await hasTokens(db)) ? LOCAL_VISITOR : NOBODY;
    },
    async signIn(token, address) {
      const { id, keyHash } = await judge(token.trim(), address);
      const cookie = randomBytes(32).toString('base64url');
      const session = { hash: hashKey(cookie), tokenId: id, keyHash, now: clock.now() };
      // The token may have been rotated or revoked since it was checked.
      if (!(await insertSession(db, session))) throw unknownToken();
      return cookie;
    },
    async signOut({ session }) {
      if (session !== undefined) await deleteSession(db, session);
    },
    formTokenFor: (visitor) => createFormToken(secret, identifyVisitor(visitor)),
    isFormTokenOf: (visitor, given) => verifyFormToken(secret, identifyVisitor(visitor), given),
    tagFor: (visitor, text) =>
      createPageTag(secret, `${identifyVisitor(visitor)} ${visitor.name ?? ''}`, text),
  };
}

function unknownToken(): Denied {
  return new Denied('unknown_visitor', 'this token is invalid: it is wrong, revoked or expired');
}

function identifyVisitor({ kind, session }: Visitor): string {
  return session === undefined ? kind : `session ${session}`;
}

/**
 * Visitors who were accepted earlier and still would be: their token is valid with the same key, their session has not
 * ended, and, for local visitors, no token has been created since.
 */
export async function revalidateSessions<V extends Visitor>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  visitors: readonly V[],
): Promise<ReadonlySet<V>> {
  if (visitors.length === 0) return new Set();
  const names = visitors.flatMap(({ name }) => name ?? []);
  const ids = visitors.flatMap(({ session }) => session ?? []);
  const [tokens, sessions, isClosed] = await Promise.all([
    readOpenTokens(db, [...new Set(names)], clock.now()),
    readOpenSessions(db, [...new Set(ids)], clock.now()),
    hasTokens(db),
  ]);
  return new Set(
    visitors.filter(({ kind, name, keyHash, session }) => {
      if (kind === 'local') return !isClosed;
      const keys = name === null ? undefined : tokens.get(name);
      if (keys === undefined) return false;
      return session === undefined ? keys.has(keyHash?.toString('hex') ?? '') : sessions.has(session);
    }),
  );
}

/** Wrong tokens before the first delay. */
const FREE_ATTEMPTS = 5;
const MAX_BACK_OFF_MS = MINUTE;
/** Failures are forgotten after this long without one. A correct token does not reset them: many may share the address. */
const BACK_OFF_RESET_MS = 15 * MINUTE;
const MAX_NETWORKS = 10_000;

/** Exponential back-off for wrong tokens, by network, in the memory of this process. */
function createBackOff(clock: Clock) {
  const mistakes = new LRUCache<string, { count: number; at: number }>({
    max: MAX_NETWORKS,
    ttl: BACK_OFF_RESET_MS,
    ...buildCacheTime(clock),
  });
  return {
    /** Milliseconds until this address may try again; 0: now. */
    waitMs(address: string) {
      const record = mistakes.get(extractNetwork(address));
      if (record === undefined || record.count < FREE_ATTEMPTS) return 0;
      const wait = Math.min(MAX_BACK_OFF_MS, SECOND * 2 ** Math.min(record.count - FREE_ATTEMPTS, 10));
      return Math.max(0, record.at + wait - clock.now().getTime());
    },
    /** A token was wrong. */
    failed(address: string) {
      const network = extractNetwork(address);
      const count = (mistakes.get(network)?.count ?? 0) + 1;
      mistakes.set(network, { count, at: clock.now().getTime() });
    },
  };
}
