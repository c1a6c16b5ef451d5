/**
 * Pauses of a search: by itself, with its topic, and with all searches. Each is a fact of its own with its own end, and a search is
 * paused while it has one. The scan makes it active after the last (`monitor/schedule/due-slots.ts`).
 */
import type { Id, Pooled, Transaction } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import type { PauseScope } from '../../model/closed-lists.ts';
import type { LockedSearch } from './search-states.ts';

/**
 * Sets a pause of a search whose state is `paused`; its other pauses stay.
 * @param before the search before this change @param end null: until somebody resumes it
 * @returns whether this changes anything
 */
export async function setPause(
  tx: Transaction,
  before: Pick<LockedSearch, 'id' | 'state'>,
  scope: PauseScope,
  end: Date | null,
): Promise<boolean> {
  const { rowCount } = await execute(
    tx,
    statement`UPDATE strandline.searches s SET paused_until = CASE WHEN ${scope} = 'search' THEN u.until ELSE u.own END,
        topic_paused_until = CASE WHEN ${scope} = 'topic' THEN u.until ELSE topic_paused_until END,
        all_paused_until = CASE WHEN ${scope} = 'all' THEN u.until ELSE all_paused_until END
      FROM (
        SELECT coalesce(${end}::timestamptz, 'infinity') AS until,
          CASE WHEN ${before.state === 'paused'} AND pause_ends_at IS NULL THEN 'infinity' ELSE paused_until END AS own
        FROM strandline.searches WHERE id = ${before.id}
      ) u
      WHERE s.id = ${before.id}
        AND u.until IS DISTINCT FROM CASE ${scope} WHEN 'search' THEN u.own WHEN 'topic' THEN topic_paused_until ELSE all_paused_until END`,
  );
  return rowCount === 1;
}

/**
 * Ends the pause of a search that it has with all searches.
 * @returns whether another pause still holds it; null if it has no such pause
 */
export async function endPauseWithAll(
  tx: Transaction,
  searchId: Id,
  now: Date,
): Promise<{ isHeld: boolean } | null> {
  const { rows } = await execute<{ isHeld: boolean }>(
    tx,
    statement`UPDATE strandline.searches SET all_paused_until = NULL WHERE id = ${searchId} AND all_paused_until IS NOT NULL
      RETURNING coalesce(greatest(paused_until, topic_paused_until) > ${now}, false) AS "isHeld"`,
  );
  return rows[0] ?? null;
}

/** The pause of all searches: how many it holds, and when it ends by itself; null: when somebody resumes them. */
export type PauseOfAll = { searches: number; until: Date | null };

/** Null if no search is paused with all searches. */
export async function readPauseOfAll({ pool }: Pooled): Promise<PauseOfAll | null> {
  const { rows } = await pool.query<PauseOfAll>({
    name: 'pause_of_all',
    text: `SELECT count(*)::int AS searches, nullif(max(all_paused_until), 'infinity') AS until FROM strandline.searches
     WHERE pause_ends_at IS NOT NULL AND all_paused_until IS NOT NULL AND archived_at IS NULL HAVING count(*) > 0`,
  });
  return rows[0] ?? null;
}
