import type { DateFilter, Operation } from '../../contract/enumerations.ts';
import type { Id, Transaction } from '../database.ts';
import { type Quarter, quartersOf } from './quarters.ts';
import { type Before, type Reach, reachOf, UNKNOWN_EVERY_SECONDS } from './reach.ts';

/** So many of a run's newest posts come again by chance only where they stand in a list of the newest. */
const REPEATED = 5;

/**
 * What decides how far back a run saw. The interval of a cron schedule is the distance to the slot before,
 * which has its row whether it was run or not. Whether an answer repeats the one before it is asked where it is full.
 * $1 run, $2 time of its answer, $3 posts.
 */
const LOOK_BACK = `
SELECT r.search_id, r.request_version, s.operation, v.date_filter, v.every_seconds,
  CASE WHEN v.every_seconds IS NULL THEN extract(epoch FROM coalesce(r.slot_at, r.created_at) - (
    SELECT coalesce(span_until, slot_at) FROM strandline.runs p
    WHERE p.search_id = r.search_id AND p.slot_at < coalesce(r.slot_at, r.created_at) ORDER BY p.slot_at DESC LIMIT 1
  ))::float8 END AS since_slot_seconds,
  a.asked, c.observed_until AS last_until, c.most_posts,
  CASE WHEN $3::integer >= least(c.most_posts, a.asked) THEN (
    SELECT count(*) = ${REPEATED} AND bool_and(n.id = ANY (rr.post_ids)) FROM strandline.run_results rr, (
      SELECT u.id FROM strandline.run_results b, unnest(b.post_ids) u(id)
      CROSS JOIN LATERAL (
        SELECT post_created_at AS at FROM strandline.post_sightings WHERE search_id = r.search_id AND post_id = u.id OFFSET 0
      ) g
      WHERE b.run_id = c.run_id AND g.at IS NOT NULL
      ORDER BY least(g.at, c.observed_until) DESC, u.id DESC LIMIT ${REPEATED}
    ) n WHERE rr.run_id = r.id
  ) ELSE false END AS repeats,
  (SELECT max(ended_at) FROM strandline.search_states
    WHERE search_id = r.search_id AND state <> 'active' AND ended_at <= $2) AS resumed_at,
  (SELECT max(began_at) FROM strandline.search_states
    WHERE search_id = r.search_id AND state <> 'active' AND began_at < $2 AND (ended_at IS NULL OR ended_at > $2)) AS stopped_at
FROM strandline.runs r
JOIN strandline.searches s ON s.id = r.search_id
JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.version
CROSS JOIN LATERAL (
  SELECT CASE WHEN jsonb_typeof(v.extra -> 'count') = 'number' THEN (v.extra ->> 'count')::float8 END AS asked OFFSET 0
) a
LEFT JOIN LATERAL (
  SELECT run_id, observed_until, most_posts FROM strandline.coverage
  WHERE search_id = r.search_id AND observed_until < $2 AND request_version = r.request_version AND run_id <> r.id
  ORDER BY observed_until DESC LIMIT 1
) c ON true
WHERE r.id = $1`;

export type LookBack = {
  search_id: Id;
  request_version: number;
  operation: Operation;
  date_filter: DateFilter | null;
  every_seconds: number | null;
  since_slot_seconds: number | null;
  asked: number | null;
  last_until: Date | null;
  most_posts: number | null;
  repeats: boolean;
  resumed_at: Date | null;
  stopped_at: Date | null;
};

/**
 * Writes down what a run could see, and adds to the quarters of its search. Those to which nothing is added are
 * left alone: a run of operation A sees the same week as the one before.
 * $1 search, $2 when the quarters begin, $3 posts, $4 minutes, $5 cut; $6 run (null: no coverage is kept),
 * $7 request version, $8 seen until, $9 seen from, $10 reached, $11 interval, $12 posts, $13 most posts.
 */
const ROLL_UP = `
WITH kept AS (
  INSERT INTO strandline.coverage (run_id, search_id, request_version, observed_until, observed_from, reached_from,
    every_seconds, posts, most_posts)
  SELECT $6, $1, $7, $8, $9, $10, $11, $12, $13 WHERE $6::bigint IS NOT NULL
  ON CONFLICT (run_id) DO UPDATE SET observed_until = excluded.observed_until, observed_from = excluded.observed_from,
    reached_from = excluded.reached_from, every_seconds = excluded.every_seconds, posts = excluded.posts,
    most_posts = excluded.most_posts
)
INSERT INTO strandline.volume AS v (search_id, bucket_at, posts, minutes, cut)
SELECT $1, q.at, q.posts, q.minutes, q.cut
FROM unnest($2::timestamptz[], $3::integer[], $4::bit(15)[], $5::boolean[]) AS q(at, posts, minutes, cut)
LEFT JOIN LATERAL (
  SELECT * FROM strandline.volume WHERE search_id = $1 AND bucket_at = q.at OFFSET 0
) v ON true
WHERE v.search_id IS NULL OR q.posts > 0 OR (v.minutes | q.minutes) <> v.minutes OR (q.cut AND NOT v.cut)
ORDER BY q.at
ON CONFLICT (search_id, bucket_at) DO UPDATE
  SET posts = v.posts + excluded.posts, minutes = v.minutes | excluded.minutes, cut = v.cut OR excluded.cut`;

