/** Creates, lists, rotates and revokes tokens and keys of the search service. */
import { SECOND } from '../../lib/time.ts';
import { InvalidInput, Refused } from '../../model/errors.ts';
import { keyIdOf, makeKey } from '../../platform/keys.ts';
import { recordCreation, recordAudit } from '../../store/access/audit-entries.ts';
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import { deleteSessionsByToken, endSessionsByToken } from '../../store/access/sessions.ts';
import {
  closeToken,
  insertToken,
  lockToken,
  type TokenPurpose,
  readToken,
  readTokens,
  replaceKey,
  SERVICE_SCOPE,
  type TokenRow,
} from '../../store/access/tokens.ts';
import type { ActingContext, Context } from '../context.ts';
import {
  Denied,
  expandScopes,
  hasScopes,
  readScopes,
  type Scope,
  SCOPES,
  type Visitor,
} from './visitor-scopes.ts';

export type Token = Omit<TokenRow, 'scopes'> & { scopes: Scope[] };

type TokenContext = Pick<ActingContext, 'db' | 'clock' | 'actor'>;

/** The prefix of each kind of key, and its name in the audit log and in messages. */
const KEY_KINDS = {
  api: { key: 'st', thing: 'token', words: 'token', where: '' },
  service: { key: 'sk', thing: 'service_key', words: 'key', where: '; see: strandline service key list' },
} as const satisfies Record<TokenPurpose, unknown>;

/** Commands on this machine have full access. */
export const OPERATOR: Pick<Visitor, 'scopes'> = { scopes: expandScopes(SCOPES) };

/**
 * Creates a token. From then on the API and the dashboard require one.
 * @param input.expires_at null: does not expire
 * @param maker cannot grant scopes that they lack
 * @returns the token and its key, which is shown once
 * @throws InvalidInput, or Denied `scope` if the maker lacks a scope
 */
export async function createToken(
  ctx: TokenContext,
  input: { name: string; scopes: readonly Scope[]; expires_at?: Date | null | undefined },
  maker: Pick<Visitor, 'scopes'>,
): Promise<Token & { key: string }> {
  const expiresAt = input.expires_at ?? null;
  if (expiresAt !== null && expiresAt <= ctx.clock.now())
    throw new InvalidInput([{ path: 'expires_at', given: expiresAt, expected: 'a time in the future' }]);
  if (!hasScopes(maker, input.scopes))
    throw new Denied('scope', 'a token cannot have scopes that its creator lacks');
  const scopes = readScopes(input.scopes);
  const { key, ...row } = await insertKey(ctx, 'api', { name: input.name, scopes, expires_at: expiresAt });
  return { ...toToken(row), key };
}

/** Creates a key of the search service. @returns its row and the key, which is shown once */
export async function createServiceKey(
  ctx: TokenContext,
  input: { name: string },
): Promise<TokenRow & { key: string }> {
  return insertKey(ctx, 'service', { name: input.name, scopes: [SERVICE_SCOPE], expires_at: null });
}

async function insertKey(
  ctx: TokenContext,
  opens: TokenPurpose,
  input: Pick<TokenRow, 'name' | 'scopes' | 'expires_at'>,
): Promise<TokenRow & { key: string }> {
  const { key, id: prefix, hash } = makeKey(KEY_KINDS[opens].key);
  const row = await inTransaction(ctx.db, async (tx) => {
    const inserted = await insertToken(tx, { ...input, prefix, hash, now: ctx.clock.now() });
    const { name, scopes, expires_at } = inserted;
    await recordAudit(tx, ctx, {
      action: `${KEY_KINDS[opens].thing}.created`,
      subject: prefix,
      changes: recordCreation({ name, scopes, expires_at }),
    });
    return inserted;
  });
  return { ...row, key };
}

/** All tokens, newest first, including revoked and expired ones. */
export async function listTokens(
  ctx: Pick<Context, 'db'>,
  page: { limit: number; before?: Id | undefined },
): Promise<Token[]> {
  return (await readTokens(ctx.db, 'api', page)).map(toToken);
}

