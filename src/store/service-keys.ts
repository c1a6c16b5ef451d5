import type { Database } from './database.ts';

/** The hash of a key of the search service, by the part of it that names it; undefined when unknown or revoked. */
export async function findServiceKeyHash(db: Database, prefix: string): Promise<Buffer | undefined> {
  const { rows } = await db.pool.query<{ hash: string }>(
    `SELECT hash FROM strandline.tokens WHERE prefix = $1 AND 'service' = ANY (scopes) AND revoked_at IS NULL`,
    [prefix],
  );
  const hash = rows[0]?.hash;
  return hash === undefined ? undefined : Buffer.from(hash, 'hex');
}
