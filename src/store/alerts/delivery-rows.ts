/**
 * Statements of a delivery: compose, lease, send, settle. They are in one file, because each is small and all use the same rows.
 * How discoveries gather into a delivery is in `gathering-rows.ts`.
 */

import { type Id, type Queryable, type Transaction, onlyRow } from '../db/database.ts';
import { execute, isOver, rowsOf, selectIds, statement, verbatim } from '../db/statement.ts';
import type { deliveries } from '../schema/alert-tables.ts';
import type { Rule } from './rule-rows.ts';

/** A message that is due, with its body if already composed. */
export type DueDelivery = Pick<
  typeof deliveries.$inferSelect,
  | 'id'
  | 'message_id'
  | 'rule_id'
  | 'run_id'
  | 'body'
  | 'accepted_by'
  | 'attempts'
  | 'created_at'
  | 'made_at'
  | 'muted'
  | 'muted_topic_id'
  | 'waits_for'
> & {
  rule: string;
  rule_name: string;
  /** The topic of all its discoveries, by the scope of its rule; null if there may be several. */
  topic_id: Id | null;
} & Pick<
    Rule,
    'kinds' | 'cooldown_seconds' | 'digest' | 'quiet_hours' | 'tz' | 'max_per_day' | 'muted_until'
  >;

/** The oldest due message of a channel. Its row needs no lock while the channel's is held. */
export async function findNextDue(tx: Transaction, channelId: Id, now: Date): Promise<DueDelivery | null> {
  const { rows } = await execute<DueDelivery>(
    tx,
    statement`SELECT d.id, d.message_id, d.rule_id, r.slug AS rule, r.name AS rule_name, d.run_id, d.body, d.accepted_by, d.attempts,
       d.created_at, d.made_at, d.muted, d.muted_topic_id, d.waits_for, coalesce(r.topic_id, s.topic_id) AS topic_id,
       r.kinds, r.cooldown_seconds, r.digest, r.quiet_hours, r.tz, r.max_per_day, r.muted_until
     FROM strandline.deliveries d JOIN strandline.rules r ON r.id = d.rule_id
     LEFT JOIN strandline.searches s ON s.id = r.search_id
     WHERE d.channel_id = ${channelId} AND d.state IN ('gathering', 'pending') AND d.next_attempt_at <= ${now}
     ORDER BY d.id LIMIT 1`,
  );
  return rows[0] ?? null;
}

/** Stores the body. It never changes, but is cleared if an author in it is forgotten. */
export async function fixBody(tx: Transaction, id: Id, body: string, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET state = 'pending', body = ${body}, made_at = coalesce(made_at, ${now})
      WHERE id = ${id}`,
  );
}

export async function cancelDelivery(tx: Transaction, id: Id, reason: string): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET state = 'cancelled', reason = ${reason}, next_attempt_at = NULL WHERE id = ${id}`,
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
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET state = 'cancelled', reason = ${reason}, next_attempt_at = NULL
      WHERE ${verbatim(of === 'rule' ? 'rule_id' : 'channel_id')} = ${id} AND channel_id <> ALL (${kept})
        AND state IN ('gathering', 'pending')`,
  );
}

/**
 * Whether no worker is sending to a channel, by the database's clock, and it does not rest now. An attempt lasts a minute
 * at most (`WEBHOOK_SECONDS`), a rest an hour.
 */
const isFree = (now: Date) =>
  statement`${isOver(statement`c.lease_until`, statement`clock_timestamp()`, statement`interval '2 minutes'`)}
  AND ${isOver(statement`c.resting_until`, statement`${now}::timestamptz`, statement`interval '65 minutes'`)}`;

/** Whether a message may be sent to the channel now: see {@link isFree}. */
export async function isChannelFree(tx: Transaction, channelId: Id, now: Date): Promise<boolean> {
  const rows = await rowsOf<{ free: boolean }>(
    tx,
    statement`SELECT ${isFree(now)} AS free FROM strandline.channels c WHERE id = ${channelId}`,
  );
  return rows[0]?.free === true;
}

/** Counts the attempt and leases the channel, before anything is sent. @returns the fence of this lease */
export async function beginAttempt(
  tx: Transaction,
  channelId: Id,
  deliveryId: Id,
  { leaseMs, now }: { leaseMs: number; now: Date },
): Promise<number> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET attempts = attempts + 1, last_attempt_at = ${now} WHERE id = ${deliveryId}`,
  );
  const { rows } = await execute<{ fence: number }>(
    tx,
    statement`UPDATE strandline.channels
      SET fence = fence + 1, lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      WHERE id = ${channelId} RETURNING fence`,
  );
  return onlyRow(rows, 'the locked channel does not exist').fence;
}

