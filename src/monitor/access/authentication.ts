/** Authenticates visitors: by token, by session, or from this machine. Delays addresses that send wrong tokens. */

import { SECOND } from '../../lib/time.ts';
import { hashKey, isKeyOf, keyIdOf } from '../../platform/keys.ts';
import {
  deleteSession,
  findSession,
  insertSession,
  readFormSecret,
  readOpenSessions,
  readOpenTokens,
} from '../../store/access/sessions.ts';
import { findToken, hasTokens, touchToken } from '../../store/access/tokens.ts';
import { Refused } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { createBackOff } from './back-off.ts';
import { openShare } from './manage-shares.ts';
import { createFormToken, createPageTag, verifyFormToken } from './session-cookie.ts';
import { Denied, expandScopes, LOCAL_VISITOR, type Visitor } from './visitor-scopes.ts';
import { randomBytes } from 'node:crypto';

type Credentials = {
  /** From the `Authorization` header; undefined if there is none. */
  token: string | undefined;
  /** From the session's cookie. */
  session: string | undefined;
  /** The account that a command names; counts with the key of the data directory only. */
  account?: string | undefined;
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
  /**
   * Opens the link of a shared page: see {@link openShare}. An unknown key counts as a wrong token.
   * @throws Refused `not_found`, or Denied `too_many`
   */
  openShare(key: string, address: string): Promise<NonNullable<Awaited<ReturnType<typeof openShare>>>>;
  /** Ends the visitor's session, if they have one. */
  signOut(visitor: Visitor): Promise<void>;
  /** A new value for the field `form_token` of this visitor's forms. */
  formTokenFor(visitor: Visitor): string;
  isFormTokenOf(visitor: Visitor, formToken: unknown): boolean;
  /** A tag of text that this visitor sees: 22 characters of base64url, different for any other text or visitor. */
  tagFor(visitor: Visitor, text: string): string;
};

export const NOBODY: Visitor = { kind: 'nobody', scopes: new Set(), name: null };

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

  /**
   * The token is looked up before failures count: behind a proxy, all visitors may share one address, and strangers must not
   * delay a right token. A wrong token is refused in any case; 256 random bits need no delay against guessing.
   */
  async function judge(token: string, address: string) {
    const prefix = keyIdOf(token, 'st');
    const row =
      prefix === undefined ? undefined : await findToken(db, { opens: 'api', prefix, now: clock.now() });
    const shown = row?.keyHashes.find((keyHash) => isKeyOf(token, keyHash));
    if (row === undefined || shown === undefined) {
      countWrong(address);
      throw unknownToken();
    }
    await touchToken(db, row, clock.now());
    return { ...row, keyHash: shown };
  }

  /** @throws Denied `too_many` if the address has to wait */
  function countWrong(address: string): void {
    const waitMs = backOff.fail(address);
    if (waitMs > 0)
      throw new Denied('too_many', 'too many wrong tokens; try again later', Math.ceil(waitMs / SECOND));
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
    async openShare(key, address) {
      const share = await openShare(ctx, key);
      if (share !== undefined) return share;
      countWrong(address);
      throw new Refused('not_found', 'there is no shared page at this address');
    },
    async signOut({ session }) {
      if (session !== undefined) await deleteSession(db, session);
    },
    formTokenFor: (visitor) => createFormToken(secret, identifyVisitor(visitor)),
    isFormTokenOf: (visitor, formToken) => verifyFormToken(secret, identifyVisitor(visitor), formToken),
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
