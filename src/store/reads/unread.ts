/** Paid responses whose results are not saved yet. */
import { MINUTE } from '../../engine/clock.ts';
import { type Database, type Id, timeOf } from '../database.ts';

/** A response is read right after it is stored; one that is unread for longer needs attention. */
const PROMPT_MS = MINUTE;

export type UnreadResponses = {
  /** Stored in the database, those of runs in progress included. */
  stored: number;
  /** On the disk of live workers: the database has not taken them yet. */
  spooled: number;
  /** Of those stored, unread for more than a minute. */
  late: number;
  /** When the oldest of those stored was received, how many seconds ago, and its run; null where none is unread. */
  oldest_at: Date | null;
  oldest_seconds: number | null;
  oldest_run_id: Id | null;
};

/** $1 the time, $2 in milliseconds how long a response may be unread, $3 since when live workers were heard of. */
const UNREAD = `
SELECT u.stored, w.spooled, u.late, o.received_at AS oldest_at, o.run_id AS oldest_run_id,
  extract(epoch FROM n.now - o.received_at)::float8 AS oldest_seconds
FROM (SELECT ${timeOf('$1')} AS now) n
CROSS JOIN LATERAL (
  SELECT count(*)::int AS stored, (count(*) FILTER (WHERE received_at < n.now - $2 * interval '1 ms'))::int AS late
  FROM strandline.answers WHERE read_at IS NULL
) u
CROSS JOIN (SELECT coalesce(sum(spooled), 0)::int AS spooled FROM strandline.workers WHERE seen_at > $3) w
LEFT JOIN LATERAL (
  SELECT received_at, run_id FROM strandline.answers WHERE read_at IS NULL ORDER BY received_at, run_id LIMIT 1
) o ON true`;

/**
 * @param times.statementTime the time of the statement; null: the database's
 * @param times.heardSince since when a worker that is alive was heard of
 */
export async function readUnread(
  { pool }: Pick<Database, 'pool'>,
  { statementTime, heardSince }: { statementTime: Date | null; heardSince: Date },
): Promise<UnreadResponses> {
  const { rows } = await pool.query<UnreadResponses>({
    name: 'read_unread',
    text: UNREAD,
    values: [statementTime, PROMPT_MS, heardSince],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('a count without a row');
  return row;
}
