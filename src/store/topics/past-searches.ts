/** Searches whose past is simulated: workers leave them alone until it is written. */
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, selectIds, statement } from '../db/statement.ts';

/** Why a search rests meanwhile. After a crash a person can resume it. */
const PAST_REASON = 'its past is being simulated';

/**
 * Stops active searches without a trace in their states, which figures are computed from, and takes back their first runs.
 * In the transaction that creates them, no worker sees them due.
 */
export async function holdForPast(tx: Transaction, searchIds: readonly Id[]): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.searches SET state = 'paused', state_reason = ${PAST_REASON}, next_due_at = NULL
      WHERE id = ANY (${searchIds}::bigint[]) AND state = 'active' AND NOT adaptive`,
  );
  await execute(
    tx,
    statement`DELETE FROM strandline.runs WHERE search_id = ANY (${searchIds}::bigint[]) AND status = 'queued'`,
  );
}

/** Makes the searches active again that {@link holdForPast} stopped, each with its next due time. */
export async function releaseFromPast(
  db: Queryable,
  due: readonly { searchId: Id; at: Date }[],
): Promise<void> {
  await execute(
    db,
    statement`UPDATE strandline.searches s SET state = 'active', state_reason = NULL, next_due_at = u.at
      FROM unnest(${due.map(({ searchId }) => searchId)}::bigint[], ${due.map(({ at }) => at)}::timestamptz[]) u(id, at)
      WHERE s.id = u.id AND s.state = 'paused' AND s.state_reason = ${PAST_REASON}`,
  );
}

/** Searches that {@link holdForPast} stopped, of any simulation. */
export function listHeldForPast(db: Queryable): Promise<Id[]> {
  return selectIds(
    db,
    statement`SELECT id FROM strandline.searches WHERE state = 'paused' AND state_reason = ${PAST_REASON} ORDER BY id`,
  );
}