/** The outcome of an attempt; `answer` is sanitized and truncated. */
type AttemptResult = Pick<typeof deliveries.$inferSelect, 'http_status' | 'code' | 'answer'>;

/** Marks it as delivered, even if another worker has leased the channel. */
export async function markDelivered(
  tx: Transaction,
  id: Id,
  result: AttemptResult,
  now: Date,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries
      SET state = 'delivered', delivered_at = ${now}, next_attempt_at = NULL, reason = NULL, accepted_by = '{}',
        http_status = ${result.http_status}, code = NULL, answer = CASE WHEN body IS NULL THEN NULL ELSE ${result.answer} END
      WHERE id = ${id} AND state IN ('gathering', 'pending', 'dead')`,
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
  await execute(
    tx,
    statement`UPDATE strandline.deliveries
      SET http_status = ${result.http_status}, code = ${result.code}, accepted_by = accepted_by || ${result.accepted}::text[],
        answer = CASE WHEN body IS NULL THEN NULL ELSE ${result.answer} END,
        state = CASE WHEN ${next.dead}::text IS NULL THEN state ELSE 'dead' END, reason = ${next.dead},
        next_attempt_at = ${next.nextAt}
      WHERE id = ${id} AND state IN ('gathering', 'pending')`,
  );
}

/** Releases the channel with its new health. */
export async function releaseChannel(
  tx: Transaction,
  id: Id,
  how: { failures: number; failingSince: Date | null; restingUntil: Date | null; deliveredAt: Date | null },
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.channels
      SET lease_until = NULL, failures = ${how.failures}, failing_since = ${how.failingSince}, resting_until = ${how.restingUntil},
        last_delivered_at = coalesce(${how.deliveredAt}, last_delivered_at)
      WHERE id = ${id}`,
  );
}

/** Makes waiting messages due when a channel works again. */
export async function sendPendingNow(tx: Transaction, channelId: Id, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.deliveries SET next_attempt_at = ${now}
     WHERE channel_id = ${channelId} AND state = 'pending' AND next_attempt_at > ${now}`,
  );
}

/** Ends the channel's rest period, because somebody requested a resend. */
export async function endChannelRest(tx: Transaction, channelId: Id): Promise<void> {
  await execute(tx, statement`UPDATE strandline.channels SET resting_until = NULL WHERE id = ${channelId}`);
}

/** Channels with due messages that no worker is sending to; one channel, or all. */
export async function listChannelsDue(db: Queryable, now: Date, channelId: Id | null = null): Promise<Id[]> {
  return selectIds(
    db,
    statement`SELECT c.id FROM strandline.channels c
      WHERE c.state = 'active' AND c.archived_at IS NULL AND (${channelId}::bigint IS NULL OR c.id = ${channelId})
        AND ${isFree(now)}
        AND EXISTS (SELECT FROM strandline.deliveries d
          WHERE d.channel_id = c.id AND d.state IN ('gathering', 'pending') AND d.next_attempt_at <= ${now})
      ORDER BY c.id`,
    'channels_due',
  );
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
    statement`UPDATE strandline.deliveries SET state = CASE WHEN body IS NULL THEN 'gathering' ELSE 'pending' END, reason = NULL,
       attempts = 0, next_attempt_at = ${now}
     WHERE ${verbatim(column)} = ${id} AND state = 'dead' RETURNING id`,
  );
}
