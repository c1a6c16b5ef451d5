import type { Database, Id } from '../database.ts';

const SELECT_OPEN_TOKENS = `
SELECT prefix, hash, CASE WHEN former_until > $2 THEN former_hash END AS former FROM strandline.tokens
WHERE prefix = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`;

/** Which of these tokens, given by the part that names them, still open something, and the hashes of their keys in hex. */
export async function readOpenTokens(
  { pool }: Pick<Database, 'pool'>,
  prefixes: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (prefixes.length === 0) return new Map();
  const { rows } = await pool.query<{ prefix: string; hash: string; former: string | null }>(
    SELECT_OPEN_TOKENS,
    [prefixes, now],
  );
  return new Map(
    rows.map(({ prefix, hash, former }) => [prefix, new Set(former === null ? [hash] : [hash, former])]),
  );
}

/** Which of these sessions were not ended, by somebody or by their time. */
export async function readOpenSessions(
  { pool }: Pick<Database, 'pool'>,
  ids: readonly Id[],
  now: Date,
): Promise<ReadonlySet<Id>> {
  if (ids.length === 0) return new Set();
  const { rows } = await pool.query<{ id: Id }>(
    'SELECT id FROM strandline.sessions WHERE id = ANY ($1) AND (ends_at IS NULL OR ends_at > $2)',
    [ids, now],
  );
  return new Set(rows.map(({ id }) => id));
}
