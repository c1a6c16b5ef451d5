/**
 * Sessions. A session ends by timeout, with its token, or by sign-out. Also checks which tokens and sessions are still
 * valid, for open streams.
 */

import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { batched } from '../db/batches.ts';
import { type Database, type Id, type Pooled, type Queryable, onlyRow } from '../db/database.ts';
import { randomBytes } from 'node:crypto';

/** Idle timeout of a session. */
const MAX_SESSION_IDLE_MS = 12 * HOUR;
/** Maximum age of a session. */
export const MAX_SESSION_MS = 7 * DAY;

type LiveSession = { id: Id; prefix: string; scopes: string[] };

/** $1 hashes, $2 now, $3 minimum last use, $4 minimum start. */
const IS_LIVE = `
SELECT s.id, s.hash, s.seen_at, t.prefix, t.scopes
FROM strandline.sessions s JOIN strandline.tokens t ON t.id = s.token_id
WHERE s.hash = ANY ($1) AND s.seen_at > $3 AND s.created_at > $4 AND (s.ends_at IS NULL OR s.ends_at > $2)
  AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2)`;

/**
 * $1 hash of the cookie, $2 token, $3 hash of its key, $4 now. A session of a rotated key ends with that key. Locks
 * the token's row: a rotation or revocation either comes first, and no session is created, or comes later and ends
 * it.
 */
const INSERT_SESSION = `
INSERT INTO strandline.sessions (hash, token_id, created_at, seen_at, ends_at)
SELECT $1, id, $4, $4, CASE WHEN hash = $3 THEN NULL ELSE former_until END FROM strandline.tokens
WHERE id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)
  AND (hash = $3 OR (former_hash = $3 AND former_until > $4))
FOR SHARE`;

/**
 * Creates a session, and deletes expired ones.
 * @param session.hash of the cookie
 * @param session.keyHash of the key used to sign in
 * @returns false if the key is no longer valid
 */
export async function insertSession(
  { pool }: Pooled,
  session: { hash: Buffer; tokenId: Id; keyHash: Buffer; now: Date },
): Promise<boolean> {
  const { now } = session;
  await pool.query(
    'DELETE FROM strandline.sessions WHERE seen_at <= $1 OR created_at <= $2 OR ends_at <= $3',
    [...sessionLimitsAt(now), now],
  );
  const { rowCount } = await pool.query(INSERT_SESSION, [
    session.hash.toString('hex'),
    session.tokenId,
    session.keyHash.toString('hex'),
    now,
  ]);
  return rowCount === 1;
}

/** The session of a cookie, if valid. Its last use is recorded at most once a minute. Lookups share statements. */
export async function findSession(db: Database, hash: Buffer, now: Date): Promise<LiveSession | undefined> {
  const row = await findSessionInBatch(db, { hash: hash.toString('hex'), now });
  if (row === undefined) return undefined;
  const { seen_at: seenAt, hash: _, ...session } = row;
  if (now.getTime() - seenAt.getTime() >= MINUTE)
    await db.pool.query('UPDATE strandline.sessions SET seen_at = greatest(seen_at, $2) WHERE id = $1', [
      session.id,
      now,
    ]);
  return session;
}

type SessionRow = LiveSession & { hash: string; seen_at: Date };

const findSessionInBatch = batched<{ hash: string; now: Date }, SessionRow | undefined>(
  async ({ pool }, lookups) => {
    const now = new Date(Math.max(...lookups.map((one) => one.now.getTime())));
    const { rows } = await pool.query<SessionRow>(IS_LIVE, [
      [...new Set(lookups.map(({ hash }) => hash))],
      now,
      ...sessionLimitsAt(now),
    ]);
    const byHash = new Map(rows.map((row) => [row.hash, row]));
    return lookups.map(({ hash }) => byHash.get(hash));
  },
  { most: 1_000, alone: false },
);

export async function deleteSession({ pool }: Pooled, id: Id): Promise<void> {
  await pool.query('DELETE FROM strandline.sessions WHERE id = $1', [id]);
}

/** Ends the sessions of a revoked token. */
export async function deleteSessionsByToken(tx: Queryable, tokenId: Id): Promise<void> {
  await tx.query('DELETE FROM strandline.sessions WHERE token_id = $1', [tokenId]);
}

/**
 * Ends sessions of a token whose key is rotated: those of the replaced key when it expires, those of an earlier key
 * now.
 * @param at when the replaced key expires; null: now
 */
export async function endSessionsByToken(tx: Queryable, tokenId: Id, at: Date | null): Promise<void> {
  await tx.query(
    'DELETE FROM strandline.sessions WHERE token_id = $1 AND ($2::timestamptz IS NULL OR ends_at IS NOT NULL)',
    [tokenId, at],
  );
  await tx.query('UPDATE strandline.sessions SET ends_at = $2 WHERE token_id = $1', [tokenId, at]);
}

/** Secret for form tokens, 32 bytes: created on first use, shared by all processes. */
export async function readFormSecret({ pool }: Pooled, now: Date): Promise<Buffer> {
  await pool.query(
    'INSERT INTO strandline.form_secret (secret, made_at) VALUES ($1, $2) ON CONFLICT (one) DO NOTHING',
    [randomBytes(32).toString('hex'), now],
  );
  const { rows } = await pool.query<{ secret: string }>('SELECT secret FROM strandline.form_secret');
  return Buffer.from(onlyRow(rows, 'the form secret is missing').secret, 'hex');
}

function sessionLimitsAt(now: Date): [idleSince: Date, begun: Date] {
  return [new Date(now.getTime() - MAX_SESSION_IDLE_MS), new Date(now.getTime() - MAX_SESSION_MS)];
}

const SELECT_OPEN_TOKENS = `
SELECT prefix, hash, CASE WHEN former_until > $2 THEN former_hash END AS former FROM strandline.tokens
WHERE prefix = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`;

/** Which of these tokens, by prefix, are still valid, with the hashes of their keys in hex. */
export async function readOpenTokens(
  { pool }: Pooled,
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

/** Which of these sessions are still valid. */
export async function readOpenSessions(
  { pool }: Pooled,
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
