/**
 * What must hold after every row, whatever its fault: U1 to U9 in SQL, over the tables of the program and over the
 * history recorded by the service and the receiver of the row (schema `faults`, see history.ts). A check passes if
 * its query returns no rows.
 */
export type CheckId = 'U1' | 'U2' | 'U3' | 'U4' | 'U5' | 'U6' | 'U7' | 'U8' | 'U9';

export type Check = Readonly<{
  id: CheckId;
  /** What a returned row means. */
  broken: string;
  /** How a row counts in the table of results. */
  counts?: 'lost' | 'doubled';
  /** `$1`: the time; `$2`: maximum calls of a run; `$3`: maximum age of pending work, ms. Each uses what it needs. */
  sql: string;
}>;

/** Work created just before all workers were stopped may wait. */
const JUST_NOW = `$3::int * interval '1 millisecond'`;

/** Complete responses: each of them is parsed, however its run ended. */
const RECEIVED = `received AS (
  SELECT c.run_id, c.n, r.search_id FROM strandline.calls c JOIN strandline.runs r ON r.id = c.run_id WHERE c.state = 'received'
)`;

export const CHECKS: readonly Check[] = [
  {
    id: 'U1',
    broken: 'a run is left open',
    sql: `SELECT id, status, fence, reason FROM strandline.runs WHERE status = 'running'
      OR (status = 'queued' AND coalesce(not_before, created_at) < $1::timestamptz - ${JUST_NOW})`,
  },
  {
    id: 'U2',
    broken: 'a slot has two runs',
    counts: 'doubled',
    sql: `SELECT search_id, slot_at FROM strandline.runs WHERE slot_at IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1
      UNION ALL SELECT a.search_id, b.slot_at FROM strandline.runs a
        JOIN strandline.runs b ON b.search_id = a.search_id AND b.id <> a.id AND b.slot_at BETWEEN a.slot_at AND a.span_until`,
  },
  {
    id: 'U3',
    broken: 'a due slot has no run row',
    counts: 'lost',
    // Intervals are even: counted back from the next slot, every one since the search was created has its row.
    sql: `SELECT s.slug, e.slot_at FROM strandline.searches s
      JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
      CROSS JOIN LATERAL generate_series(s.next_due_at - v.every_seconds * interval '1 second', s.created_at,
        v.every_seconds * interval '-1 second') AS e(slot_at)
      WHERE v.every_seconds IS NOT NULL AND e.slot_at > s.created_at AND s.version = 1
        AND NOT EXISTS (SELECT FROM strandline.search_states x WHERE x.search_id = s.id AND x.state IN ('paused', 'broken'))
        AND NOT EXISTS (SELECT FROM strandline.runs r WHERE r.search_id = s.id
          AND (r.slot_at = e.slot_at OR e.slot_at BETWEEN r.slot_at AND r.span_until))`,
  },
  {
    id: 'U3',
    broken: 'a future slot has a row',
    sql: `SELECT id, search_id, slot_at, span_until, created_at FROM strandline.runs
      WHERE greatest(slot_at, span_until) > least(created_at, $1::timestamptz + interval '30 seconds')`,
  },
  {
    id: 'U3',
    broken: 'an active search has fallen silent',
    counts: 'lost',
    sql: `SELECT slug, at FROM strandline.searches s LEFT JOIN strandline.search_pace p ON p.search_id = s.id
      CROSS JOIN LATERAL (SELECT CASE WHEN adaptive THEN due_at ELSE next_due_at END AS at) d
      WHERE archived_at IS NULL AND state IN ('active', 'capped') AND (at IS NULL OR at < $1::timestamptz - ${JUST_NOW})`,
  },
  {
    id: 'U3',
    broken: 'a search is due that has a fixed schedule, is stopped or removed',
    sql: `SELECT slug, due_at FROM strandline.search_pace p JOIN strandline.searches s ON s.id = p.search_id
      WHERE due_at IS NOT NULL AND NOT (adaptive AND archived_at IS NULL AND state IN ('active', 'capped'))`,
  },
  {
    id: 'U4',
    broken: 'a run made more calls than allowed',
    sql: `SELECT run_id, count(*)::int AS calls FROM strandline.calls GROUP BY 1 HAVING count(*) > $2::int`,
  },
  {
    id: 'U4',
    broken: 'ledger and service disagree about a call',
    sql: `SELECT coalesce(j.run_id, c.run_id) AS run_id, coalesce(j.n, c.n) AS n, j.requests, c.state
      FROM (SELECT run_id, n, count(*)::int AS requests FROM faults.requests GROUP BY 1, 2) j
      FULL JOIN strandline.calls c ON (c.run_id, c.n) = (j.run_id, j.n)
      WHERE c.run_id IS NULL OR j.requests > 1 OR (j.run_id IS NULL AND (c.state = 'received' OR c.http_status IS NOT NULL))`,
  },
  {
    id: 'U4',
    broken: 'a call is still in progress',
    sql: `SELECT c.run_id, c.n FROM strandline.calls c JOIN strandline.runs r ON r.id = c.run_id
      WHERE c.state = 'sent' AND r.ended_at IS NOT NULL AND r.status <> 'cancelled'`,
  },
  {
    id: 'U4',
    broken: 'too few calls of a day were counted',
    sql: `SELECT c.service_id, c.day, c.n, d.calls FROM (
        SELECT service_id, (sent_at AT TIME ZONE 'UTC')::date AS day, count(*)::int AS n FROM strandline.calls WHERE NOT refunded GROUP BY 1, 2
      ) c LEFT JOIN strandline.call_days d USING (service_id, day) WHERE d.calls IS NULL OR d.calls < c.n`,
  },
  {
    id: 'U5',
    broken: 'an item was found twice',
    counts: 'doubled',
    sql: `SELECT search_id, kind, thing FROM strandline.discoveries GROUP BY 1, 2, 3 HAVING count(*) > 1
      UNION ALL SELECT service_id, 'post', min(id) FROM strandline.posts GROUP BY service_id, external_id HAVING count(*) > 1
      UNION ALL SELECT search_id, 'post', post_id FROM strandline.post_sightings GROUP BY 1, 3 HAVING count(*) > 1`,
  },
  {
    id: 'U5',
    broken: 'an item counts as found by a run without a parsed response',
    sql: `SELECT s.search_id, s.thing, r.id, r.status FROM (
        SELECT search_id, post_id AS thing, first_run_id FROM strandline.post_sightings
        UNION ALL SELECT search_id, link_id, first_run_id FROM strandline.link_sightings
        UNION ALL SELECT search_id, thing, run_id FROM strandline.discoveries
        UNION ALL SELECT r.search_id, NULL, r.id FROM strandline.run_results x JOIN strandline.runs r ON r.id = x.run_id
      ) s LEFT JOIN strandline.runs r ON r.id = s.first_run_id
      WHERE r.status IS DISTINCT FROM 'succeeded'
        AND NOT EXISTS (SELECT FROM strandline.responses a WHERE a.run_id = r.id AND a.read_at IS NOT NULL)`,
  },
  {
    id: 'U5',
    broken: 'sightings and discoveries differ',
    counts: 'lost',
    sql: `SELECT * FROM (
        SELECT search_id, 'post' AS kind, post_id AS thing FROM strandline.post_sightings
        UNION ALL SELECT search_id, 'link', link_id FROM strandline.link_sightings
      ) s FULL JOIN (SELECT search_id, kind, thing FROM strandline.discoveries WHERE kind IN ('post', 'link')) d
        USING (search_id, kind, thing) WHERE s IS NULL OR d IS NULL`,
  },
  {
    id: 'U5',
    // A quarter that is counted for one response counts those of others, too, that are pending.
    broken: 'the posts of the volume are not the sightings, of which pending ones may be missing',
    sql: `SELECT search_id, s.n AS sighted, v.n AS counted, w.n AS pending FROM (
        SELECT search_id, count(*) AS n FROM strandline.post_sightings GROUP BY 1
      ) s FULL JOIN (
        SELECT search_id, sum(posts) AS n FROM strandline.volume GROUP BY 1 HAVING sum(posts) > 0
      ) v USING (search_id) LEFT JOIN (
        SELECT g.search_id, count(DISTINCT g.post_id) AS n FROM strandline.pending_derivations p
          JOIN strandline.post_sightings g ON g.search_id = p.search_id AND g.post_id = ANY (p.new_posts) GROUP BY 1
      ) w USING (search_id)
      WHERE coalesce(v.n, 0) NOT BETWEEN coalesce(s.n, 0) - coalesce(w.n, 0) AND coalesce(s.n, 0)`,
  },
  {
    id: 'U6',
    broken: 'an item of a complete response is missing',
    counts: 'lost',
    sql: `WITH ${RECEIVED}
      SELECT a.search_id, s.external FROM received a JOIN faults.served s USING (run_id, n)
      WHERE CASE s.kind WHEN 'post' THEN NOT EXISTS (SELECT FROM strandline.post_sightings x
          JOIN strandline.posts p ON p.id = x.post_id WHERE x.search_id = a.search_id AND p.external_id = s.external)
        ELSE NOT EXISTS (SELECT FROM strandline.link_sightings x
          JOIN strandline.link_addresses l ON l.link_id = x.link_id WHERE x.search_id = a.search_id AND l.address = s.external) END`,
  },
  {
    id: 'U6',
    broken: 'an item is stored that no response has',
    sql: `WITH ${RECEIVED}
      SELECT x.search_id, p.external_id FROM strandline.post_sightings x JOIN strandline.posts p ON p.id = x.post_id
      WHERE NOT EXISTS (SELECT FROM received a JOIN faults.served s USING (run_id, n)
        WHERE a.search_id = x.search_id AND s.kind = 'post' AND s.external = p.external_id)
      UNION ALL SELECT x.search_id, l.canonical FROM strandline.link_sightings x JOIN strandline.links l ON l.id = x.link_id
      WHERE NOT EXISTS (SELECT FROM received a JOIN faults.served s USING (run_id, n)
        JOIN strandline.link_addresses la ON la.address = s.external
        WHERE a.search_id = x.search_id AND s.kind = 'link' AND la.link_id = l.id)`,
  },
  {
    id: 'U7',
    broken: 'a message is due and was not sent, or counts as delivered and was never received',
    sql: `SELECT d.message_id, d.state, d.attempts, d.code FROM strandline.deliveries d
      JOIN strandline.channels c ON c.id = d.channel_id
      WHERE (d.state IN ('gathering', 'pending') AND d.next_attempt_at < $1::timestamptz - ${JUST_NOW} AND c.state = 'active'
          AND coalesce(c.resting_until, $1) <= $1)
        OR (d.state = 'delivered' AND NOT EXISTS (SELECT FROM faults.receipts r WHERE r.message_id = d.message_id))`,
  },
  {
    id: 'U7',
    broken: 'a discovery matches a rule, and no message contains it',
    counts: 'lost',
    sql: `SELECT ru.slug AS rule, c.slug AS channel, d.id FROM strandline.discoveries d
      JOIN strandline.searches s ON s.id = d.search_id
      JOIN strandline.rules ru ON d.kind = ANY (ru.kinds) AND ru.filter = '' AND ru.state = 'active' AND ru.archived_at IS NULL
        AND coalesce(ru.topic_id, s.topic_id) = s.topic_id AND coalesce(ru.search_id, s.id) = s.id
      JOIN strandline.rule_channels rc ON rc.rule_id = ru.id AND d.id > greatest(rc.after, ru.after)
      JOIN strandline.channels c ON c.id = rc.channel_id AND c.state = 'active' AND c.archived_at IS NULL
      WHERE NOT d.baseline AND NOT d.late AND NOT EXISTS (SELECT FROM strandline.delivery_discoveries x
        WHERE (x.rule_id, x.channel_id, x.discovery_id) = (ru.id, c.id, d.id))`,
  },
  {
    id: 'U8',
    broken: 'one message had two bodies, or is unknown',
    sql: `SELECT message_id, count(DISTINCT hash)::int AS bodies FROM faults.receipts GROUP BY 1 HAVING count(DISTINCT hash) > 1
      UNION ALL SELECT message_id, 0 FROM faults.receipts r
        WHERE NOT EXISTS (SELECT FROM strandline.deliveries d WHERE d.message_id = r.message_id) AND r.rule IS NOT NULL`,
  },
  {
    id: 'U8',
    broken: 'a channel got one discovery in two messages',
    counts: 'doubled',
    sql: `SELECT path, rule, discovery_id FROM faults.told GROUP BY 1, 2, 3 HAVING count(DISTINCT message_id) > 1`,
  },
  {
    id: 'U9',
    broken: 'a paid response is not parsed',
    counts: 'lost',
    sql: `SELECT a.run_id, a.n, a.received_at, a.read_attempts, a.next_read_at, r.status FROM strandline.responses a
      JOIN strandline.runs r ON r.id = a.run_id
      WHERE a.read_at IS NULL AND a.received_at < $1::timestamptz - ${JUST_NOW} AND r.status NOT IN ('queued', 'running')`,
  },
  {
    id: 'U9',
    broken: 'a lease with a response called again before it was read',
    sql: `SELECT c.run_id, c.n, a.n AS before FROM strandline.calls c
      JOIN strandline.calls b ON b.run_id = c.run_id AND b.fence = c.fence AND b.n < c.n
      JOIN strandline.responses a ON a.run_id = b.run_id AND a.n = b.n
      WHERE a.received_at < c.sent_at AND (a.read_at IS NULL OR a.read_at > c.sent_at)`,
  },
];
