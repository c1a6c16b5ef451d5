import type { Database, Id } from '../database.ts';

const TOKENS = `
SELECT prefix FROM strandline.tokens
WHERE prefix = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`;

/** Which of these tokens, given by the part that names them, still open something. */
export async function readOpenTokens(
  { pool }: Pick<Database, 'pool'>,
  prefixes: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (prefixes.length === 0) return new Set();
  const { rows } = await pool.query<{ prefix: string }>(TOKENS, [prefixes, now]);
  return new Set(rows.map(({ prefix }) => prefix));
}

/** Which of these sessions were not ended. */
export async function readSessionsThere(
  { pool }: Pick<Database, 'pool'>,
  ids: readonly Id[],
): Promise<ReadonlySet<Id>> {
  if (ids.length === 0) return new Set();
  const { rows } = await pool.query<{ id: Id }>('SELECT id FROM strandline.sessions WHERE id = ANY ($1)', [
    ids,
  ]);
  return new Set(rows.map(({ id }) => id));
}
