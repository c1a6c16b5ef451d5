/**
 * Sessions. A session ends by timeout, with its token, or by sign-out. Also checks which tokens and sessions are still
 * valid, for open streams.
 */

import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { batched } from '../db/batches.ts';
import { type Database, type Id, type Pooled, type Queryable, onlyRow } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import { randomBytes } from 'node:crypto';

/** Idle timeout of a session. */
const MAX_SESSION_IDLE_MS = 12 * HOUR;
/** Maximum age of a session. */
export const MAX_SESSION_MS = 7 * DAY;

type LiveSession = { id: Id; prefix: string; scopes: string[] };

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
  const { now, tokenId } = session;
  const [idleSince, begun] = sessionLimitsAt(now);
  await execute(
    pool,
    statement`DELETE FROM strandline.sessions WHERE seen_at <= ${idleSince} OR created_at <= ${begun} OR ends_at <= ${now}`,
  );
  const [hash, keyHash] = [session.hash.toString('hex'), session.keyHash.toString('hex')];
  // A session of a rotated key ends with that key. Locks the token's row: a rotation or revocation either comes
  // first, and no session is created, or comes later and ends it.
  const { rowCount } = await execute(
    pool,
    statement`INSERT INTO strandline.sessions (hash, token_id, created_at, seen_at, ends_at)
      SELECT ${hash}, id, ${now}, ${now}, CASE WHEN hash = ${keyHash} THEN NULL ELSE former_until END FROM strandline.tokens
      WHERE id = ${tokenId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
        AND (hash = ${keyHash} OR (former_hash = ${keyHash} AND former_until > ${now}))
      FOR SHARE`,
  );
  return rowCount === 1;
}

/** The session of a cookie, if valid. Its last use is recorded at most once a minute. Lookups share statements. */
export async function findSession(db: Database, hash: Buffer, now: Date): Promise<LiveSession | undefined> {
  const row = await findSessionInBatch(db, { hash: hash.toString('hex'), now });
  if (row === undefined) return undefined;
  const { seen_at: seenAt, hash: _, ...session } = row;
  if (now.getTime() - seenAt.getTime() >= MINUTE)
    await execute(
      db.pool,
      statement`UPDATE strandline.sessions SET seen_at = greatest(seen_at, ${now}) WHERE id = ${session.id}`,
    );
  return session;
}

type SessionRow = LiveSession & { hash: string; seen_at: Date };

const findSessionInBatch = batched<{ hash: string; now: Date }, SessionRow | undefined>(
  async ({ pool }, lookups) => {
    const now = new Date(Math.max(...lookups.map((lookup) => lookup.now.getTime())));
    const hashes = [...new Set(lookups.map(({ hash }) => hash))];
    const [idleSince, begun] = sessionLimitsAt(now);
    const rows = await rowsOf<SessionRow>(
      pool,
      statement`SELECT s.id, s.hash, s.seen_at, t.prefix, t.scopes
        FROM strandline.sessions s JOIN strandline.tokens t ON t.id = s.token_id
        WHERE s.hash = ANY (${hashes}) AND s.seen_at > ${idleSince} AND s.created_at > ${begun} AND (s.ends_at IS NULL OR s.ends_at > ${now})
          AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now})`,
    );
    const byHash = new Map(rows.map((row) => [row.hash, row]));
    return lookups.map(({ hash }) => byHash.get(hash));
  },
  { most: 1_000, alone: false },
);

export async function deleteSession({ pool }: Pooled, id: Id): Promise<void> {
  await execute(pool, statement`DELETE FROM strandline.sessions WHERE id = ${id}`);
}

/** Ends the sessions of a revoked token. */
export async function deleteSessionsByToken(tx: Queryable, tokenId: Id): Promise<void> {
  await execute(tx, statement`DELETE FROM strandline.sessions WHERE token_id = ${tokenId}`);
}

/**
 * Ends sessions of a token whose key is rotated: sessions of the replaced key end when it expires, sessions of an earlier key
 * now.
 * @param at when the replaced key expires; null: now
 */
export async function endSessionsByToken(tx: Queryable, tokenId: Id, at: Date | null): Promise<void> {
  await execute(
    tx,
    statement`DELETE FROM strandline.sessions WHERE token_id = ${tokenId} AND (${at}::timestamptz IS NULL OR ends_at IS NOT NULL)`,
  );
  await execute(tx, statement`UPDATE strandline.sessions SET ends_at = ${at} WHERE token_id = ${tokenId}`);
}

/** Secret for form tokens, 32 bytes: created on first use, shared by all processes. */
export async function readFormSecret({ pool }: Pooled, now: Date): Promise<Buffer> {
  await execute(
    pool,
    statement`INSERT INTO strandline.form_secret (secret, made_at) VALUES (${randomBytes(32).toString('hex')}, ${now}) ON CONFLICT (one) DO NOTHING`,
  );
  const { rows } = await pool.query<{ secret: string }>('SELECT secret FROM strandline.form_secret');
  return Buffer.from(onlyRow(rows, 'the form secret is missing').secret, 'hex');
}

function sessionLimitsAt(now: Date): [idleSince: Date, begun: Date] {
  return [new Date(now.getTime() - MAX_SESSION_IDLE_MS), new Date(now.getTime() - MAX_SESSION_MS)];
}

/** Which of these tokens, by prefix, are still valid, with the hashes of their keys in hex. */
export async function readOpenTokens(
  { pool }: Pooled,
  prefixes: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (prefixes.length === 0) return new Map();
  const { rows } = await execute<{ prefix: string; hash: string; former: string | null }>(
    pool,
    statement`SELECT prefix, hash, CASE WHEN former_until > ${now} THEN former_hash END AS former FROM strandline.tokens
      WHERE prefix = ANY (${prefixes}) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`,
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
  const { rows } = await execute<{ id: Id }>(
    pool,
    statement`SELECT id FROM strandline.sessions WHERE id = ANY (${ids}) AND (ends_at IS NULL OR ends_at > ${now})`,
  );
  return new Set(rows.map(({ id }) => id));
}
