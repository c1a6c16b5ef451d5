import type { Database } from './database.ts';

/** Upper bounds of the histograms, in seconds: those that the triggers of migration 0031 use. */
export const LATENESS_BOUNDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600] as const;
export const SAVE_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** What is counted, and what its labels are, in this order. Only ever add a name: labels are stored. */
export const COUNTS = {
  runs: ['service', 'status', 'code'],
  /** One bucket each; `le` is a bound of {@link LATENESS_BOUNDS} or `+Inf`. */
  run_lateness: ['service', 'le'],
  run_lateness_sum: ['service'],
  save: ['le'],
  save_sum: [],
  items_seen: [],
  calls: ['service', 'purpose', 'state', 'code'],
  call_cost_usd: ['service'],
  rejects: ['code'],
  discoveries: ['kind', 'baseline'],
  deliveries: ['state'],
  repairs: ['kind'],
} as const satisfies Record<string, readonly string[]>;

export type CountName = keyof typeof COUNTS;
export type Count = { name: CountName; labels: string[]; n: number };

/** Everything that was counted, as of one moment; what is not there is zero. */
export async function readCounts({ pool }: Pick<Database, 'pool'>): Promise<Count[]> {
  const { rows } = await pool.query<Count>(
    `SELECT name, labels, sum(n)::float8 AS n
     FROM (SELECT * FROM strandline.counts UNION ALL SELECT * FROM strandline.count_steps) c
     WHERE name = ANY ($1) GROUP BY name, labels ORDER BY name, labels`,
    [Object.keys(COUNTS)],
  );
  return rows;
}

/** Counts what no row tells of. */
export async function addCounts({ pool }: Pick<Database, 'pool'>, steps: readonly Count[]): Promise<void> {
  const some = steps.filter(({ n }) => n > 0);
  if (some.length === 0) return;
  await pool.query(
    `INSERT INTO strandline.count_steps (name, labels, n)
     SELECT s.name, s.labels, s.n FROM json_to_recordset($1::json) AS s(name text, labels text[], n float8)`,
    [JSON.stringify(some)],
  );
}

/**
 * Adds the steps up: in one statement, so that whoever reads meanwhile sees each of them once. Two who do it at once
 * take different steps; the rows of sums are locked in one order.
 */
export async function foldCounts({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query(
    `WITH taken AS (DELETE FROM strandline.count_steps RETURNING name, labels, n)
     INSERT INTO strandline.counts AS c (name, labels, n)
     SELECT name, labels, sum(n) FROM taken GROUP BY name, labels ORDER BY name, labels
     ON CONFLICT (name, labels) DO UPDATE SET n = c.n + excluded.n`,
  );
}
