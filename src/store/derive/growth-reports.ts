/** Reports of posts that grew as a rule asks: found by the follower in the results of a batch, each once per search and condition. */
import { COUNTER_BY_PLURAL, engagementSql, POST_COUNTERS } from '../../model/counters.ts';
import {
  composeGrowthSentence,
  type GrowthFigures,
  type GrowthMeasure,
} from '../../model/growth-condition.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { AGES_SQL, knownCounterSql } from './counter-sql.ts';

export type NewGrowth = GrowthFigures & {
  search_id: Id;
  run_id: Id;
  post_id: Id;
  at: Date;
  sentence: string;
};

/** A run whose posts are examined, and for what. */
type GrowthQuestion = { run_id: Id; search_id: Id; at: Date; conditions: string[] };

/** Rules without a condition ask for what is unusual. $1 runs, $2 their searches, $3 when they were received. */
const SELECT_QUESTIONS = `
SELECT x.run_id, x.search_id, x.at, array_agg(DISTINCT c.condition) AS conditions
FROM strandline.rules r
CROSS JOIN LATERAL unnest(CASE WHEN cardinality(r.growth) = 0 THEN ARRAY['unusual'] ELSE r.growth END) c(condition)
JOIN (
  SELECT u.*, s.topic_id FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) u(run_id, search_id, at)
  JOIN strandline.searches s ON s.id = u.search_id
) x ON (r.topic_id IS NULL OR r.topic_id = x.topic_id) AND (r.search_id IS NULL OR r.search_id = x.search_id)
WHERE 'growth' = ANY (r.kinds) AND r.archived_at IS NULL AND r.state = 'active'
GROUP BY x.run_id, x.search_id, x.at ORDER BY x.at, x.run_id`;

/** What active rules on growth ask of these runs. Without such rules, one read of an empty index. */
export async function readGrowthQuestions(
  tx: Transaction,
  runs: readonly { run_id: Id; search_id: Id; at: Date }[],
): Promise<GrowthQuestion[]> {
  if (runs.length === 0) return [];
  const { rows } = await tx.query<GrowthQuestion>({
    name: 'growth_questions',
    text: SELECT_QUESTIONS,
    values: [
      runs.map(({ run_id }) => run_id),
      runs.map(({ search_id }) => search_id),
      runs.map(({ at }) => at),
    ],
  });
  return rows;
}

/** A counter or the engagement of a row `p` of `post_counters` at a time; null if unknown. */
function measureSql(measure: GrowthMeasure, time: string): string {
  if (measure !== 'engagement') return knownCounterSql('p', COUNTER_BY_PLURAL[measure], time);
  const known = POST_COUNTERS.map((counter) => `${knownCounterSql('p', counter, time)} AS ${counter}`);
  return `(SELECT ${engagementSql('k.')} FROM (SELECT ${known.join(', ')} OFFSET 0) k)`;
}

/**
 * Posts of a result that have reached a number and had not at the previous result of the search; one that the search sees
 * for the first time counts at once, because baselines are not examined. While the number before is unknown, nothing is
 * reported. $1 runs, $2 searches, $3 times, $4 conditions, $5 numbers.
 */
const passedSql = (measure: GrowthMeasure) => `
SELECT DISTINCT ON (w.search_id, u.id, w.condition) w.run_id, w.search_id, w.at, u.id AS post_id, w.condition, v.value::float8 AS value,
  NULL::float8 AS age_hours, NULL::float8 AS usual, NULL::int AS compared_with
FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::text[], $5::float8[]) w(run_id, search_id, at, condition, least)
JOIN strandline.run_results rr ON rr.run_id = w.run_id
CROSS JOIN LATERAL (
  SELECT max(observed_until) AS at FROM strandline.coverage WHERE search_id = w.search_id AND observed_until < w.at OFFSET 0
) b
CROSS JOIN LATERAL unnest(rr.post_ids) u(id)
CROSS JOIN LATERAL (
  SELECT first_run_id FROM strandline.post_sightings WHERE search_id = w.search_id AND post_id = u.id OFFSET 0
) g
CROSS JOIN LATERAL (SELECT * FROM strandline.post_counters WHERE post_id = u.id OFFSET 0) p
CROSS JOIN LATERAL (SELECT ${measureSql(measure, 'w.at')} AS value OFFSET 0) v
WHERE v.value >= w.least
  AND (g.first_run_id = w.run_id OR ${measureSql(measure, 'b.at')} < w.least)
  AND NOT EXISTS (
    SELECT FROM strandline.growth_reports k
    WHERE k.search_id = w.search_id AND k.post_id = u.id AND k.condition = w.condition
  )
ORDER BY w.search_id, u.id, w.condition, w.at, w.run_id`;

/** Fewer posts of an age have no usual engagement. */
const MIN_COMPARED = 50;
/** Among the posts of its search that reached an age last, an unusual one is in this top share, */
const TOP_SHARE = 0.01;
/** has so many times the median, */
const MIN_RATIO = 5;
/** and so much engagement. */
const MIN_ENGAGEMENT = 10;

