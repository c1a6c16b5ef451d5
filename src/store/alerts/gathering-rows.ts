/** Statements of gathering messages: those that have no body yet, only their discoveries. */
import type { WaitReason } from '../../model/alerts.ts';
import { type Id, onlyRow, selectIds, type Transaction } from '../db/database.ts';

/** When a message is sent, and why not at once. */
type Due = { at: Date; waitsFor: WaitReason | null };

/** A gathering message of a rule and channel. */
type GatheringDelivery = { id: Id; next_attempt_at: Date; discoveries: number };

/** What a message sums up because of a mute; null: it is no such message. */
export type Hold = { topicId: Id | null } | null;

/** @param delivery.runId null if its discoveries come from several runs */
export async function beginDelivery(
  tx: Transaction,
  delivery: {
    messageId: string;
    channelId: Id;
    ruleId: Id;
    runId: Id | null;
    due: Due;
    hold: Hold;
    now: Date;
  },
): Promise<Id> {
  const { messageId, channelId, ruleId, runId, due, hold, now } = delivery;
  const { rows } = await tx.query<{ id: Id }>(
    `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, run_id, state, created_at, next_attempt_at, waits_for, muted, muted_topic_id)
     VALUES ($1, $2, $3, $4, 'gathering', $6, $5, $7, $8, $9) RETURNING id`,
    [
      messageId,
      channelId,
      ruleId,
      runId,
      due.at,
      now,
      due.waitsFor,
      hold !== null,
      hold === null ? null : hold.topicId,
    ],
  );
  return onlyRow(rows).id;
}

/** The newest gathering message of a rule and channel; null if there is none. @param hold which one: as usual, or of a mute */
export async function findGathering(
  tx: Transaction,
  ruleId: Id,
  channelId: Id,
  hold: Hold = null,
): Promise<GatheringDelivery | null> {
  const { rows } = await tx.query<GatheringDelivery>(
    `SELECT d.id, d.next_attempt_at,
       (SELECT count(*)::int FROM strandline.delivery_discoveries x WHERE x.delivery_id = d.id) AS discoveries
     FROM strandline.deliveries d
     WHERE d.channel_id = $2 AND d.rule_id = $1 AND d.state = 'gathering' AND d.made_at IS NULL
       AND d.muted = $3 AND d.muted_topic_id IS NOT DISTINCT FROM $4 ORDER BY d.id DESC LIMIT 1`,
    [ruleId, channelId, hold !== null, hold === null ? null : hold.topicId],
  );
  return rows[0] ?? null;
}

/**
 * When the last message of a rule to a channel was composed, and all that were since a time. Workers' clocks may differ by
 * minutes; what is an hour ahead was composed before a clock was set back, and holds up nothing.
 */
export async function readSent(
  tx: Transaction,
  ruleId: Id,
  channelId: Id,
  { since, now }: { since: Date; now: Date },
): Promise<{ last: Date | null; recent: Date[] }> {
  const { rows } = await tx.query<{ at: Date }>(
    `SELECT made_at AS at FROM strandline.deliveries WHERE rule_id = $1 AND channel_id = $2
       AND made_at <= $4::timestamptz + interval '1 hour' AND made_at >= least($3, (
         SELECT max(made_at) FROM strandline.deliveries
         WHERE rule_id = $1 AND channel_id = $2 AND made_at <= $4::timestamptz + interval '1 hour'
       ))
     ORDER BY made_at`,
    [ruleId, channelId, since, now],
  );
  const times = rows.map(({ at }) => at);
  return { last: times.at(-1) ?? null, recent: times };
}

/** Adds discoveries to a gathering message. The primary key skips those that this rule already reported to this channel. */
export async function addToDelivery(
  tx: Transaction,
  delivery: { id: Id; ruleId: Id; channelId: Id },
  discoveryIds: readonly Id[],
): Promise<void> {
  await tx.query(
    `INSERT INTO strandline.delivery_discoveries (rule_id, discovery_id, channel_id, delivery_id)
     SELECT $1, id, $2, $3 FROM unnest($4::bigint[]) u(id) ON CONFLICT DO NOTHING`,
    [delivery.ruleId, delivery.channelId, delivery.id, discoveryIds],
  );
}

