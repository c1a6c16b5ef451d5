/** What must hold after an interleaving, checked on its few rows. */
import type { PoolClient } from 'pg';
import type { Id } from '../../src/store/db/database.ts';
import type { Plan } from './plan.ts';
import type { PlayRecord, Scene } from './stage.ts';

export type Findings = {
  violations: string[];
  /** What must hold once all pending work is done. */
  atTheEnd: string[];
  /** Runs that are running, and runs with unread responses. */
  running: Id[];
  unread: Id[];
  /** Calls that count, as run/call. */
  paid: string[];
};

/** Each has a condition that finds a violation. $1 service, $2 searches, $3 first slot of the first search. */
const CHECKS: Readonly<Record<string, string>> = {
  'P1: a slot has two rows': `SELECT FROM r WHERE slot_at IS NOT NULL GROUP BY search_id, slot_at HAVING count(*) > 1`,
  'P1: a slot has no row': `
    SELECT FROM s WHERE s.id = ($2::bigint[])[1] AND s.state IN ('active', 'capped') AND s.archived_at IS NULL
      AND extract(epoch FROM s.next_due_at - $3::timestamptz) / 60
        <> (SELECT count(*) FROM r WHERE r.search_id = s.id AND r.slot_at >= $3)
          + (SELECT count(*) FROM strandline.search_states x, generate_series($3::timestamptz, s.next_due_at, interval '1 minute') slot
             WHERE x.search_id = s.id AND x.state IN ('paused', 'broken') AND slot > x.began_at AND slot <= x.ended_at)`,
  'P1: an active search is never due': `SELECT FROM s WHERE state IN ('active', 'capped') AND archived_at IS NULL AND next_due_at IS NULL
    AND NOT EXISTS (SELECT FROM strandline.search_pace p WHERE p.search_id = s.id AND p.due_at IS NOT NULL)`,
  'P1: a queued run is never offered': `SELECT FROM r WHERE status = 'queued' AND offer_at IS NULL`,
  'P1: a search that was stopped has a queued run': `
    SELECT FROM r JOIN s ON s.id = r.search_id WHERE r.status = 'queued'
      AND (s.archived_at IS NOT NULL OR (s.state IN ('paused', 'broken') AND r.trigger <> 'manual'))`,
  'two runs of a search are running': `SELECT FROM r WHERE status = 'running' GROUP BY search_id HAVING count(*) > 1`,
  'P3: a run made more calls than it may': `SELECT FROM c GROUP BY run_id HAVING count(*) > $4::int`,
  'P3: more calls of the day than it allows': `
    SELECT FROM paid GROUP BY date_trunc('day', sent_at, 'UTC') HAVING count(*) > $5::int`,
  'P3: more calls of the minute than it allows': `SELECT FROM paid HAVING count(*) > $6::int`,
  'P3: the day counts other calls than the ledger': `
    SELECT WHERE (SELECT count(*) FROM paid) <> (SELECT coalesce(sum(calls), 0) FROM strandline.call_days WHERE service_id = $1)`,
  'P3: the minute counts other calls than the ledger': `
    SELECT WHERE $6::int IS NOT NULL AND (SELECT coalesce(array_agg(sent_at ORDER BY sent_at), '{}') FROM paid)
      <> coalesce((SELECT ARRAY(SELECT unnest(sent_at) ORDER BY 1) FROM strandline.call_minutes WHERE service_id = $1), '{}')`,
  'P3: a refunded call has a response': `SELECT FROM c JOIN a USING (run_id, n) WHERE c.refunded`,
  'P4: sightings and discoveries differ': `
    SELECT FROM s WHERE (SELECT count(*) FROM strandline.discoveries d WHERE d.search_id = s.id AND kind = 'post')
      <> (SELECT count(*) FROM strandline.post_sightings g WHERE g.search_id = s.id)`,
  'P4: runs count other new items than the feed': `
    SELECT FROM s WHERE (SELECT count(*) FROM strandline.discoveries d WHERE d.search_id = s.id AND kind = 'post')
      <> (SELECT coalesce(sum(items_new), 0) FROM r WHERE r.search_id = s.id)`,
  'P4: other posts are counted, or wait to be, than were seen': `
    SELECT FROM s WHERE (SELECT coalesce(sum(posts), 0) FROM strandline.volume v WHERE v.search_id = s.id)
      + (SELECT coalesce(sum(cardinality(new_posts)), 0) FROM strandline.pending_derivations p WHERE p.search_id = s.id)
      <> (SELECT count(*) FROM strandline.post_sightings g WHERE g.search_id = s.id)`,
  'P9: a response was read and its posts were not saved': `
    SELECT FROM a JOIN r ON r.id = a.run_id WHERE a.read_at IS NOT NULL AND a.bytes > 200 AND NOT EXISTS (
      SELECT FROM strandline.posts p JOIN strandline.post_sightings g ON g.post_id = p.id AND g.search_id = r.search_id
      WHERE p.service_id = $1 AND p.external_id = a.run_id || '0' || a.n)`,
  'P9: posts of an unread response were saved': `
    SELECT FROM a WHERE a.read_at IS NULL AND EXISTS (
      SELECT FROM strandline.posts p WHERE p.service_id = $1 AND p.external_id = a.run_id || '0' || a.n)`,
  'a succeeded run has no result': `
    SELECT FROM r WHERE status = 'succeeded' AND NOT EXISTS (SELECT FROM strandline.run_results x WHERE x.run_id = r.id)`,
  'an ended run has a lease or is offered': `
    SELECT FROM r WHERE status NOT IN ('queued', 'running') AND (lease_until IS NOT NULL OR offer_at IS NOT NULL)`,
  'an Idempotency-Key created two runs': `SELECT FROM r WHERE trigger = 'manual' HAVING count(*) > 1`,
  'a stored reply names a run that is not there': `
    SELECT FROM strandline.idempotency_keys k WHERE k.key = $7 AND k.reply IS NOT NULL
      AND NOT EXISTS (SELECT FROM r WHERE r.id::text = k.reply)`,
};

