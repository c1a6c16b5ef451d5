/** Who comes in. */
import { randomBytes } from 'node:crypto';
import { SECOND } from '../../engine/clock.ts';
import { hashKey, isKeyOf, keyIdOf } from '../../engine/keys.ts';
import { deleteSession, findSession, formSecret, insertSession } from '../../store/sessions.ts';
import { findToken, hasTokens, touchToken } from '../../store/tokens.ts';
import type { Context } from '../context.ts';
import { createBackOff } from './back-off.ts';
import { Denied } from './denied.ts';
import { isFormToken, makeFormToken, tagOf } from './form-token.ts';
import { allowedBy, SCOPES, type Visitor } from './scopes.ts';
import { scopesIn } from './tokens.ts';

export type Asking = {
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
  visitorOf(asking: Asking): Promise<Visitor>;
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
const WELCOME_MOST = 1_000;

export const NOBODY: Visitor = { kind: 'nobody', scopes: new Set(), name: null };
const LOCAL: Visitor = { kind: 'local', scopes: allowedBy(SCOPES), name: null };

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
  const secret = await formSecret(db, clock.now());
  // Behind one proxy all have one address: who was let in before does not wait for the mistakes of others.
  const welcome = new Set<string>();

  async function judge(token: string, address: string) {
    const hash = hashKey(token).toString('base64');
    const waitMs = welcome.has(hash) ? 0 : backOff.waitMs(address);
    if (waitMs > 0)
      throw new Denied('too_many', 'too many wrong tokens; wait a while', Math.ceil(waitMs / SECOND));
    const prefix = keyIdOf(token, 'st');
    const row = prefix === undefined ? undefined : await findToken(db, 'api', prefix, clock.now());
    const shown = row?.keyHashes.find((one) => isKeyOf(token, one));
    if (row === undefined || shown === undefined) {
      welcome.delete(hash);
      backOff.failed(address);
      throw unknownToken();
    }
    if (welcome.size >= WELCOME_MOST) welcome.clear();
    welcome.add(hash);
    await touchToken(db, row, clock.now());
    return { ...row, keyHash: shown };
  }

  return {
    async visitorOf({ token, session, address }) {
      if (token !== undefined) {
        const row = await judge(token, address);
        const { prefix, scopes, keyHash } = row;
        return { kind: 'token', scopes: allowedBy(scopesIn(scopes)), name: prefix, keyHash };
      }
      if (session !== undefined) {
        const live = await findSession(db, hashKey(session), clock.now());
        if (live !== undefined) {
          const { id, prefix, scopes } = live;
          return { kind: 'session', scopes: allowedBy(scopesIn(scopes)), name: prefix, session: id };
        }
      }
      return localMayEnter && !(await hasTokens(db)) ? LOCAL : NOBODY;
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
    formTokenFor: (visitor) => makeFormToken(secret, nameOf(visitor)),
    isFormTokenOf: (visitor, given) => isFormToken(secret, nameOf(visitor), given),
    tagFor: (visitor, text) => tagOf(secret, `${nameOf(visitor)} ${visitor.name ?? ''}`, text),
  };
}

function unknownToken(): Denied {
  return new Denied('unknown_visitor', 'this token opens nothing: it is wrong, revoked, or past its end');
}

function nameOf({ kind, session }: Visitor): string {
  return session === undefined ? kind : `session ${session}`;
}
