/** Tokens: made, listed, closed. Used by the command line, the API and the pages alike. */
import { InvalidInput, type Problem, Refused } from '../../errors.ts';
import { keyIdOf, makeKey } from '../../engine/keys.ts';
import { deleteSessionsOf } from '../../store/sessions.ts';
import { closeToken, insertToken, readTokens, type TokenRow } from '../../store/tokens.ts';
import type { Id } from '../../store/database.ts';
import type { Context } from '../context.ts';
import { Denied } from './denied.ts';
import { allowedBy, mayDo, type Scope, SCOPES, type Visitor } from './scopes.ts';

export type Token = Omit<TokenRow, 'scopes'> & { scopes: Scope[] };

const NAME_MAX = 60;

/** Who runs commands on this machine may do everything. */
export const OPERATOR: Pick<Visitor, 'scopes'> = { scopes: allowedBy(SCOPES) };

/**
 * Makes a token. From then on the API and the dashboard ask for one.
 * @param input.expires_at null: it does not end by itself
 * @param maker gives no more than they have
 * @returns the token and, this once, its key
 * @throws InvalidInput, or Denied `scope` where its maker may not do what it is to do
 */
export async function createToken(
  ctx: Pick<Context, 'db' | 'clock'>,
  input: { name: string; scopes: readonly Scope[]; expires_at?: Date | null | undefined },
  maker: Pick<Visitor, 'scopes'>,
): Promise<Token & { key: string }> {
  const now = ctx.clock.now();
  const name = input.name.trim();
  const expiresAt = input.expires_at ?? null;
  const problems: Problem[] = [];
  if (name === '' || name.length > NAME_MAX)
    problems.push({ path: 'name', given: input.name, expected: `1 to ${NAME_MAX} characters` });
  if (input.scopes.length === 0)
    problems.push({ path: 'scopes', given: input.scopes, expected: `at least one of ${SCOPES.join(', ')}` });
  if (expiresAt !== null && expiresAt <= now)
    problems.push({ path: 'expires_at', given: expiresAt, expected: 'a time to come' });
  if (problems.length > 0) throw new InvalidInput(problems);
  if (!mayDo(maker, input.scopes))
    throw new Denied('scope', 'a token cannot be given scopes that whoever makes it has not');
  const { key, id, hash } = makeKey('st');
  const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
  const row = await insertToken(ctx.db, { prefix: id, name, scopes, expires_at: expiresAt, hash, now });
  return { ...tokenOf(row), key };
}

/** The newest first, also those that open nothing any more. */
export async function listTokens(
  ctx: Pick<Context, 'db'>,
  page: { limit: number; before?: Id | undefined },
): Promise<Token[]> {
  return (await readTokens(ctx.db, 'api', page)).map(tokenOf);
}

/**
 * Closes a token for good, and every session that was begun with it. A second time changes nothing.
 * @param given its id; or, as a text, the part that names it, its id, or the whole token
 * @throws Refused `not_found`
 */
export async function revokeToken(ctx: Pick<Context, 'db' | 'clock'>, given: Id | string): Promise<Token> {
  // Whoever pastes the whole token means that token.
  const named = typeof given === 'string' ? (keyIdOf(given, 'st') ?? given) : given;
  const row = await closeToken(ctx.db, 'api', named, ctx.clock.now());
  if (row === undefined) throw new Refused('not_found', 'there is no such token');
  await deleteSessionsOf(ctx.db, row.id);
  return tokenOf(row);
}

/** Whether it opens anything. */
export function isOpen(token: Pick<Token, 'revoked_at' | 'expires_at'>, now: Date): boolean {
  return token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

function tokenOf(row: TokenRow): Token {
  return { ...row, scopes: scopesIn(row.scopes) };
}

/** What is known of what a row says. */
export function scopesIn(stored: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => stored.includes(scope));
}
