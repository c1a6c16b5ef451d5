/** Problems of strandline itself: rows that the check writes, and their text in messages. */
import type { SystemEventPart } from '../../model/alerts.ts';
import { givenRows } from '../db/batches.ts';
import { type Id, onlyRow, type Queryable, type Transaction, writeRows } from '../db/database.ts';
import { recordFact } from '../db/facts.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';
import type { system_events } from '../schema/alert-tables.ts';

/** A stored problem; without `opened_at`, it was seen by one check and waits for a second. */
export type SystemEvent = typeof system_events.$inferSelect;

export type NewSystemEvent = Omit<SystemEvent, 'id'>;

const COLUMNS = statement`id, kind, subject_key, subject, search_id, since, noticed_at, opened_at, clear_since, until, outcome, recurrences,
  reason, advice`;

/** Problems that have not ended, and those that ended since then, by id. */
export async function readSystemEvents(tx: Queryable, endedSince: Date): Promise<SystemEvent[]> {
  return rowsOf<SystemEvent>(
    tx,
    statement`SELECT ${COLUMNS} FROM strandline.system_events WHERE until IS NULL OR until > ${endedSince} ORDER BY id`,
    'system_events_recent',
  );
}

/** Inserts problems that were noticed now. @returns their ids */
export async function insertSystemEvents(tx: Transaction, events: readonly NewSystemEvent[]): Promise<Id[]> {
  if (events.length === 0) return [];
  return selectIds(
    tx,
    statement`INSERT INTO strandline.system_events (kind, subject_key, subject, search_id, since, noticed_at, opened_at, clear_since, until,
        outcome, recurrences, reason, advice)
      SELECT kind, subject_key, subject, search_id, since, noticed_at, opened_at, clear_since, until, outcome, recurrences, reason, advice
      FROM json_populate_recordset(NULL::strandline.system_events, ${writeRows(events)}) RETURNING id`,
  );
}

/** Writes the members that a check may change. */
export async function updateSystemEvents(tx: Transaction, events: readonly SystemEvent[]): Promise<void> {
  if (events.length === 0) return;
  await execute(
    tx,
    statement`UPDATE strandline.system_events e SET subject = u.subject, since = u.since, noticed_at = u.noticed_at, opened_at = u.opened_at,
        clear_since = u.clear_since, until = u.until, outcome = u.outcome, reason = u.reason, advice = u.advice
      FROM json_populate_recordset(NULL::strandline.system_events, ${writeRows(events)}) u WHERE e.id = u.id`,
  );
}

/** Deletes problems that no second check confirmed. */
export async function deleteSystemEvents(tx: Transaction, ids: readonly Id[]): Promise<void> {
  if (ids.length > 0)
    await execute(
      tx,
      statement`DELETE FROM strandline.system_events WHERE id = ANY (${ids}) AND opened_at IS NULL`,
    );
}

/** When the last check ended, and when a worker last ended as asked; null: never. */
export async function readLastCheck(
  tx: Transaction,
): Promise<{ checked_at: Date | null; stopped_at: Date | null }> {
  const rows = await rowsOf<{ checked_at: Date | null; stopped_at: Date | null }>(
    tx,
    statement`SELECT max(at) FILTER (WHERE name = 'system_check') AS checked_at,
        max(at) FILTER (WHERE name = 'worker_stop') AS stopped_at
      FROM strandline.facts WHERE name IN ('system_check', 'worker_stop')`,
  );
  return onlyRow(rows);
}

export async function recordCheck(tx: Transaction, now: Date): Promise<void> {
  await recordFact(tx, 'system_check', now);
}

/** A part of a problem, its beginning or end, that was not reported to a channel. */
type UntoldPart = { channel_id: Id; event_id: Id; part: SystemEventPart };

/**
 * What the rule has not reported to its active channels: beginnings of problems that last, and ends of those whose beginning it
 * reported. No channel is told about itself. The caller has locked the channels and the rule.
 * @param just problems that began and ended at once: both parts are reported
 */
export async function listUntoldParts(
  tx: Transaction,
  { ruleId, just }: { ruleId: Id; just: readonly Id[] },
): Promise<UntoldPart[]> {
  return rowsOf<UntoldPart>(
    tx,
    statement`SELECT rc.channel_id, e.id AS event_id, p.part
      FROM strandline.rule_channels rc
      JOIN strandline.channels c ON c.id = rc.channel_id AND c.archived_at IS NULL AND c.state = 'active'
      JOIN strandline.system_events e ON e.opened_at IS NOT NULL AND NOT (e.kind = 'channel_dead' AND e.subject_key = c.id::text)
      CROSS JOIN (VALUES ('beginning'), ('end')) p(part)
      WHERE rc.rule_id = ${ruleId} AND (
        e.id = ANY (${just})
        OR p.part = 'beginning' AND e.until IS NULL AND e.clear_since IS NULL
        OR p.part = 'end' AND e.outcome IN ('recovered', 'day_ended') AND EXISTS (
          SELECT FROM strandline.delivery_events b JOIN strandline.deliveries d ON d.id = b.delivery_id
          WHERE b.rule_id = rc.rule_id AND b.event_id = e.id AND b.channel_id = c.id AND b.part = 'beginning'
            AND d.state NOT IN ('cancelled', 'dead')))
        AND NOT EXISTS (SELECT FROM strandline.delivery_events t
          WHERE t.rule_id = rc.rule_id AND t.event_id = e.id AND t.channel_id = c.id AND t.part = p.part)
      ORDER BY rc.channel_id, e.id, p.part`,
    'untold_system_events',
  );
}

/** Adds parts to a message that is not composed yet. */
export async function addEventsToDelivery(
  tx: Transaction,
  delivery: { id: Id; ruleId: Id; channelId: Id },
  parts: readonly Pick<UntoldPart, 'event_id' | 'part'>[],
): Promise<void> {
  const added = givenRows('u', {
    event_id: ['bigint', parts.map(({ event_id }) => event_id)],
    part: ['text', parts.map(({ part }) => part)],
  });
  await execute(
    tx,
    statement`INSERT INTO strandline.delivery_events (rule_id, event_id, channel_id, part, delivery_id)
      SELECT ${delivery.ruleId}, event_id, ${delivery.channelId}, part, ${delivery.id} FROM ${added}
      ON CONFLICT DO NOTHING`,
  );
}

/** A problem of a message, with the parts that the message reports. */
export type ToldEvent = SystemEvent & {
  parts: SystemEventPart[];
  search: string | null;
  topic: string | null;
};

/** The problems of a message, by their beginning; empty for a message about anything else. */
export async function readDeliveryEvents(tx: Queryable, deliveryId: Id): Promise<ToldEvent[]> {
  return rowsOf<ToldEvent>(
    tx,
    statement`SELECT e.id, e.kind, e.subject_key, coalesce(s.slug, e.subject) AS subject, e.search_id, e.since, e.noticed_at, e.opened_at,
        e.clear_since, e.until, e.outcome, e.recurrences, e.reason, e.advice, p.parts, s.slug AS search, t.slug AS topic
      FROM (SELECT event_id, array_agg(part ORDER BY part) AS parts FROM strandline.delivery_events WHERE delivery_id = ${deliveryId} GROUP BY 1) p
      JOIN strandline.system_events e ON e.id = p.event_id
      LEFT JOIN strandline.searches s ON s.id = e.search_id
      LEFT JOIN strandline.topics t ON t.id = s.topic_id
      ORDER BY e.since, e.id`,
  );
}
