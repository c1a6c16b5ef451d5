/** Tokens of the API and the dashboard, and keys of the search service: one table, in which neither sees the other. */
import { and, arrayContains, desc, eq, isNull, lt, not, or, sql } from 'drizzle-orm';
import { MINUTE } from '../domain/time.ts';
import { type Database, type Id, createOrm, type Transaction } from './database.ts';
import { tokens } from './schema/system-tables.ts';

/** A token without its secret. */
export type TokenRow = {
  id: Id;
  /** First eight characters, which identify it. */
  prefix: string;
  name: string;
  scopes: string[];
  created_at: Date;
  last_used_at: Date | null;
  /** Null: it does not expire. */
  expires_at: Date | null;
  revoked_at: Date | null;
  /** Until when the previous key is also valid; null if never rotated, or if it was revoked immediately. */
  rotating_until: Date | null;
};

const { id, prefix, name, scopes, created_at, last_used_at, expires_at, revoked_at } = tokens;
const rotatingUntil = tokens.former_until;
const SHOWN_COLUMNS = {
  id,
  prefix,
  name,
  scopes,
  created_at,
  last_used_at,
  expires_at,
  revoked_at,
  rotating_until: rotatingUntil,
};

/** What a token gives access to: the API and dashboard, or the search service. */
export type TokenPurpose = 'api' | 'service';

/** The only scope of a search service key. */
export const SERVICE_SCOPE = 'service';
const isServiceToken = arrayContains(scopes, [SERVICE_SCOPE]);
const PURPOSE_CONDITIONS = { api: not(isServiceToken), service: isServiceToken } satisfies Record<
  TokenPurpose,
  unknown
>;

/**
 * The newest first, those that are revoked or past their end too.
 * @param page.before only those made before the token of this id
 */
export async function readTokens(
  { orm }: Pick<Database, 'orm'>,
  opens: TokenPurpose,
  page: { limit: number; before?: Id | undefined },
): Promise<TokenRow[]> {
  const older = page.before === undefined ? undefined : lt(id, page.before);
  return orm
    .select(SHOWN_COLUMNS)
    .from(tokens)
    .where(and(PURPOSE_CONDITIONS[opens], older))
    .orderBy(desc(id))
    .limit(page.limit);
}

/** @param token.hash SHA-256 of the whole token; the token itself is never kept */
export async function insertToken(
  tx: Transaction,
  token: Pick<TokenRow, 'prefix' | 'name' | 'scopes' | 'expires_at'> & { hash: Buffer; now: Date },
): Promise<TokenRow> {
  const { hash, now, ...told } = token;
  const [row] = await createOrm(tx)
    .insert(tokens)
    .values({ ...told, hash: hash.toString('hex'), created_at: now })
    .returning(SHOWN_COLUMNS);
  if (row === undefined) throw new Error('the token row was not returned');
  return row;
}

/**
 * Locks the token's row, to serialize changes.
 * @param given its id; a text is its prefix, or its id while that is short
 * @returns undefined where there is none
 */
export async function lockToken(
  tx: Transaction,
  opens: TokenPurpose,
  given: Id | string,
): Promise<TokenRow | undefined> {
  // A prefix has eight characters: fewer digits are the id.
  const named =
    typeof given === 'string' && !/^\d{1,7}$/.test(given) ? eq(prefix, given) : eq(id, BigInt(given));
  const [row] = await createOrm(tx)
    .select(SHOWN_COLUMNS)
    .from(tokens)
    .where(and(named, PURPOSE_CONDITIONS[opens]))
    .for('update');
  return row;
}

/** Revokes its current and previous key. */
export async function closeToken(tx: Transaction, which: Id, now: Date): Promise<void> {
  await createOrm(tx)
    .update(tokens)
    .set({ revoked_at: now, former_hash: null, former_until: null })
    .where(eq(id, which));
}

/**
 * Gives a token another key under the same prefix.
 * @param key.hash SHA-256 of the new key
 * @param key.formerUntil until when the key that it had opens, too; null: it ends now
 */
export async function replaceKey(
  tx: Transaction,
  which: Id,
  key: { hash: Buffer; formerUntil: Date | null },
): Promise<void> {
  const former = key.formerUntil === null ? null : sql`${tokens.hash}`;
  await createOrm(tx)
    .update(tokens)
    .set({ hash: key.hash.toString('hex'), former_hash: former, former_until: key.formerUntil })
    .where(eq(id, which));
}

/**
 * What a token may do and the hashes of the keys that open it, the present one first, by the part that names it; undefined when it is
 * unknown, revoked or past its end.
 */
export async function findToken(
  { orm }: Pick<Database, 'orm'>,
  opens: TokenPurpose,
  named: string,
  now: Date,
): Promise<
  (Pick<TokenRow, 'id' | 'prefix' | 'scopes' | 'last_used_at'> & { keyHashes: Buffer[] }) | undefined
> {
  const lasts = or(isNull(expires_at), sql`${expires_at} > ${now.toISOString()}`);
  const { hash, former_hash, former_until } = tokens;
  const [row] = await orm
    .select({ id, prefix, scopes, last_used_at, hash, former_hash, former_until })
    .from(tokens)
    .where(and(eq(prefix, named), PURPOSE_CONDITIONS[opens], isNull(revoked_at), lasts))
    .limit(1);
  if (row === undefined) return undefined;
  const { hash: present, former_hash: former, former_until: until, ...token } = row;
  const keyHashes = [Buffer.from(present, 'hex')];
  if (former !== null && until !== null && until > now) keyHashes.push(Buffer.from(former, 'hex'));
  return { ...token, keyHashes };
}

/** A token of the API by the part that names it, whatever became of it. */
export async function readToken(
  { orm }: Pick<Database, 'orm'>,
  named: string,
): Promise<TokenRow | undefined> {
  const [row] = await orm
    .select(SHOWN_COLUMNS)
    .from(tokens)
    .where(and(eq(prefix, named), PURPOSE_CONDITIONS.api))
    .limit(1);
  return row;
}

/** Records the last use of a token, at most once a minute. */
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
    .where(and(PURPOSE_CONDITIONS.api, isNull(revoked_at)))
    .limit(1);
  return rows.length > 0;
}
