/** What the overview shows of all searches at once: a few statements, however many searches there are. */
import type { RunCode } from '../../errors.ts';
import type { Database, Id } from '../database.ts';
import type { RunStatus } from '../schema/analytics/runs.ts';

type Reads = Pick<Database, 'pool'>;

export type SearchNow = {
  search_id: Id;
  /** Posts as counted, and the share that was observed, 0 to 1. */
  posts: number;
  coverage: number;
  lower_bound: boolean;
  /** The newest run that ended; null where none did. */
  run_id: Id | null;
  run_status: RunStatus | null;
  run_code: RunCode | null;
  run_reason: string | null;
  run_ended_at: Date | null;
};

/** $1 from, $2 until. By the keys of the searches: to scan by time alone would read all of them. */
const NOW = `
SELECT s.id AS search_id, coalesce(v.posts, 0) AS posts, coalesce(v.cut, false) AS lower_bound,
  coalesce(v.minutes, 0)::float8 / (extract(epoch FROM $2::timestamptz - $1::timestamptz)::float8 / 60) AS coverage,
  r.id AS run_id, r.status AS run_status, r.code AS run_code, r.reason AS run_reason, r.ended_at AS run_ended_at
FROM strandline.searches s
LEFT JOIN (
  SELECT search_id, sum(posts)::int AS posts, sum(bit_count(minutes)::int) AS minutes, bool_or(cut AND bit_count(minutes) < 15) AS cut
  FROM strandline.volume
  WHERE search_id = ANY (ARRAY(SELECT id FROM strandline.searches WHERE archived_at IS NULL)) AND bucket_at >= $1 AND bucket_at < $2
  GROUP BY search_id
) v ON v.search_id = s.id
LEFT JOIN LATERAL (
  SELECT id, status, code, reason, ended_at FROM strandline.runs
  WHERE search_id = s.id AND ended_at IS NOT NULL ORDER BY id DESC LIMIT 1
) r ON true
WHERE s.archived_at IS NULL`;

/** Every search that is not removed: its posts of a time, in quarters of an hour, and how its last run ended. */
export async function readSearchesNow(
  { pool }: Reads,
  { from, until }: { from: Date; until: Date },
): Promise<SearchNow[]> {
  const { rows } = await pool.query<SearchNow>(NOW, [from, until]);
  return rows;
}

/** A day (UTC) on which something was unusual: the last one that its window reached into. */
export type SpikeDay = { search_id: Id; day_at: Date };

const SPIKE_DAYS = `
SELECT DISTINCT search_id, date_trunc('day', window_end - interval '1 millisecond', 'UTC') AS day_at
FROM strandline.spikes WHERE window_end > $1`;

/** Of all searches, since then. */
export async function readSpikeDays({ pool }: Reads, since: Date): Promise<SpikeDay[]> {
  const { rows } = await pool.query<SpikeDay>(SPIKE_DAYS, [since]);
  return rows;
}

export type SearchDay = {
  search_id: Id;
  day_at: Date;
  posts: number;
  /** Those that no other search of the topic had before: summed over the topic, each post once. */
  topic_posts: number;
  /** Share of the day (UTC) that was observed, 0 to 1. */
  coverage: number;
  lower_bound: boolean;
};

const DAYS = `
SELECT search_id, day_at, posts, topic_posts, minutes::float8 / 1440 AS coverage, cut AS lower_bound
FROM strandline.search_days WHERE day_at >= $1 AND day_at < $2 AND ($3::bigint[] IS NULL OR search_id = ANY ($3))
ORDER BY search_id, day_at`;

/** Days (UTC) of all searches, or of some, the oldest first. No row: nothing found and nothing observed. */
export async function readSearchDays(
  { pool }: Reads,
  { from, until, searchIds }: { from: Date; until: Date; searchIds?: readonly Id[] | undefined },
): Promise<SearchDay[]> {
  const { rows } = await pool.query<SearchDay>(DAYS, [from, until, searchIds ?? null]);
  return rows;
}