/** The token of a visitor, or of their session; null for a visitor without one. */
export async function findOwnToken(ctx: Pick<Context, 'db'>, visitor: Visitor): Promise<Token | null> {
  const row = visitor.name === null ? undefined : await readToken(ctx.db, visitor.name);
  return row === undefined ? null : toToken(row);
}

/**
 * Revokes a token and ends every session started with it. Revoking it again has no effect.
 * @param idOrKey its id; or, as text, its prefix, its id, or the whole token
 * @throws Refused `not_found`
 */
export async function revokeToken(ctx: TokenContext, idOrKey: Id | string): Promise<Token> {
  return toToken(await revokeKey(ctx, 'api', idOrKey));
}

/** Revokes a token of the API or a key of the search service. @throws Refused `not_found` */
export async function revokeKey(
  ctx: TokenContext,
  opens: TokenPurpose,
  idOrKey: Id | string,
): Promise<TokenRow> {
  return inTransaction(ctx.db, async (tx) => {
    const row = await lockTokenRow(tx, opens, idOrKey);
    // The first revocation is the one that counts.
    if (row.revoked_at !== null) return row;
    const now = ctx.clock.now();
    await closeToken(tx, row.id, now);
    await deleteSessionsByToken(tx, row.id);
    const changes = { name: { before: row.name } };
    await recordAudit(tx, ctx, { action: `${KEY_KINDS[opens].thing}.revoked`, subject: row.prefix, changes });
    return { ...row, revoked_at: now, rotating_until: null };
  });
}

/**
 * Replaces the secret of a token; its name, scopes, expiry and prefix stay the same. Sessions started with the previous
 * secret end with it; a still older secret ends now.
 * @param graceSeconds how long the previous secret also works, from 0
 * @returns the token, with its new secret as `key`, which is shown once
 * @throws Refused `not_found`, or `conflict` if the token is revoked or expired
 */
export async function rotateToken(
  ctx: TokenContext,
  idOrKey: Id | string,
  graceSeconds: number,
): Promise<Token & { key: string }> {
  const { key, ...row } = await rotateKey(ctx, 'api', idOrKey, graceSeconds);
  return { ...toToken(row), key };
}

/** Rotates a token of the API or a key of the search service. */
export async function rotateKey(
  ctx: TokenContext,
  opens: TokenPurpose,
  idOrKey: Id | string,
  graceSeconds: number,
): Promise<TokenRow & { key: string }> {
  return inTransaction(ctx.db, async (tx) => {
    const row = await lockTokenRow(tx, opens, idOrKey);
    const now = ctx.clock.now();
    if (!isTokenActive(row, now))
      throw new Refused(
        'conflict',
        `the ${KEY_KINDS[opens].words} ${row.prefix} ${row.revoked_at === null ? 'has expired' : 'is revoked'}; create a new one`,
      );
    const formerUntil = graceSeconds === 0 ? null : new Date(now.getTime() + graceSeconds * SECOND);
    const { key, hash } = makeKey(KEY_KINDS[opens].key, { id: row.prefix });
    await replaceKey(tx, row.id, { hash, formerUntil });
    await endSessionsByToken(tx, row.id, formerUntil);
    const changes = recordCreation({ rotating_until: formerUntil });
    await recordAudit(tx, ctx, { action: `${KEY_KINDS[opens].thing}.rotated`, subject: row.prefix, changes });
    return { ...row, rotating_until: formerUntil, key };
  });
}

/** @throws Refused `not_found` */
async function lockTokenRow(tx: Transaction, opens: TokenPurpose, idOrKey: Id | string): Promise<TokenRow> {
  const { key, words, where } = KEY_KINDS[opens];
  // A pasted whole token names that token.
  const named = typeof idOrKey === 'string' ? (keyIdOf(idOrKey, key) ?? idOrKey) : idOrKey;
  const row = await lockToken(tx, opens, named);
  if (row === undefined) throw new Refused('not_found', `there is no such ${words}${where}`);
  return row;
}

/** Whether a token is neither revoked nor expired. */
export function isTokenActive(token: Pick<Token, 'revoked_at' | 'expires_at'>, now: Date): boolean {
  return token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

function toToken(row: TokenRow): Token {
  return { ...row, scopes: readScopes(row.scopes) };
}