/** A run and its answer, as far as volume is concerned. Times are milliseconds since 1970. */
export type Observed = {
  runId: Id;
  observedAt: Date;
  /** Between two slots, where that was written down before; null: it is asked. */
  everySeconds?: number | null;
  /** How many posts the answer holds, and the times of those that have one. */
  posts: number;
  times: readonly number[];
  /** Times of those that are new to the search; null where a post has none: it stands in no quarter. */
  newTimes: readonly (number | null)[];
};

/**
 * Writes down what a run could see, and counts its new posts in the quarters of their own time. A post that
 * claims to be from after it was seen is counted when it was seen. Each run once: the sightings decide what is new.
 * Sends its statement before it waits for anything.
 */
export async function rollUp(tx: Transaction, look: LookBack, observed: Observed): Promise<void> {
  const { runId, observedAt, posts, times, newTimes } = observed;
  const seenAt = observedAt.getTime();
  const notAfter = (time: number) => Math.min(time, seenAt);
  const before = beforeOf(look, observed.everySeconds);
  const reach = reachOf(before, { observedAt: seenAt, posts, times: times.map(notAfter) });
  const known = newTimes.filter((time) => time !== null);
  const coverage = reach && {
    runId,
    requestVersion: look.request_version,
    reach,
    everySeconds: before.everySeconds,
    posts,
    mostPosts: Math.max(posts, look.most_posts ?? 0),
  };
  await addVolume(tx, look.search_id, quartersOf(reach, known.map(notAfter)), coverage);
}

/** Counts posts of a response whose run has a newer one: what the run could see stays as it is. */
export async function addNewPosts(
  tx: Transaction,
  found: { searchId: Id; observedAt: Date; newTimes: readonly (number | null)[] },
): Promise<void> {
  const seenAt = found.observedAt.getTime();
  const times = found.newTimes.flatMap((time) => (time === null ? [] : [Math.min(time, seenAt)]));
  await addVolume(tx, found.searchId, quartersOf(null, times), null);
}

type Coverage = {
  runId: Id;
  requestVersion: number;
  reach: Reach;
  everySeconds: number;
  posts: number;
  mostPosts: number;
};

/** The one statement that writes volume. */
export async function addVolume(
  tx: Transaction,
  searchId: Id,
  quarters: readonly Quarter[],
  coverage: Coverage | null,
): Promise<void> {
  if (quarters.length === 0 && coverage === null) return;
  await tx.query({
    name: 'roll_up',
    text: ROLL_UP,
    values: [
      searchId,
      quarters.map((one) => new Date(one.at)),
      quarters.map((one) => one.posts),
      quarters.map((one) => one.minutes),
      quarters.map((one) => one.cut),
      ...(coverage === null
        ? Array<null>(8).fill(null)
        : [
            coverage.runId,
            coverage.requestVersion,
            new Date(coverage.reach.until),
            new Date(coverage.reach.from),
            new Date(coverage.reach.reached),
            coverage.everySeconds,
            coverage.posts,
            coverage.mostPosts,
          ]),
    ],
  });
}

/** What `rollUp` has to know of the run and of those before it. */
export async function lookBack(
  tx: Transaction,
  { runId, observedAt, posts }: Pick<Observed, 'runId' | 'observedAt' | 'posts'>,
): Promise<LookBack> {
  const { rows } = await tx.query<LookBack>({
    name: 'look_back',
    text: LOOK_BACK,
    values: [runId, observedAt, posts],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('a run whose posts are counted is not there');
  return row;
}

function beforeOf(look: LookBack, known: number | null | undefined): Before {
  const every = known ?? look.every_seconds ?? look.since_slot_seconds ?? UNKNOWN_EVERY_SECONDS;
  return {
    operation: look.operation,
    dateFilter: look.date_filter,
    everySeconds: Math.round(every),
    asked: look.asked,
    lastUntil: look.last_until?.getTime() ?? null,
    mostPosts: look.most_posts,
    repeats: look.repeats,
    resumedAt: look.resumed_at?.getTime() ?? null,
    stoppedAt: look.stopped_at?.getTime() ?? null,
  };
}
