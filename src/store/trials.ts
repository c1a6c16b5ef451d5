/** The ledger of calls that try out a search before it is saved: as that of runs, and against the same daily limit. */
import type { Operation } from '../contract/enumerations.ts';
import type { RunCode } from '../errors.ts';
import type { Database, Id } from './database.ts';
import type { Definition } from './searches.ts';

/** What is asked, without when. */
export type Request = Pick<
  Definition,
  'prompt' | 'tools' | 'model' | 'date_filter' | 'streaming' | 'extra'
> & { operation: Operation };

/** Counted in the day and written in one statement, which is committed before the request is sent. */
const OPEN = `
WITH day AS (
  INSERT INTO strandline.call_days AS d (service_id, day, calls)
  SELECT $1, ($2::timestamptz AT TIME ZONE 'UTC')::date, 1 WHERE $4::int IS NULL OR $4::int > 0
  ON CONFLICT (service_id, day) DO UPDATE SET calls = d.calls + 1 WHERE $4::int IS NULL OR d.calls < $4::int
  RETURNING calls
)
INSERT INTO strandline.trials (service_id, sent_at, deadline_at, operation, prompt, tools, model, date_filter, streaming, extra, state)
SELECT $1, $2, $3, $5, $6, $7::text[], $8, $9, $10, $11::jsonb, 'sent' FROM day
RETURNING id`;

/**
 * @param input.callsPerDay most calls per UTC day to this service, those of runs included; `null`: no limit
 * @param input.deadline when nobody can hear of the call any more
 * @returns the trial's key; `null` where the calls of the day are used up
 */
export async function openTrial(
  db: Database,
  input: { serviceId: Id; request: Request; callsPerDay: number | null; now: Date; deadline: Date },
): Promise<Id | null> {
  const { operation, prompt, tools, model, date_filter, streaming, extra } = input.request;
  const { rows } = await db.pool.query<{ id: Id }>(OPEN, [
    input.serviceId,
    input.now,
    input.deadline,
    input.callsPerDay,
    operation,
    prompt,
    tools,
    model,
    date_filter,
    streaming,
    JSON.stringify(extra),
  ]);
  return rows[0]?.id ?? null;
}

/** How a trial's call ended; one that was given up may still be told of. */
export async function closeTrial(
  db: Database,
  input: {
    id: Id;
    state: 'received' | 'failed' | 'unknown';
    code: RunCode | null;
    httpStatus: number | null;
    bytes: number | null;
    latencyMs: number | null;
    costUsd: number | null;
    now: Date;
  },
): Promise<void> {
  await db.pool.query(
    `UPDATE strandline.trials SET state = $2, code = $3, http_status = $4, bytes = $5, latency_ms = $6, cost_usd = $7, received_at = $8
     WHERE id = $1 AND state IN ('sent', 'unknown')`,
    [
      input.id,
      input.state,
      input.code,
      input.httpStatus,
      input.bytes,
      input.latencyMs,
      input.costUsd,
      input.now,
    ],
  );
}

/** Why an answer that came could not be read. */
export async function noteUnreadable(db: Database, id: Id, code: RunCode): Promise<void> {
  await db.pool.query(`UPDATE strandline.trials SET code = $2 WHERE id = $1 AND state = 'received'`, [
    id,
    code,
  ]);
}

/** Trials whose process ended between sending and hearing: they may have been answered, so they count as paid. */
export async function markUnknownTrials(db: Database, now: Date): Promise<number> {
  const { rowCount } = await db.pool.query(
    `UPDATE strandline.trials SET state = 'unknown', code = 'unknown_outcome', received_at = $1
     WHERE state = 'sent' AND deadline_at < $1`,
    [now],
  );
  return rowCount ?? 0;
}

/** Which of these posts (by their id at the service) and links (by canonical address) are in the database. */
export async function knownAmong(
  db: Database,
  input: { serviceId: Id; posts: readonly string[]; links: readonly string[] },
): Promise<{ posts: ReadonlySet<string>; links: ReadonlySet<string> }> {
  const [posts, links] = await Promise.all([
    db.pool.query<{ external_id: string }>(
      'SELECT external_id FROM strandline.posts WHERE service_id = $1 AND external_id = ANY ($2::text[])',
      [input.serviceId, input.posts],
    ),
    db.pool.query<{ canonical: string }>(
      'SELECT canonical FROM strandline.links WHERE canonical = ANY ($1::text[])',
      [input.links],
    ),
  ]);
  return {
    posts: new Set(posts.rows.map((row) => row.external_id)),
    links: new Set(links.rows.map((row) => row.canonical)),
  };
}