/** The same once everything that was left to do is done. */
const AT_THE_END: Readonly<Record<string, string>> = {
  'P2: the ledger never learns how a call ended': `SELECT FROM c JOIN r ON r.id = c.run_id WHERE c.state = 'sent' AND r.ended_at IS NOT NULL`,
};

const listed = (checks: Readonly<Record<string, string>>) =>
  `array_remove(ARRAY[${Object.entries(checks)
    .map(([name, sql]) => `CASE WHEN EXISTS (${sql}) THEN '${name}' END`)
    .join(',\n')}], NULL)`;

const QUESTION = `
WITH s AS MATERIALIZED (SELECT * FROM strandline.searches WHERE id = ANY ($2::bigint[])),
r AS MATERIALIZED (SELECT * FROM strandline.runs WHERE search_id = ANY ($2::bigint[])),
c AS MATERIALIZED (SELECT * FROM strandline.calls WHERE service_id = $1),
a AS MATERIALIZED (SELECT run_id, n, read_at, bytes FROM strandline.responses WHERE run_id = ANY (ARRAY(SELECT id FROM r))),
paid AS MATERIALIZED (
  SELECT sent_at FROM c WHERE NOT refunded UNION ALL SELECT sent_at FROM strandline.trials WHERE service_id = $1 AND NOT refunded
)
SELECT ${listed(CHECKS)} AS violations, ${listed(AT_THE_END)} AS "atTheEnd",
ARRAY(SELECT id FROM r WHERE status = 'running') AS running,
ARRAY(SELECT DISTINCT run_id FROM a WHERE read_at IS NULL) AS unread,
ARRAY(SELECT run_id || '/' || n FROM c WHERE NOT refunded) AS paid`;

export async function check(observer: PoolClient, scene: Scene, { limits }: Plan): Promise<Findings> {
  const { rows } = await observer.query<Findings>({
    name: 'check',
    text: QUESTION,
    values: [
      scene.service,
      scene.searches,
      scene.firstSlot,
      limits.perRun,
      limits.perDay ?? 2_000,
      limits.perMinute ?? null,
      scene.key,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('expected one row');
  return row;
}

/** What is known from outside of the database. */
export function checkRecord(
  { requests, executions, isRequestOverdue, died }: PlayRecord,
  { paid }: Pick<Findings, 'paid'>,
): string[] {
  const sent = new Set(requests);
  const twice = sent.size < requests.length;
  const unsent = paid.filter((call) => !sent.has(call));
  const unpaid = requests.filter((call) => !paid.includes(call));
  return [
    // Nobody knows whether a process that died had sent its call.
    ...(unsent.length > 0 && !died ? [`P3: calls that were never sent count: ${unsent.join(', ')}`] : []),
    ...(unpaid.length > 0 ? [`P3: calls that were sent do not count: ${unpaid.join(', ')}`] : []),
    ...(twice ? ['a call was sent twice'] : []),
    ...(executions.length > 1 && !isRequestOverdue
      ? ['a request was executed twice within its time limit']
      : []),
  ];
}
