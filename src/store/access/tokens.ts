/** Tokens of the API and dashboard, and keys of the search service: one table with separate scopes. */
import { and, arrayContains, desc, eq, inArray, isNull, lt, not, or, sql } from 'drizzle-orm';
import { MINUTE } from '../../lib/time.ts';
import { batched } from '../db/batches.ts';
import { createOrm, type Database, type Id, type Orm, type Transaction, onlyRow } from '../db/database.ts';
import { tokens } from '../schema/system-tables.ts';

/** A token without its secret. */
export type TokenRow = Omit<typeof tokens.$inferSelect, 'hash' | 'former_hash' | 'former_until'> & {
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
 * Newest first, including revoked and expired tokens.
 * @param page.before only those created before the token with this ID
 */
export async function readTokens(
  { orm }: Orm,
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

/** @param token.hash SHA-256 of the whole token, which is never stored */
export async function insertToken(
  tx: Transaction,
  token: Pick<TokenRow, 'prefix' | 'name' | 'scopes' | 'expires_at'> & { hash: Buffer; now: Date },
): Promise<TokenRow> {
  const { hash, now, ...fields } = token;
  const rows = await createOrm(tx)
    .insert(tokens)
    .values({ ...fields, hash: hash.toString('hex'), created_at: now })
    .returning(SHOWN_COLUMNS);
  return onlyRow(rows);
}

/**
 * Locks the token's row, to serialize changes.
 * @param idOrPrefix its ID; a text is its prefix, or a short ID
 * @returns undefined if it does not exist
 */
export async function lockToken(
  tx: Transaction,
  opens: TokenPurpose,
  idOrPrefix: Id | string,
): Promise<TokenRow | undefined> {
  // A prefix has eight characters, so fewer digits are an ID.
  const named =
    typeof idOrPrefix === 'string' && !/^\d{1,7}$/.test(idOrPrefix)
      ? eq(prefix, idOrPrefix)
      : eq(id, BigInt(idOrPrefix));
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
 * Replaces the key of a token; its prefix is unchanged.
 * @param key.hash SHA-256 of the new key
 * @param key.formerUntil when the previous key expires; null: now
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

type FoundToken = Pick<TokenRow, 'id' | 'prefix' | 'scopes' | 'last_used_at'> & { keyHashes: Buffer[] };
type TokenLookup = { opens: TokenPurpose; prefix: string; now: Date };

const MAX_LOOKUPS = 1_000;

/**
 * Scopes and key hashes of a token, the current key first, by prefix; undefined if unknown, revoked or expired. Lookups
 * share statements: however many strangers send unknown tokens, they use one connection, and a right token waits for two
 * statements at most.
 */
export const findToken = batched<TokenLookup, FoundToken | undefined>(readTokensByPrefix, {
  most: MAX_LOOKUPS,
  alone: false,
});

/** Prefixes are unique over all purposes. */
async function readTokensByPrefix(
  { orm }: Orm,
  lookups: readonly TokenLookup[],
): Promise<(FoundToken | undefined)[]> {
  const { hash, former_hash, former_until } = tokens;
  const rows = await orm
    .select({ id, prefix, scopes, last_used_at, expires_at, hash, former_hash, former_until })
    .from(tokens)
    .where(and(inArray(prefix, [...new Set(lookups.map((lookup) => lookup.prefix))]), isNull(revoked_at)));
  const byPrefix = new Map(rows.map((row) => [row.prefix, row]));
  return lookups.map(({ opens, prefix: named, now }) => {
    const row = byPrefix.get(named);
    if (row === undefined) return undefined;
    const { hash: present, former_hash: former, former_until: until, expires_at: end, ...token } = row;
    const isOfPurpose = token.scopes.includes(SERVICE_SCOPE) === (opens === 'service');
    if (!isOfPurpose || (end !== null && end <= now)) return undefined;
    const keyHashes = [Buffer.from(present, 'hex')];
    if (former !== null && until !== null && until > now) keyHashes.push(Buffer.from(former, 'hex'));
    return { ...token, keyHashes };
  });
}

/** A token of the API by prefix, even if revoked or expired. */
export async function readToken({ orm }: Orm, named: string): Promise<TokenRow | undefined> {
  const [row] = await orm
    .select(SHOWN_COLUMNS)
    .from(tokens)
    .where(and(eq(prefix, named), PURPOSE_CONDITIONS.api))
    .limit(1);
  return row;
}

/** Records the last use of a token, at most once a minute. */
export async function touchToken(
  { orm }: Orm,
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

/**
 * Whether any token of the API was created and not revoked. Expired tokens count: expiry must not open access that
 * they closed. Concurrent requests share statements that start after them.
 */
export function hasTokens(db: Database): Promise<boolean> {
  return hasTokensInBatch(db, undefined);
}

const hasTokensInBatch = batched<undefined, boolean>(
  async ({ orm }, questions) => {
    const rows = await orm
      .select({ id })
      .from(tokens)
      .where(and(PURPOSE_CONDITIONS.api, isNull(revoked_at)))
      .limit(1);
    return questions.map(() => rows.length > 0);
  },
  { most: MAX_LOOKUPS, alone: false },
);
