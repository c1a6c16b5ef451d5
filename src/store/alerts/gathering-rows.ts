/** Statements of gathering messages, which have no body yet, only discoveries. */
import type { WaitReason } from '../../model/alerts.ts';
import { type Id, onlyRow, type Transaction } from '../db/database.ts';
import { execute, selectIds, statement } from '../db/statement.ts';

/** When a message is sent, and why not at once. */
type Due = { at: Date; waitsFor: WaitReason | null };

/** A gathering message of a rule and channel. */
type GatheringDelivery = { id: Id; next_attempt_at: Date; discoveries: number };

/**
 * Set for a message that sums up discoveries that a mute held back.
 * `topicId`: the muted topic; null if a rule or everything was muted.
 */
export type MuteSummary = { topicId: Id | null } | null;

/** @param delivery.runId null if its discoveries come from several runs */
export async function beginDelivery(
  tx: Transaction,
  delivery: {
    messageId: string;
    channelId: Id;
    ruleId: Id;
    runId: Id | null;
    due: Due;
    hold: MuteSummary;
    now: Date;
  },
): Promise<Id> {
  const { messageId, channelId, ruleId, runId, due, hold, now } = delivery;
  const ids = await selectIds(
    tx,
    statement`INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, run_id, state, created_at,
        next_attempt_at, waits_for, muted, muted_topic_id)
      VALUES (${messageId}, ${channelId}, ${ruleId}, ${runId}, 'gathering', ${now},
        ${due.at}, ${due.waitsFor}, ${hold !== null}, ${hold?.topicId ?? null})
      RETURNING id`,
  );
  return onlyRow(ids);
}

/** The newest gathering message of a rule and channel; null if there is none. @param hold which one: as usual, or of a mute */
export async function findGathering(
  tx: Transaction,
  ruleId: Id,
  channelId: Id,
  hold: MuteSummary = null,
): Promise<GatheringDelivery | null> {
  const { rows } = await execute<GatheringDelivery>(
    tx,
    statement`SELECT d.id, d.next_attempt_at,
        (SELECT count(*)::int FROM strandline.delivery_discoveries x WHERE x.delivery_id = d.id) AS discoveries
      FROM strandline.deliveries d
      WHERE d.channel_id = ${channelId} AND d.rule_id = ${ruleId} AND d.state = 'gathering' AND d.made_at IS NULL
        AND d.muted = ${hold !== null} AND d.muted_topic_id IS NOT DISTINCT FROM ${hold?.topicId ?? null}
      ORDER BY d.id DESC LIMIT 1`,
  );
  return rows[0] ?? null;
}

/**
 * When the last message of a rule to a channel was composed, and each message since a time. Workers' clocks may differ by
 * minutes; a message from more than an hour ahead was composed before a clock was set back, and delays no other.
 */
export async function readSent(
  tx: Transaction,
  ruleId: Id,
  channelId: Id,
  { since, now }: { since: Date; now: Date },
): Promise<{ last: Date | null; recent: Date[] }> {
  const { rows } = await execute<{ at: Date }>(
    tx,
    statement`SELECT made_at AS at FROM strandline.deliveries WHERE rule_id = ${ruleId} AND channel_id = ${channelId}
       AND made_at <= ${now}::timestamptz + interval '1 hour' AND made_at >= least(${since}, (
         SELECT max(made_at) FROM strandline.deliveries
         WHERE rule_id = ${ruleId} AND channel_id = ${channelId} AND made_at <= ${now}::timestamptz + interval '1 hour'
       ))
     ORDER BY made_at`,
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
  await execute(
    tx,
    statement`INSERT INTO strandline.delivery_discoveries (rule_id, discovery_id, channel_id, delivery_id)
      SELECT ${delivery.ruleId}, id, ${delivery.channelId}, ${delivery.id} FROM unnest(${discoveryIds}::bigint[]) u(id)
      ON CONFLICT DO NOTHING`,
  );
}

/** Clears the run of a message when another run adds to it. */
export async function excludeRun(tx: Transaction, id: Id, runId: Id | null): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET run_id = NULL WHERE id = ${id} AND run_id IS DISTINCT FROM ${runId}`,
  );
}

/** Changes when a message is due that is not sent yet. */
export async function setDue(tx: Transaction, id: Id, { at, waitsFor }: Due): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET next_attempt_at = ${at}, waits_for = ${waitsFor} WHERE id = ${id}`,
  );
}

/** Postpones all composed messages of a rule, and digests, to a channel that are due. */
export async function postponePending(
  tx: Transaction,
  { ruleId, channelId }: { ruleId: Id; channelId: Id },
  { at, waitsFor }: Due,
  now: Date,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET next_attempt_at = ${at}, waits_for = ${waitsFor}
     WHERE rule_id = ${ruleId} AND channel_id = ${channelId} AND state IN ('gathering', 'pending') AND next_attempt_at <= ${now}
       AND (made_at IS NOT NULL OR rule_id IN (SELECT id FROM strandline.rules WHERE digest IS NOT NULL))`,
  );
}

/**
 * Makes messages due that wait for a rule, so that the next worker decides again when they are sent. Retries after a failure keep
 * their time.
 * @param of the rule, or null: all rules
 */
export async function reconsiderWaiting(tx: Transaction, of: Id | null, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET next_attempt_at = ${now}
     WHERE (${of}::bigint IS NULL OR rule_id = ${of}) AND next_attempt_at > ${now}
       AND (state = 'gathering' AND made_at IS NULL OR state IN ('gathering', 'pending') AND waits_for IS NOT NULL)`,
  );
}

/** Whether a message contains a discovery of one of these kinds. */
export async function containsKind(tx: Transaction, id: Id, kinds: readonly string[]): Promise<boolean> {
  const { rows } = await execute<{ found: boolean }>(
    tx,
    statement`SELECT EXISTS (
        SELECT FROM strandline.delivery_discoveries x JOIN strandline.discoveries d ON d.id = x.discovery_id
        WHERE x.delivery_id = ${id} AND d.kind = ANY (${kinds})) AS found`,
  );
  return onlyRow(rows).found;
}

/** The topics of the discoveries of a message. */
export function listDeliveryTopics(tx: Transaction, id: Id): Promise<Id[]> {
  return selectIds(
    tx,
    statement`SELECT DISTINCT s.topic_id AS id FROM strandline.delivery_discoveries x
      JOIN strandline.discoveries d ON d.id = x.discovery_id
      JOIN strandline.searches s ON s.id = d.search_id
      WHERE x.delivery_id = ${id}`,
  );
}

/** Turns a gathering message into the summary of a mute. */
export async function markMuted(tx: Transaction, id: Id, topicId: Id | null, until: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries
      SET muted = true, muted_topic_id = ${topicId}, next_attempt_at = ${until}, waits_for = 'mute'
      WHERE id = ${id}`,
  );
}

/** Moves discoveries to another gathering message. @param topicId only discoveries of this topic; null: all */
export async function moveDiscoveries(tx: Transaction, from: Id, to: Id, topicId: Id | null): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.delivery_discoveries x SET delivery_id = ${to}
     FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
     WHERE x.delivery_id = ${from} AND d.id = x.discovery_id AND (${topicId}::bigint IS NULL OR s.topic_id = ${topicId})`,
  );
}

/** Deletes a message that was never composed, after its discoveries have moved to another. */
export async function deleteEmptied(tx: Transaction, id: Id): Promise<void> {
  await execute(tx, statement`DELETE FROM strandline.deliveries WHERE id = ${id} AND made_at IS NULL`);
}
