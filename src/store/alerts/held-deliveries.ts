/** Deliveries that a mute held back, and the digests of the same channel that report them. */
import { isShown } from '../queries/data-scope.ts';
import type { RuleKind } from '../../model/alerts.ts';
import { type Id, onlyRow, type Queryable, type Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';

/** Whether a digest rule `r` covers what a rule `h` with a search `hs` holds back in a delivery `d`. */
const COVERS = statement`(
  r.topic_id IS NULL AND r.search_id IS NULL OR r.search_id = h.search_id
  OR r.search_id IS NULL AND r.topic_id = coalesce(d.muted_topic_id, h.topic_id, hs.topic_id))`;

/** The schedules of digests to the channel of a delivery that cover the discoveries it holds back. */
export async function listDigestSchedules(
  tx: Transaction,
  deliveryId: Id,
  now: Date,
): Promise<{ digest: string; tz: string }[]> {
  return await rowsOf<{ digest: string; tz: string }>(
    tx,
    statement`SELECT r.digest, r.tz FROM strandline.deliveries d
      JOIN strandline.rules h ON h.id = d.rule_id LEFT JOIN strandline.searches hs ON hs.id = h.search_id
      JOIN strandline.rule_channels rc ON rc.channel_id = d.channel_id
      JOIN strandline.rules r ON r.id = rc.rule_id AND r.digest IS NOT NULL AND r.state = 'active' AND r.archived_at IS NULL
      WHERE d.id = ${deliveryId} AND coalesce(r.muted_until <= ${now}, true) AND ${COVERS}`,
  );
}

/** Summaries of mutes that are over, which the delivery of a digest can contain. */
export function listEndedHolds(tx: Transaction, digestDeliveryId: Id, now: Date): Promise<Id[]> {
  return selectIds(
    tx,
    statement`SELECT d.id FROM strandline.deliveries g JOIN strandline.rules r ON r.id = g.rule_id
      JOIN strandline.deliveries d ON d.channel_id = g.channel_id AND d.muted AND d.state = 'gathering' AND d.made_at IS NULL
      JOIN strandline.rules h ON h.id = d.rule_id LEFT JOIN strandline.searches hs ON hs.id = h.search_id
      LEFT JOIN strandline.topics t ON t.id = d.muted_topic_id
      WHERE g.id = ${digestDeliveryId} AND coalesce(h.muted_until <= ${now}, true) AND coalesce(t.muted_until <= ${now}, true)
        AND coalesce((SELECT value::timestamptz <= ${now} FROM strandline.facts WHERE name = 'alerts_muted_until'), true) AND ${COVERS}
      ORDER BY d.id`,
  );
}

/** What a message about a digest contains of a rule that was muted. */
export type HeldRow = {
  delivery: Id;
  rule: string;
  rule_name: string;
  counts: Partial<Record<RuleKind, number>>;
};

/** @param deliveryId null: in the messages to all channels */
export async function readHeld(db: Queryable, digestId: Id, deliveryId: Id | null): Promise<HeldRow[]> {
  return await rowsOf<HeldRow>(
    db,
    statement`SELECT c.delivery, r.slug AS rule, r.name AS rule_name, jsonb_object_agg(c.kind, c.n) AS counts FROM (
        SELECT m.id AS delivery, x.rule_id, CASE d.kind WHEN 'completion' THEN 'answer' ELSE d.kind END AS kind, count(*)::int AS n
        FROM strandline.deliveries m JOIN strandline.delivery_discoveries x ON x.delivery_id = m.id
        JOIN strandline.discoveries d ON d.id = x.discovery_id
        WHERE m.digest_id = ${digestId} AND (${deliveryId}::bigint IS NULL OR m.id = ${deliveryId}) GROUP BY 1, 2, 3
      ) c JOIN strandline.rules r ON r.id = c.rule_id GROUP BY c.delivery, r.slug, r.name ORDER BY c.delivery, r.slug`,
  );
}

/** The discoveries of a message, the newest first. */
export function listDeliveryDiscoveries(db: Queryable, deliveryId: Id, limit: number): Promise<Id[]> {
  return selectIds(
    db,
    statement`SELECT discovery_id AS id FROM strandline.delivery_discoveries WHERE delivery_id = ${deliveryId} ORDER BY 1 DESC LIMIT ${limit}`,
  );
}

/** After which discovery, and since when, digests of a rule left out a topic because it was muted. */
export async function readMutedRange(
  tx: Queryable,
  ruleId: Id,
  topic: string,
): Promise<{ after: Id | null; since: Date }> {
  const { rows } = await execute<{ after: Id | null; since: Date | null }>(
    tx,
    statement`SELECT max(last_discovery) FILTER (WHERE NOT is_muted) AS after,
        coalesce(max(until_at) FILTER (WHERE NOT is_muted), min(from_at)) AS since
      FROM (
        SELECT last_discovery, from_at, until_at,
          coalesce(value->'muted' @> jsonb_build_array(jsonb_build_object('topic', ${topic}::text)), false) AS is_muted
        FROM strandline.digests WHERE rule_id = ${ruleId} AND state = 'sent'
      ) d`,
  );
  const { after, since } = onlyRow(rows);
  return { after, since: since ?? new Date(0) };
}

/** What was new in a topic, by kind. */
export async function countTopicNews(
  db: Queryable,
  { topic, after, upTo, since }: { topic: string; after: Id | null; upTo: Id; since: Date },
): Promise<Partial<Record<RuleKind, number>>> {
  const { rows } = await execute<{ kind: RuleKind; n: number }>(
    db,
    statement`SELECT d.kind, count(*)::int AS n FROM strandline.discoveries d
      JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.topics t ON t.id = s.topic_id
      WHERE t.slug = ${topic} AND d.id > coalesce(${after}, 0) AND d.id <= ${upTo}
        AND d.at >= ${after === null ? since : new Date(0)} AND d.first_in_topic AND NOT d.baseline AND ${isShown('d')}
        AND d.kind IN ('post', 'link', 'spike', 'trend') GROUP BY d.kind`,
  );
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
}
