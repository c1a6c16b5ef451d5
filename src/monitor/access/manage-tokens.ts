/** Tokens and keys of the search service: created, listed, rotated, closed. Used by the command line, the API and the pages alike. */
import { DAY, SECOND } from '../../domain/time.ts';
import { InvalidInput, type Problem, Refused } from '../../domain/errors.ts';
import { keyIdOf, makeKey } from '../../platform/keys.ts';
import { recordCreation, recordAudit } from '../../store/audit-entries.ts';
import { type Id, inTransaction, type Transaction } from '../../store/database.ts';
import { deleteSessionsByToken, endSessionsByToken } from '../../store/sessions.ts';
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
} from '../../store/tokens.ts';
import type { ActingContext, Context } from '../context.ts';
import { Denied, expandScopes, hasScopes, type Scope, SCOPES, type Visitor } from './visitor-scopes.ts';

export type Token = Omit<TokenRow, 'scopes'> & { scopes: Scope[] };

type TokenContext = Pick<ActingContext, 'db' | 'clock' | 'actor'>;

const MAX_TOKEN_NAME = 60;

/** So long the key before may open too, once a token has a new one: time to bring it to every program, also over a week-end. */
export const MAX_GRACE_SECONDS = (7 * DAY) / SECOND;

/** By what each is opened, and what the audit log and its owner call it. */
const KEY_KINDS = {
  api: { key: 'st', thing: 'token', words: 'token', where: '' },
  service: { key: 'sk', thing: 'service_key', words: 'key', where: '; see: strandline service key list' },
} as const satisfies Record<TokenPurpose, unknown>;

/** Who runs commands on this machine may do everything. */
export const OPERATOR: Pick<Visitor, 'scopes'> = { scopes: expandScopes(SCOPES) };

/**
 * Makes a token. From then on the API and the dashboard ask for one.
 * @param input.expires_at null: it does not end by itself
 * @param maker gives no more than they have
 * @returns the token and, this once, its key
 * @throws InvalidInput, or Denied `scope` where its maker may not do what it is to do
 */
export async function createToken(
  ctx: TokenContext,
  input: { name: string; scopes: readonly Scope[]; expires_at?: Date | null | undefined },
  maker: Pick<Visitor, 'scopes'>,
): Promise<Token & { key: string }> {
  const expiresAt = input.expires_at ?? null;
  const problems: Problem[] = [];
  const name = checkTokenName(input.name, problems);
  if (input.scopes.length === 0)
    problems.push({ path: 'scopes', given: input.scopes, expected: `at least one of ${SCOPES.join(', ')}` });
  if (expiresAt !== null && expiresAt <= ctx.clock.now())
    problems.push({ path: 'expires_at', given: expiresAt, expected: 'a time to come' });
  if (problems.length > 0) throw new InvalidInput(problems);
  if (!hasScopes(maker, input.scopes))
    throw new Denied('scope', 'a token cannot be given scopes that whoever makes it has not');
  const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
  const { key, ...row } = await insertKey(ctx, 'api', { name, scopes, expires_at: expiresAt });
  return { ...toToken(row), key };
}

/** A key of the search service. @returns it and, this once, the key itself @throws InvalidInput */
export async function createServiceKey(
  ctx: TokenContext,
  input: { name: string },
): Promise<TokenRow & { key: string }> {
  const problems: Problem[] = [];
  const name = checkTokenName(input.name, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  return insertKey(ctx, 'service', { name, scopes: [SERVICE_SCOPE], expires_at: null });
}

function checkTokenName(given: string, problems: Problem[]): string {
  const name = given.trim();
  if (name === '' || name.length > MAX_TOKEN_NAME)
    problems.push({ path: 'name', given, expected: `1 to ${MAX_TOKEN_NAME} characters` });
  return name;
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

/** The newest first, also those that open nothing any more. */
export async function listTokens(
  ctx: Pick<Context, 'db'>,
  page: { limit: number; before?: Id | undefined },
): Promise<Token[]> {
  return (await readTokens(ctx.db, 'api', page)).map(toToken);
}

/** The token of whoever asks, or of their session; null for somebody who came without. */
export async function findOwnToken(ctx: Pick<Context, 'db'>, visitor: Visitor): Promise<Token | null> {
  const row = visitor.name === null ? undefined : await readToken(ctx.db, visitor.name);
  return row === undefined ? null : toToken(row);
}

/**
 * Closes a token for good, and every session that was begun with it. A second time changes nothing.
 * @param given its id; or, as a text, the part that names it, its id, or the whole token
 * @throws Refused `not_found`
 */
export async function revokeToken(ctx: TokenContext, given: Id | string): Promise<Token> {
  return toToken(await revokeKey(ctx, 'api', given));
}

/** Revokes a token of the API or a key of the search service. @throws Refused `not_found` */
export async function revokeKey(
  ctx: TokenContext,
  opens: TokenPurpose,
  given: Id | string,
): Promise<TokenRow> {
  return inTransaction(ctx.db, async (tx) => {
    const row = await lockTokenRow(tx, opens, given);
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
 * Gives a token another key: its name, its scopes, its end and the part that names it stay. Sessions that were begun with the
 * former key end with it; a key before that one ends now.
 * @param graceSeconds how long the former key opens, too, from 0 to {@link MAX_GRACE_SECONDS}
 * @returns the token and, this once, its new key
 * @throws InvalidInput @throws Refused `not_found`, or `conflict` where it opens nothing any more
 */
export async function rotateToken(
  ctx: TokenContext,
  given: Id | string,
  graceSeconds: number,
): Promise<Token & { key: string }> {
  const { key, ...row } = await rotateKey(ctx, 'api', given, graceSeconds);
  return { ...toToken(row), key };
}

/** The same for whatever it opens. */
export async function rotateKey(
  ctx: TokenContext,
  opens: TokenPurpose,
  given: Id | string,
  graceSeconds: number,
): Promise<TokenRow & { key: string }> {
  if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS)
    throw new InvalidInput([
      {
        path: 'grace_seconds',
        given: graceSeconds,
        expected: `a whole number from 0 to ${MAX_GRACE_SECONDS} (7 days)`,
      },
    ]);
  return inTransaction(ctx.db, async (tx) => {
    const row = await lockTokenRow(tx, opens, given);
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
async function lockTokenRow(tx: Transaction, opens: TokenPurpose, given: Id | string): Promise<TokenRow> {
  const { key, words, where } = KEY_KINDS[opens];
  // Whoever pastes the whole token means that token.
  const named = typeof given === 'string' ? (keyIdOf(given, key) ?? given) : given;
  const row = await lockToken(tx, opens, named);
  if (row === undefined) throw new Refused('not_found', `there is no such ${words}${where}`);
  return row;
}

/** Whether it opens anything. */
export function isTokenActive(token: Pick<Token, 'revoked_at' | 'expires_at'>, now: Date): boolean {
  return token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

function toToken(row: TokenRow): Token {
  return { ...row, scopes: readScopes(row.scopes) };
}

/** What is known of what a row says. */
export function readScopes(stored: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => stored.includes(scope));
}
