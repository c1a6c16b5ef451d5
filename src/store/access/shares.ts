/** Links to shared pages: what each one shows, until when, and the hash of its key. */
import { and, desc, eq, inArray, isNull, lt, or } from 'drizzle-orm';
import { HOUR } from '../../lib/time.ts';
import { batched } from '../db/batches.ts';
import { createOrm, type Id, onlyRow, type Orm, type Transaction } from '../db/database.ts';
import { shares } from '../schema/system-tables.ts';

/** A link without its key. */
export type ShareRow = Omit<typeof shares.$inferSelect, 'hash'>;

const { hash: keyHashText, ...SHOWN_COLUMNS } = {
  id: shares.id,
  prefix: shares.prefix,
  name: shares.name,
  address: shares.address,
  created_by: shares.created_by,
  created_at: shares.created_at,
  expires_at: shares.expires_at,
  last_opened_at: shares.last_opened_at,
  revoked_at: shares.revoked_at,
  hash: shares.hash,
};

/** Newest first, including revoked and expired ones. @param page.before only those created before the one with this ID */
export async function readShares(
  { orm }: Orm,
  { limit, before }: { limit: number; before?: Id | undefined },
): Promise<ShareRow[]> {
  return orm
    .select(SHOWN_COLUMNS)
    .from(shares)
    .where(before === undefined ? undefined : lt(shares.id, before))
    .orderBy(desc(shares.id))
    .limit(limit);
}

/** @param named its ID, or its prefix */
export async function readShare({ orm }: Orm, named: Id | string): Promise<ShareRow | undefined> {
  const [row] = await orm
    .select(SHOWN_COLUMNS)
    .from(shares)
    .where(typeof named === 'string' ? eq(shares.prefix, named) : eq(shares.id, named));
  return row;
}

const MAX_LOOKUPS = 1_000;

/**
 * A link by the prefix of its key, even if revoked or expired, with the SHA-256 of the key. Lookups share statements: strangers
 * who send unknown keys use one connection, however many they are.
 */
export const findShare = batched<string, { share: ShareRow; keyHash: Buffer } | undefined>(
  async ({ orm }, prefixes) => {
    const rows = await orm
      .select({ ...SHOWN_COLUMNS, hash: keyHashText })
      .from(shares)
      .where(inArray(shares.prefix, [...new Set(prefixes)]));
    const byPrefix = new Map(
      rows.map(({ hash, ...share }) => [share.prefix, { share, keyHash: Buffer.from(hash, 'hex') }]),
    );
    return prefixes.map((prefix) => byPrefix.get(prefix));
  },
  { most: MAX_LOOKUPS, alone: false },
);

/** @param share.hash SHA-256 of the whole key, which is never stored */
export async function insertShare(
  tx: Transaction,
  { hash, ...share }: Omit<ShareRow, 'id' | 'last_opened_at' | 'revoked_at'> & { hash: Buffer },
): Promise<ShareRow> {
  const rows = await createOrm(tx)
    .insert(shares)
    .values({ ...share, hash: hash.toString('hex') })
    .returning(SHOWN_COLUMNS);
  return onlyRow(rows);
}

/** @returns whether this call revoked it: false if it was revoked before */
export async function closeShare(tx: Transaction, id: Id, now: Date): Promise<boolean> {
  const rows = await createOrm(tx)
    .update(shares)
    .set({ revoked_at: now })
    .where(and(eq(shares.id, id), isNull(shares.revoked_at)))
    .returning({ id: shares.id });
  return rows.length > 0;
}

/** Records that a page was opened, at most once an hour. */
export async function touchShare(
  { orm }: Orm,
  share: Pick<ShareRow, 'id' | 'last_opened_at'>,
  now: Date,
): Promise<void> {
  const hourAgo = new Date(now.getTime() - HOUR);
  if (share.last_opened_at !== null && share.last_opened_at > hourAgo) return;
  const stale = or(isNull(shares.last_opened_at), lt(shares.last_opened_at, hourAgo));
  await orm
    .update(shares)
    .set({ last_opened_at: now })
    .where(and(eq(shares.id, share.id), stale));
}
