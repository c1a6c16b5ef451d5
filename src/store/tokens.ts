/** Tokens of the API and the dashboard, and keys of the search service: one table, in which neither sees the other. */
import { and, arrayContains, desc, eq, isNull, lt, not, or, sql } from 'drizzle-orm';
import { MINUTE } from '../engine/clock.ts';
import type { Database, Id } from './database.ts';
import { tokens } from './schema/workers.ts';

/** A token, without anything that opens a door. */
export type TokenRow = {
  id: Id;
  /** The eight characters that name it. */
  prefix: string;
  name: string;
  scopes: string[];
  created_at: Date;
  last_used_at: Date | null;
  /** Null: it does not end by itself. */
  expires_at: Date | null;
  revoked_at: Date | null;
};

const { id, prefix, name, scopes, created_at, last_used_at, expires_at, revoked_at } = tokens;
const SHOWN = { id, prefix, name, scopes, created_at, last_used_at, expires_at, revoked_at };

/** What a token opens: this program's API and dashboard, or the search service. */
export type Opens = 'api' | 'service';

/** The one scope of a key of the search service. */
export const SERVICE_SCOPE = 'service';
const ofService = arrayContains(scopes, [SERVICE_SCOPE]);
const OPENING = { api: not(ofService), service: ofService } satisfies Record<Opens, unknown>;

/**
 * The newest first, those that are revoked or past their end too.
 * @param page.before only those made before the token of this id
 */
export async function readTokens(
  { orm }: Pick<Database, 'orm'>,
  opens: Opens,
  page: { limit: number; before?: Id | undefined },
): Promise<TokenRow[]> {
  const older = page.before === undefined ? undefined : lt(id, page.before);
  return orm.select(SHOWN).from(tokens).where(and(OPENING[opens], older)).orderBy(desc(id)).limit(page.limit);
}

/** @param token.hash SHA-256 of the whole token; the token itself is never kept */
export async function insertToken(
  { orm }: Pick<Database, 'orm'>,
  token: Pick<TokenRow, 'prefix' | 'name' | 'scopes' | 'expires_at'> & { hash: Buffer; now: Date },
): Promise<TokenRow> {
  const { hash, now, ...told } = token;
  const [row] = await orm
    .insert(tokens)
    .values({ ...told, hash: hash.toString('hex'), created_at: now })
    .returning(SHOWN);
  if (row === undefined) throw new Error('the row of the token was not returned');
  return row;
}

/**
 * @param given the id of a token; a text is its prefix, or its id while that is short
 * @returns the token as it is now; undefined where there is none
 */
export async function closeToken(
  { orm }: Pick<Database, 'orm'>,
  opens: Opens,
  given: Id | string,
  now: Date,
): Promise<TokenRow | undefined> {
  // A prefix has eight characters: fewer digits are the id.
  const named =
    typeof given === 'string' && !/^\d{1,7}$/.test(given) ? eq(prefix, given) : eq(id, BigInt(given));
  const which = and(named, OPENING[opens]);
  // The first revocation is the one that counts: a second changes nothing.
  await orm
    .update(tokens)
    .set({ revoked_at: now })
    .where(and(which, isNull(revoked_at)));
  const [row] = await orm.select(SHOWN).from(tokens).where(which).limit(1);
  return row;
}

/** What a token must match and may do, by the part that names it; undefined when it is unknown, revoked or past its end. */
export async function findToken(
  { orm }: Pick<Database, 'orm'>,
  opens: Opens,
  named: string,
  now: Date,
): Promise<(Pick<TokenRow, 'id' | 'prefix' | 'scopes' | 'last_used_at'> & { hash: Buffer }) | undefined> {
  const lasts = or(isNull(expires_at), sql`${expires_at} > ${now.toISOString()}`);
  const [row] = await orm
    .select({ id, prefix, scopes, last_used_at, hash: tokens.hash })
    .from(tokens)
    .where(and(eq(prefix, named), OPENING[opens], isNull(revoked_at), lasts))
    .limit(1);
  return row === undefined ? undefined : { ...row, hash: Buffer.from(row.hash, 'hex') };
}

/** Writes down that a token was used, at most once a minute. */
export async function touchToken(
  { orm }: Pick<Database, 'orm'>,
  token: Pick<TokenRow, 'id' | 'last_used_at'>,
  now: Date,
): Promise<void> {
  const minuteAgo = new Date(now.getTime() - MINUTE);
  if (token.last_used_at !== null && token.last_used_at > minuteAgo) return;
  const stale = or(isNull(last_used_at), lt(last_used_at, minuteAgo));
  await orm
    .update(tokens)
    .set({ last_used_at: now })
    .where(and(eq(id, token.id), stale));
}

/** Whether a token of the API was made and not revoked. One that is past its end counts: it must not open what it closed. */
export async function hasTokens({ orm }: Pick<Database, 'orm'>): Promise<boolean> {
  const rows = await orm
    .select({ id })
    .from(tokens)
    .where(and(OPENING.api, isNull(revoked_at)))
    .limit(1);
  return rows.length > 0;
}
