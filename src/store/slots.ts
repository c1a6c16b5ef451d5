import type { Id, Transaction } from './database.ts';

/** What a tick needs to know about a search, read under its row lock. */
export type TickingSearch = {
  id: Id;
  slug: string;
  version: number;
  request_version: number;
  state: 'active' | 'paused' | 'broken' | 'capped';
  archived_at: Date | null;
  created_at: Date;
  next_due_at: Date | null;
  cron: string | null;
  every_seconds: number | null;
  tz: string;
  service_id: Id;
  service_kind: 'sandbox' | 'own' | 'hosted';
};

/** Locks the search's row: tick, pause, edit and remove of one search wait for each other here. */
export async function lockSearch(tx: Transaction, searchId: Id): Promise<TickingSearch | null> {
  const { rows } = await tx.query<TickingSearch>({
    name: 'lock_search',
    text: `SELECT s.id, s.slug, s.version, v.request_version, s.state, s.archived_at, s.created_at, s.next_due_at,
       v.cron, v.every_seconds, v.tz, s.service_id, sv.kind AS service_kind
     FROM strandline.searches s
     JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
     JOIN strandline.services sv ON sv.id = s.service_id
     WHERE s.id = $1 FOR UPDATE OF s`,
    values: [searchId],
  });
  return rows[0] ?? null;
}

/** Whether a run of this search waits or is under way. */
export async function hasOpenRun(tx: Transaction, searchId: Id): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'open_run',
    text: `SELECT FROM strandline.runs WHERE search_id = $1 AND status IN ('queued', 'running') LIMIT 1`,
    values: [searchId],
  });
  return rows.length > 0;
}

export type SlotRow = {
  slotAt: Date;
  status: 'queued' | 'skipped';
  reason: string | null;
  spanUntil: Date | null;
  spanSlots: number | null;
};

/**
 * Writes the run row of each due slot, in one statement. A slot that already has its row keeps it:
 * UNIQUE (search_id, slot_at) decides between two ticks of the same slot.
 * @returns ids of the rows that are queued
 */
export async function insertSlots(
  tx: Transaction,
  search: Pick<TickingSearch, 'id' | 'version' | 'request_version'>,
  slots: readonly SlotRow[],
  now: Date,
): Promise<Id[]> {
  const { rows } = await tx.query<{ id: Id; status: string }>({
    name: 'insert_slots',
    text: `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, reason, slot_at, span_until, span_slots, created_at, ended_at)
     SELECT $1, $2, $3, 'schedule', u.status, u.reason, u.slot_at, u.span_until, u.span_slots, $9,
       CASE WHEN u.status = 'skipped' THEN $9::timestamptz END
     FROM unnest($4::timestamptz[], $5::text[], $6::text[], $7::timestamptz[], $8::int[])
       AS u(slot_at, status, reason, span_until, span_slots)
     ORDER BY u.slot_at
     ON CONFLICT (search_id, slot_at) DO NOTHING
     RETURNING id, status`,
    values: [
      search.id,
      search.version,
      search.request_version,
      slots.map((slot) => slot.slotAt),
      slots.map((slot) => slot.status),
      slots.map((slot) => slot.reason),
      slots.map((slot) => slot.spanUntil),
      slots.map((slot) => slot.spanSlots),
      now,
    ],
  });
  return rows.filter((row) => row.status === 'queued').map((row) => row.id);
}

export async function setNextDue(tx: Transaction, searchId: Id, at: Date | null): Promise<void> {
  await tx.query({
    name: 'next_due',
    text: 'UPDATE strandline.searches SET next_due_at = $2 WHERE id = $1',
    values: [searchId, at],
  });
}

/**
 * Moves a search to a state and remembers when, so that paused time is never read as silence. A search that
 * is in it already, for the same reason, stays as it is.
 */
export async function setState(
  tx: Transaction,
  searchId: Id,
  state: TickingSearch['state'],
  reason: string | null,
  now: Date,
): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE strandline.searches SET state = $2, state_reason = $3, state_since = $4,
       next_due_at = CASE WHEN $2 IN ('paused', 'broken') THEN NULL ELSE next_due_at END
     WHERE id = $1 AND (state, state_reason) IS DISTINCT FROM ($2, $3)`,
    [searchId, state, reason, now],
  );
  if (rowCount === 0) return;
  await tx.query(
    'UPDATE strandline.search_states SET ended_at = $2 WHERE search_id = $1 AND ended_at IS NULL',
    [searchId, now],
  );
  await tx.query(
    'INSERT INTO strandline.search_states (search_id, state, reason, began_at) VALUES ($1, $2, $3, $4)',
    [searchId, state, reason, now],
  );
}

/** Takes queued runs back, as a pause or a removal does. */
export async function cancelQueued(tx: Transaction, searchId: Id, reason: string, now: Date): Promise<void> {
  await tx.query(
    `UPDATE strandline.runs SET status = 'cancelled', reason = $2, ended_at = $3 WHERE search_id = $1 AND status = 'queued'`,
    [searchId, reason, now],
  );
}
