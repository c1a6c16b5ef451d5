/**
 * Statements of a delivery: compose, claim, send, settle. In one file, because each is small and uses the same rows. What gathers
 * it is in `gathering-rows.ts`.
 */

import { type Id, isOverSql, type Queryable, type Transaction, onlyRow, selectIds } from '../db/database.ts';
import type { DeliveryCode, WaitReason } from '../../model/alerts.ts';
import type { Rule } from './rule-rows.ts';

/** A message that is due, with its body if already composed. */
export type DueDelivery = {
  id: Id;
  message_id: string;
  rule_id: Id;
  rule: string;
  rule_name: string;
  /** The run of all its discoveries; null if there are several. */
  run_id: Id | null;
  body: string | null;
  /** Recipients that accepted it in earlier attempts, for kinds with several. */
  accepted_by: readonly string[];
  attempts: number;
  created_at: Date;
  /** When its body was composed; null: not yet. */
  made_at: Date | null;
  muted: boolean;
  muted_topic_id: Id | null;
  waits_for: WaitReason | null;
  /** The topic of all its discoveries, by the scope of its rule; null if there may be several. */
  topic_id: Id | null;
} & Pick<
  Rule,
  'kinds' | 'cooldown_seconds' | 'digest' | 'quiet_hours' | 'tz' | 'max_per_day' | 'muted_until'
>;

/** The oldest due message of a channel. Its row needs no lock while the channel's is held. */
export async function findNextDue(tx: Transaction, channelId: Id, now: Date): Promise<DueDelivery | null> {
  const { rows } = await tx.query<DueDelivery>(
    `SELECT d.id, d.message_id, d.rule_id, r.slug AS rule, r.name AS rule_name, d.run_id, d.body, d.accepted_by, d.attempts,
       d.created_at, d.made_at, d.muted, d.muted_topic_id, d.waits_for, coalesce(r.topic_id, s.topic_id) AS topic_id,
       r.kinds, r.cooldown_seconds, r.digest, r.quiet_hours, r.tz, r.max_per_day, r.muted_until
     FROM strandline.deliveries d JOIN strandline.rules r ON r.id = d.rule_id
     LEFT JOIN strandline.searches s ON s.id = r.search_id
     WHERE d.channel_id = $1 AND d.state IN ('gathering', 'pending') AND d.next_attempt_at <= $2
     ORDER BY d.id LIMIT 1`,
    [channelId, now],
  );
  return rows[0] ?? null;
}

/** Stores the body. It never changes, but is cleared if an author in it is forgotten. */
export async function fixBody(tx: Transaction, id: Id, body: string, now: Date): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET state = 'pending', body = $2, made_at = coalesce(made_at, $3) WHERE id = $1`,
    [id, body, now],
  );
}

export async function cancelDelivery(tx: Transaction, id: Id, reason: string): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET state = 'cancelled', reason = $2, next_attempt_at = NULL WHERE id = $1`,
    [id, reason],
  );
}

/** Cancels unsent messages of a rule or channel. @param kept channels of the rule whose messages stay */
export async function cancelOpenDeliveries(
  tx: Transaction,
  of: 'rule' | 'channel',
  id: Id,
  reason: string,
  kept: readonly Id[] = [],
): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET state = 'cancelled', reason = $2, next_attempt_at = NULL
     WHERE ${of === 'rule' ? 'rule_id' : 'channel_id'} = $1 AND channel_id <> ALL ($3) AND state IN ('gathering', 'pending')`,
    [id, reason, kept],
  );
}

/**
 * Whether no worker is sending to a channel, by the database's clock, and it does not rest, by the time $1. An attempt lasts a minute
 * at most (`WEBHOOK_SECONDS`), a rest an hour.
 */
const CHANNEL_IS_FREE = `${isOverSql('c.lease_until', 'clock_timestamp()', `interval '2 minutes'`)}
  AND ${isOverSql('c.resting_until', '$1::timestamptz', `interval '65 minutes'`)}`;

/** Whether a message may be sent to the channel now: see {@link CHANNEL_IS_FREE}. */
export async function isChannelFree(tx: Transaction, channelId: Id, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ free: boolean }>(
    `SELECT ${CHANNEL_IS_FREE} AS free FROM strandline.channels c WHERE id = $2`,
    [now, channelId],
  );
  return rows[0]?.free === true;
}

/** Counts the attempt and claims the channel, before anything is sent. @returns the fence of this claim */
export async function beginAttempt(
  tx: Transaction,
  channelId: Id,
  deliveryId: Id,
  { leaseMs, now }: { leaseMs: number; now: Date },
): Promise<number> {
  await tx.query(
    'UPDATE strandline.deliveries SET attempts = attempts + 1, last_attempt_at = $2 WHERE id = $1',
    [deliveryId, now],
  );
  const { rows } = await tx.query<{ fence: number }>(
    `UPDATE strandline.channels SET fence = fence + 1, lease_until = clock_timestamp() + $2 * interval '1 millisecond'
     WHERE id = $1 RETURNING fence`,
    [channelId, leaseMs],
  );
  return onlyRow(rows, 'the locked channel does not exist').fence;
}

/** The outcome of an attempt; `answer` is sanitized and truncated. */
type AttemptResult = { http_status: number | null; code: DeliveryCode | null; answer: string | null };

/** Marks it as delivered, even if another worker has claimed the channel. */
export async function markDelivered(
  tx: Transaction,
  id: Id,
  result: AttemptResult,
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET state = 'delivered', delivered_at = $2, next_attempt_at = NULL, reason = NULL,
       accepted_by = '{}', http_status = $3, code = NULL, answer = CASE WHEN body IS NULL THEN NULL ELSE $4 END
     WHERE id = $1 AND state IN ('gathering', 'pending', 'dead')`,
    [id, now, result.http_status, result.answer],
  );
}

