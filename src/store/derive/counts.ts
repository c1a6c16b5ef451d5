/**
 * Counters since the database was created. Succeeded runs are counted by the follower, in the transaction that first
 * sees their readings, and tools of failed ones when they end; discoveries by their IDs, which ascend in commit order; everything else by triggers
 * (`0000_tables`).
 */
import type { Id, Pooled, Transaction } from '../db/database.ts';

/** Upper bounds of the histograms, in seconds; the trigger for failed runs (`0000_tables`) repeats the first ones. */
export const LATENESS_BOUNDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600] as const;
export const SAVE_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/**
 * Counters and their labels, in this order. Only add names: labels are stored. `service` is the kind of the service; it and
 * `data` are empty for what was counted before there were these labels.
 */
export const COUNTS = {
  runs: ['service', 'status', 'code'],
  /** One bucket each; `le` is a bound of {@link LATENESS_BOUNDS} or `+Inf`. */
  run_lateness: ['service', 'le'],
  run_lateness_sum: ['service'],
  save: ['service', 'le'],
  save_sum: ['service'],
  items_seen: ['service'],
  calls: ['service', 'purpose', 'state', 'code'],
  call_cost_usd: ['service'],
  /** Tools that ended runs asked: `responded`, `silent`, or `unknown`. */
  run_tools: ['tool', 'outcome', 'service'],
  rejects: ['code', 'service'],
  discoveries: ['kind', 'baseline', 'service'],
  deliveries: ['state'],
  repairs: ['kind'],
} as const satisfies Record<string, readonly string[]>;

export type CountName = keyof typeof COUNTS;
export type Count = { name: CountName; labels: string[]; n: number };

/** Row of `counts` whose `n` is the ID up to which discoveries are counted. */
const COUNTED_UNTIL = 'discoveries_until';
const COUNT_DISCOVERIES = (until: string) => `
  SELECT 'discoveries' AS name, ARRAY[d.kind, d.baseline::text, v.kind] AS labels, count(*)::float8 AS n
  FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.services v ON v.id = s.service_id
  WHERE d.id > ${until} GROUP BY d.kind, d.baseline, v.kind`;

/** A consistent snapshot of all counters; missing ones are zero. */
export async function readCounts({ pool }: Pooled): Promise<Count[]> {
  const { rows } = await pool.query<Count>(
    `SELECT name, labels, sum(n)::float8 AS n
     FROM (
       SELECT * FROM strandline.counts UNION ALL SELECT * FROM strandline.count_increments
       UNION ALL ${COUNT_DISCOVERIES(`(SELECT n FROM strandline.counts WHERE name = '${COUNTED_UNTIL}')`)}
     ) c
     WHERE name = ANY ($1) GROUP BY name, labels ORDER BY name, labels`,
    [Object.keys(COUNTS)],
  );
  return rows;
}

/** Counts events that leave no row. */
export async function addCounts({ pool }: Pooled, steps: readonly Count[]): Promise<void> {
  const some = steps.filter(({ n }) => n > 0);
  if (some.length === 0) return;
  await pool.query(
    `INSERT INTO strandline.count_increments (name, labels, n)
     SELECT s.name, s.labels, s.n FROM json_to_recordset($1::json) AS s(name text, labels text[], n float8)`,
    [JSON.stringify(some)],
  );
}

const bucketLabel = (value: string, bounds: readonly number[]) =>
  `strandline.bucket_of(${value}, '{${bounds.join(',')}}')`;

/** $1 readings. */
const COUNT_SAVED = `
WITH saved AS MATERIALIZED (
  SELECT r.id, v.kind, r.items_seen, p.saved_seconds,
    CASE WHEN r.slot_at IS NOT NULL THEN greatest(0, extract(epoch FROM r.started_at - r.slot_at)) END AS late
  FROM strandline.pending_derivations p JOIN strandline.runs r ON r.id = p.run_id
  JOIN strandline.searches s ON s.id = r.search_id JOIN strandline.services v ON v.id = s.service_id
  WHERE p.id = ANY ($1::bigint[])
)
INSERT INTO strandline.count_increments (name, labels, n)
SELECT 'runs', ARRAY[kind, 'succeeded', ''], count(*) FROM saved GROUP BY kind
UNION ALL SELECT 'run_lateness', ARRAY[kind, ${bucketLabel('late', LATENESS_BOUNDS)}], count(*) FROM saved WHERE late IS NOT NULL GROUP BY 2
UNION ALL SELECT 'run_lateness_sum', ARRAY[kind], sum(late) FROM saved WHERE late IS NOT NULL GROUP BY kind
UNION ALL SELECT 'save', ARRAY[kind, ${bucketLabel('saved_seconds', SAVE_BOUNDS)}], count(*) FROM saved WHERE saved_seconds IS NOT NULL GROUP BY 2
UNION ALL SELECT 'save_sum', ARRAY[kind], sum(saved_seconds) FROM saved GROUP BY kind HAVING sum(saved_seconds) IS NOT NULL
UNION ALL SELECT 'items_seen', ARRAY[kind], sum(items_seen) FROM saved GROUP BY kind HAVING sum(items_seen) IS NOT NULL
UNION ALL SELECT 'run_tools', ARRAY[t.tool, CASE WHEN t.responded THEN 'responded' WHEN NOT t.responded THEN 'silent' ELSE 'unknown' END, kind], count(*)
  FROM saved JOIN strandline.run_tools t ON t.run_id = saved.id WHERE t.asked GROUP BY 2
UNION ALL SELECT 'rejects', ARRAY[j.code, kind], count(*) FROM saved JOIN strandline.rejects j ON j.run_id = saved.id GROUP BY 2`;

/** Counts the succeeded runs of these readings, with the contents of their responses. */
export async function countSaved(tx: Transaction, readings: readonly Id[]): Promise<void> {
  if (readings.length > 0) await tx.query({ name: 'count_saved', text: COUNT_SAVED, values: [readings] });
}

/**
 * Adds up the steps, and counts new discoveries: in one statement, so that readers see each exactly once. Concurrent
 * calls take different steps; the rows of sums are locked in one order, starting with that of discoveries.
 */
export async function foldCounts({ pool }: Pooled): Promise<void> {
  await pool.query(
    `WITH until AS MATERIALIZED (
       SELECT n FROM strandline.counts WHERE name = '${COUNTED_UNTIL}' FOR NO KEY UPDATE
     ), taken AS (DELETE FROM strandline.count_increments RETURNING name, labels, n),
     added AS (
       SELECT name, labels, n FROM taken
       UNION ALL SELECT * FROM (${COUNT_DISCOVERIES('(SELECT n FROM until)')}) d
       UNION ALL SELECT '${COUNTED_UNTIL}', '{}', max(id) - (SELECT n FROM until) FROM strandline.discoveries
         WHERE id > (SELECT n FROM until) HAVING max(id) IS NOT NULL
     )
     INSERT INTO strandline.counts AS c (name, labels, n)
     SELECT name, labels, sum(n) FROM added GROUP BY name, labels ORDER BY name, labels
     ON CONFLICT (name, labels) DO UPDATE SET n = c.n + excluded.n`,
  );
}
