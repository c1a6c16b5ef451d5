/** Who makes a request: by token, by session, or from this machine; and how long an address waits after wrong tokens. */

import { MINUTE, SECOND } from '../../domain/time.ts';
import { buildCacheTime, type Clock } from '../../platform/clock.ts';
import { hashKey, isKeyOf, keyIdOf } from '../../platform/keys.ts';
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
import { readScopes } from './manage-tokens.ts';
import { Denied, expandScopes, SCOPES, type Visitor } from './visitor-scopes.ts';
import { LRUCache } from 'lru-cache';
import { randomBytes } from 'node:crypto';

type Credentials = {
  /** From an `Authorization` header; undefined where there is none. */
  token: string | undefined;
  /** From the session's cookie. */
  session: string | undefined;
  address: string;
};

export type Access = {
  /**
   * Who asks. Somebody who shows a token is judged by it alone.
   * @throws Denied `unknown_visitor` when the token is wrong, `too_many` where too many were
   */
  visitorOf(asking: Credentials): Promise<Visitor>;
  /**
   * Begins a session with a token.
   * @returns what the cookie is to hold: 256 random bits, never seen before
   * @throws Denied as above
   */
  signIn(token: string, address: string): Promise<string>;
  /** Ends the visitor's session, where they have one. */
  signOut(visitor: Visitor): Promise<void>;
  /** What a form of this visitor holds in its field `form_token`; another one each time. */
  formTokenFor(visitor: Visitor): string;
  isFormTokenOf(visitor: Visitor, given: unknown): boolean;
  /** Names a text that this visitor sees: 22 characters of base64url, others for any other text or visitor. */
  tagFor(visitor: Visitor, text: string): string;
};

/** Tokens that are remembered as let in. */
const MAX_KNOWN_TOKENS = 1_000;

export const NOBODY: Visitor = { kind: 'nobody', scopes: new Set(), name: null };
const LOCAL_VISITOR: Visitor = { kind: 'local', scopes: expandScopes(SCOPES), name: null };

/**
 * @param localMayEnter whether everybody who reaches us is let in while there is no token: only where nobody but
 *   this machine can
 */
export async function openAccess(
  ctx: Pick<Context, 'db' | 'clock'>,
  { localMayEnter }: { localMayEnter: boolean },
): Promise<Access> {
  const { db, clock } = ctx;
  const backOff = createBackOff(clock);
  const secret = await readFormSecret(db, clock.now());
  // Behind one proxy all have one address: who was let in before does not wait for the mistakes of others.
  const knownTokens = new LRUCache<string, true>({ max: MAX_KNOWN_TOKENS });

  async function judge(token: string, address: string) {
    const hash = hashKey(token).toString('base64');
    const waitMs = knownTokens.has(hash) ? 0 : backOff.waitMs(address);
    if (waitMs > 0)
      throw new Denied('too_many', 'too many wrong tokens; wait a while', Math.ceil(waitMs / SECOND));
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
        return { kind: 'token', scopes: expandScopes(readScopes(scopes)), name: prefix, keyHash };
      }
      if (session !== undefined) {
        const live = await findSession(db, hashKey(session), clock.now());
        if (live !== undefined) {
          const { id, prefix, scopes } = live;
          return { kind: 'session', scopes: expandScopes(readScopes(scopes)), name: prefix, session: id };
        }
      }
      return localMayEnter && !(await hasTokens(db)) ? LOCAL_VISITOR : NOBODY;
    },
    async signIn(token, address) {
      const { id, keyHash } = await judge(token.trim(), address);
      const cookie = randomBytes(32).toString('base64url');
      const session = { hash: hashKey(cookie), tokenId: id, keyHash, now: clock.now() };
      // It may have been rotated or revoked since it was judged.
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
  return new Denied('unknown_visitor', 'this token opens nothing: it is wrong, revoked, or past its end');
}

function identifyVisitor({ kind, session }: Visitor): string {
  return session === undefined ? kind : `session ${session}`;
}

/**
 * Who of those that were let in a while ago would still be let in: their token is valid with the key that they showed,
 * their session was not ended, and where they came without either, no token was created since.
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

/** Wrong tokens that anybody may show without waiting. */
const FREE_ATTEMPTS = 5;
const MAX_BACK_OFF_MS = MINUTE;
/** Mistakes are forgotten after so long without one, and not sooner: the address may be that of many. */
const BACK_OFF_RESET_MS = 15 * MINUTE;
const MAX_NETWORKS = 10_000;

/** Whoever keeps trying wrong tokens waits longer and longer. Kept in memory, by network, for this process alone. */
type BackOff = {
  /** Milliseconds until this address may try again; 0: now. */
  waitMs(address: string): number;
  /** A token was wrong. */
  failed(address: string): void;
};

function createBackOff(clock: Clock): BackOff {
  const mistakes = new LRUCache<string, { count: number; at: number }>({
    max: MAX_NETWORKS,
    ttl: BACK_OFF_RESET_MS,
    ...buildCacheTime(clock),
  });
  return {
    waitMs(address) {
      const record = mistakes.get(extractNetwork(address));
      if (record === undefined || record.count < FREE_ATTEMPTS) return 0;
      const wait = Math.min(MAX_BACK_OFF_MS, SECOND * 2 ** Math.min(record.count - FREE_ATTEMPTS, 10));
      return Math.max(0, record.at + wait - clock.now().getTime());
    },
    failed(address) {
      const network = extractNetwork(address);
      const count = (mistakes.get(network)?.count ?? 0) + 1;
      mistakes.set(network, { count, at: clock.now().getTime() });
    },
  };
}

/**
 * By what an address is counted: whoever has one of IPv6 has as many as they like, all with the same first half.
 * @param address as a socket names it
 * @returns an address of IPv4, or the first 64 bits of one of IPv6
 */
export function extractNetwork(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail);
  const between = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: between }, () => '0'), ...after].slice(0, 4).join(':');
}