/**
 * @param result.accepted recipients that accepted it, although others did not
 * @param next.dead why there are no more attempts; null: retried at `nextAt`
 */
export async function markFailed(
  tx: Transaction,
  id: Id,
  result: AttemptResult & { accepted: readonly string[] },
  next: { nextAt: Date; dead: null } | { nextAt: null; dead: string },
): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET http_status = $2, code = $3, answer = CASE WHEN body IS NULL THEN NULL ELSE $4 END,
       state = CASE WHEN $6::text IS NULL THEN state ELSE 'dead' END, reason = $6, next_attempt_at = $5,
       accepted_by = accepted_by || $7::text[]
     WHERE id = $1 AND state IN ('gathering', 'pending')`,
    [id, result.http_status, result.code, result.answer, next.nextAt, next.dead, result.accepted],
  );
}

/** Releases the channel with its new health. */
export async function releaseChannel(
  tx: Transaction,
  id: Id,
  how: { failures: number; failingSince: Date | null; restingUntil: Date | null; deliveredAt: Date | null },
): Promise<void> {
  await tx.query(
    `UPDATE strandline.channels SET lease_until = NULL, failures = $2, failing_since = $3, resting_until = $4,
       last_delivered_at = coalesce($5, last_delivered_at)
     WHERE id = $1`,
    [id, how.failures, how.failingSince, how.restingUntil, how.deliveredAt],
  );
}

/** Makes waiting messages due when a channel works again. */
export async function sendPendingNow(tx: Transaction, channelId: Id, now: Date): Promise<void> {
  await tx.query(
    `UPDATE strandline.deliveries SET next_attempt_at = $2
     WHERE channel_id = $1 AND state = 'pending' AND next_attempt_at > $2`,
    [channelId, now],
  );
}

/** Ends the channel's rest period, because somebody requested a resend. */
export async function endChannelRest(tx: Transaction, channelId: Id): Promise<void> {
  await tx.query('UPDATE strandline.channels SET resting_until = NULL WHERE id = $1', [channelId]);
}

/** Channels with due messages that no worker is sending to; one channel, or all. */
export async function listChannelsDue(db: Queryable, now: Date, channelId: Id | null = null): Promise<Id[]> {
  return selectIds(db, {
    name: 'channels_due',
    text: `SELECT c.id FROM strandline.channels c
     WHERE c.state = 'active' AND c.archived_at IS NULL AND ($2::bigint IS NULL OR c.id = $2)
       AND ${CHANNEL_IS_FREE}
       AND EXISTS (SELECT FROM strandline.deliveries d
         WHERE d.channel_id = c.id AND d.state IN ('gathering', 'pending') AND d.next_attempt_at <= $1)
     ORDER BY c.id`,
    values: [now, channelId],
  });
}

/**
 * Resends dead messages, starting again at the first attempt, with the same ID and body. If the body was cleared, it
 * is composed from the remaining discoveries.
 * @param which one by its ID, or all of a channel
 */
export async function retryDeadDeliveries(
  tx: Transaction,
  which: { deliveryId: Id } | { channelId: Id },
  now: Date,
): Promise<Id[]> {
  const [column, id] = 'deliveryId' in which ? ['id', which.deliveryId] : ['channel_id', which.channelId];
  return selectIds(
    tx,
    `UPDATE strandline.deliveries SET state = CASE WHEN body IS NULL THEN 'gathering' ELSE 'pending' END, reason = NULL,
       attempts = 0, next_attempt_at = $2
     WHERE ${column} = $1 AND state = 'dead' RETURNING id`,
    [id, now],
  );
}