/** Posts that reached an age before a result with far more engagement than others. $1 runs, $2 searches, $3 times, $4 ages. */
const SELECT_UNUSUAL = `
SELECT DISTINCT ON (w.search_id, a.post_id) w.run_id, w.search_id, w.at, a.post_id, 'unusual' AS condition, a.engagement AS value,
  h.hours::float8 AS age_hours, m.median AS usual, m.posts::int AS compared_with
FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) w(run_id, search_id, at)
CROSS JOIN ${AGES_SQL}
CROSS JOIN LATERAL (
  SELECT k.post_id, ${engagementSql('k.')} AS engagement FROM strandline.post_counters_at_age k
  WHERE k.search_id = w.search_id AND k.hours = h.hours AND k.at >= w.at - h.hours * interval '30 minutes' AND k.after_at = w.at
  OFFSET 0
) a
CROSS JOIN LATERAL (
  SELECT count(e.engagement) AS posts, percentile_cont(0.5) WITHIN GROUP (ORDER BY e.engagement) AS median,
    percentile_cont(${1 - TOP_SHARE}) WITHIN GROUP (ORDER BY e.engagement) AS top
  FROM (
    SELECT ${engagementSql('k.')} AS engagement FROM strandline.post_counters_at_age k
    WHERE k.search_id = w.search_id AND k.hours = h.hours ORDER BY k.at DESC, k.post_id DESC LIMIT 500
  ) e
) m
WHERE a.engagement >= ${MIN_ENGAGEMENT} AND m.posts >= ${MIN_COMPARED} AND a.engagement >= greatest(m.top, ${MIN_RATIO} * m.median)
  AND NOT EXISTS (
    SELECT FROM strandline.growth_reports k
    WHERE k.search_id = w.search_id AND k.post_id = a.post_id AND k.condition = 'unusual'
  )
ORDER BY w.search_id, a.post_id, w.at, h.hours`;

type FoundGrowth = Omit<NewGrowth, 'sentence'>;

/** Posts of runs that pass numbers of a measure. */
export async function readPassed(
  tx: Transaction,
  measure: GrowthMeasure,
  asked: readonly (Omit<GrowthQuestion, 'conditions'> & { condition: string; least: number })[],
): Promise<NewGrowth[]> {
  const { rows } = await tx.query<FoundGrowth>({
    name: `growth_${measure}`,
    text: passedSql(measure),
    values: [
      asked.map(({ run_id }) => run_id),
      asked.map(({ search_id }) => search_id),
      asked.map(({ at }) => at),
      asked.map(({ condition }) => condition),
      asked.map(({ least }) => least),
    ],
  });
  return rows.map(withSentence);
}

/** Posts of runs that have far more engagement than others of their age. Runs after the growth of the batch. */
export async function readUnusual(
  tx: Transaction,
  asked: readonly Omit<GrowthQuestion, 'conditions'>[],
): Promise<NewGrowth[]> {
  const { rows } = await tx.query<FoundGrowth>({
    name: 'growth_unusual',
    text: SELECT_UNUSUAL,
    values: [
      asked.map(({ run_id }) => run_id),
      asked.map(({ search_id }) => search_id),
      asked.map(({ at }) => at),
    ],
  });
  return rows.map(withSentence);
}

function withSentence(found: FoundGrowth): NewGrowth {
  return { ...found, sentence: composeGrowthSentence(found) };
}

const COLUMNS = 'search_id, run_id, post_id, at, condition, value, age_hours, usual, compared_with, sentence';

/** Of several searches of a topic, the first that shows it is the first in the topic. $1 the reports as JSON. */
const INSERT_GROWTH = `
WITH fresh AS (
  INSERT INTO strandline.growth_reports (${COLUMNS})
  SELECT ${COLUMNS} FROM json_populate_recordset(NULL::strandline.growth_reports, $1::json) ORDER BY at, search_id, post_id, condition
  ON CONFLICT (search_id, post_id, condition) DO NOTHING
  RETURNING id, search_id, run_id, post_id, at, condition
), placed AS (
  SELECT f.*, s.topic_id, row_number() OVER (PARTITION BY s.topic_id, f.post_id, f.condition ORDER BY f.id) AS place
  FROM fresh f JOIN strandline.searches s ON s.id = f.search_id
)
INSERT INTO strandline.discoveries (search_id, run_id, at, baseline, kind, thing, first_in_topic)
SELECT p.search_id, p.run_id, p.at, false, 'growth', p.id, p.place = 1 AND NOT EXISTS (
  SELECT FROM strandline.growth_reports k JOIN strandline.searches s ON s.id = k.search_id
  WHERE k.post_id = p.post_id AND k.condition = p.condition AND s.topic_id = p.topic_id
)
FROM placed p ORDER BY p.id`;

/** The caller has locked the feed. */
export async function insertGrowth(tx: Transaction, found: readonly NewGrowth[]): Promise<void> {
  if (found.length > 0) await tx.query(INSERT_GROWTH, [writeRows(found)]);
}