/** Clears the run of a message when another run adds to it. */
export async function excludeRun(tx: Transaction, id: Id, runId: Id | null): Promise<void> {
  await tx.query(
    'UPDATE strandline.deliveries SET run_id = NULL WHERE id = $1 AND run_id IS DISTINCT FROM $2',
    [id, runId],
  );
}

/** Changes when a message is due that is not sent yet. */
export async function setDue(tx: Transaction, id: Id, { at, waitsFor }: Due): Promise<void> {
  await tx.query('UPDATE strandline.deliveries SET next_attempt_at = $2, waits_for = $3 WHERE id = $1', [
    id,
    at,
    waitsFor,
  ]);
}

/** Postpones all composed messages of a rule, and digests, to a channel that are due. */
export async function postponePending(
  tx: Transaction,
  { ruleId, channelId }: { ruleId: Id; channelId: Id },
  { at, waitsFor }: Due,
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET next_attempt_at = $4, waits_for = $5
     WHERE rule_id = $1 AND channel_id = $2 AND state IN ('gathering', 'pending') AND next_attempt_at <= $3
       AND (made_at IS NOT NULL OR rule_id IN (SELECT id FROM strandline.rules WHERE digest IS NOT NULL))`,
    [ruleId, channelId, now, at, waitsFor],
  );
}

/**
 * Makes messages due that wait for a rule, so that the next worker decides again when they are sent. Retries after a failure keep
 * their time.
 * @param of the rule, or null: all rules
 */
export async function reconsiderWaiting(tx: Transaction, of: Id | null, now: Date): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET next_attempt_at = $2
     WHERE ($1::bigint IS NULL OR rule_id = $1) AND next_attempt_at > $2
       AND (state = 'gathering' AND made_at IS NULL OR state IN ('gathering', 'pending') AND waits_for IS NOT NULL)`,
    [of, now],
  );
}

/** Whether a message contains a discovery of one of these kinds. */
export async function containsKind(tx: Transaction, id: Id, kinds: readonly string[]): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM strandline.delivery_discoveries x JOIN strandline.discoveries d ON d.id = x.discovery_id
       WHERE x.delivery_id = $1 AND d.kind = ANY ($2)) AS found`,
    [id, kinds],
  );
  return onlyRow(rows).found;
}

/** The topics of the discoveries of a message. */
export function listDeliveryTopics(tx: Transaction, id: Id): Promise<Id[]> {
  return selectIds(
    tx,
    `SELECT DISTINCT s.topic_id AS id FROM strandline.delivery_discoveries x JOIN strandline.discoveries d ON d.id = x.discovery_id
     JOIN strandline.searches s ON s.id = d.search_id WHERE x.delivery_id = $1`,
    [id],
  );
}

/** Turns a gathering message into the summary of a mute. */
export async function markMuted(tx: Transaction, id: Id, topicId: Id | null, until: Date): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET muted = true, muted_topic_id = $2, next_attempt_at = $3, waits_for = 'mute' WHERE id = $1`,
    [id, topicId, until],
  );
}

/** Moves discoveries to another gathering message. @param topicId only those of this topic; null: all */
export async function moveDiscoveries(tx: Transaction, from: Id, to: Id, topicId: Id | null): Promise<void> {
  await tx.query(
    `UPDATE strandline.delivery_discoveries x SET delivery_id = $2
     FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
     WHERE x.delivery_id = $1 AND d.id = x.discovery_id AND ($3::bigint IS NULL OR s.topic_id = $3)`,
    [from, to, topicId],
  );
}

/** Deletes a message that was never composed, after its discoveries have moved to another. */
export async function deleteEmptied(tx: Transaction, id: Id): Promise<void> {
  await tx.query('DELETE FROM strandline.deliveries WHERE id = $1 AND made_at IS NULL', [id]);
}
