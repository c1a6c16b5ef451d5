/**
 * Decides again, when a message is about to be sent, whether it may be: its rule may have been muted or edited since, or a worker
 * that was down comes to it in quiet hours. The channel is locked.
 */
import { DAY, findLatest, MINUTE } from '../../lib/time.ts';
import type { DueDelivery } from '../../store/alerts/delivery-rows.ts';
import {
  beginDelivery,
  containsKind,
  deleteEmptied,
  findGathering,
  listDeliveryTopics,
  markMuted,
  moveDiscoveries,
  postponePending,
  setDue,
} from '../../store/alerts/gathering-rows.ts';
import { listDigestSchedules, listEndedHolds } from '../../store/alerts/held-deliveries.ts';
import { type Mutes, readMuteEnds, readMutes } from '../../store/alerts/mutes.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import { nextSlot } from '../schedule/cadence.ts';
import { decideSendTime, describeLimit, type SendTime, URGENT_KIND_NAMES } from './due-time.ts';
import { findRuleMute, readSentBefore } from './gather-discoveries.ts';
import { createMessageId, type MessageLimit, type MutedSince } from './message.ts';

/** @returns whether the message, or what it gathered, waits on */
export async function postponeDelivery(
  tx: Transaction,
  channelId: Id,
  delivery: DueDelivery,
  now: Date,
): Promise<boolean> {
  const mutes = await readMutes(tx, now);
  const until = findRuleMute(delivery, mutes, now);
  if (delivery.made_at !== null || delivery.digest !== null) {
    // A digest, or composed before: it cannot be divided or join a summary.
    const topicEnd = delivery.topic_id === null ? null : (mutes.topics.get(delivery.topic_id) ?? null);
    const state = { last: null, recent: [], mutedUntil: findLatest([until, topicEnd]), urgent: true };
    const due = decideSendTime({ ...delivery, max_per_day: null }, state, now);
    if (due.at <= now) return false;
    await postponePending(tx, { ruleId: delivery.rule_id, channelId }, due, now);
    return true;
  }
  if (until !== null) {
    await hold(tx, channelId, delivery, null, until, now);
    return true;
  }
  if (await holdTopics(tx, channelId, delivery, mutes, now)) return true;
  const due = await decideAgain(tx, channelId, delivery, now);
  if (delivery.muted && due.at <= now) {
    const digest = await findDigestTime(tx, delivery, now);
    if (digest === null) return false;
    await setDue(tx, delivery.id, { at: digest, waitsFor: 'mute' });
    return true;
  }
  if (due.at <= now) return false;
  await setDue(tx, delivery.id, due);
  return true;
}

/** A digest waits five minutes for runs, and a few seconds for a worker. */
const DIGEST_MARGIN_MS = 15 * MINUTE;

/**
 * Until when a summary of a mute that is over waits for a digest to its channel, which will contain it; null: there is none that is
 * due within a day after the mute, or it did not come.
 */
async function findDigestTime(tx: Transaction, delivery: DueDelivery, now: Date): Promise<Date | null> {
  const schedules = await listDigestSchedules(tx, delivery.id, now);
  const mute = schedules.length === 0 ? null : await readMute(tx, delivery, now);
  if (mute === null) return null;
  const ended = mute.until.getTime();
  const slots = schedules.map(({ digest, tz }) => nextSlot({ kind: 'cron', cron: digest, tz }, ended));
  const first = Math.min(...slots);
  const last = first + DIGEST_MARGIN_MS;
  return first <= ended + DAY && last > now.getTime() ? new Date(last) : null;
}

/** Moves what mutes that are over held back into the message about a digest. */
export async function takeHeld(tx: Transaction, digestDeliveryId: Id, now: Date): Promise<void> {
  for (const id of await listEndedHolds(tx, digestDeliveryId, now)) {
    await moveDiscoveries(tx, id, digestDeliveryId, null);
    await deleteEmptied(tx, id);
  }
}

/** Holds back discoveries of muted topics. @returns whether nothing else is in the message */
async function holdTopics(
  tx: Transaction,
  channelId: Id,
  delivery: DueDelivery,
  mutes: Mutes,
  now: Date,
): Promise<boolean> {
  if (mutes.topics.size === 0) return false;
  const topics = await listDeliveryTopics(tx, delivery.id);
  // A message without topics is about strandline itself.
  if (topics.length === 0) return false;
  const muted = topics.filter((id) => mutes.topics.has(id));
  for (const id of muted) {
    const until = mutes.topics.get(id) ?? now;
    if (topics.length === 1) await hold(tx, channelId, delivery, id, until, now);
    else {
      const held = await findGathering(tx, delivery.rule_id, channelId, { topicId: id });
      const to = held?.id ?? (await beginHeld(tx, channelId, delivery.rule_id, id, until, now));
      await moveDiscoveries(tx, delivery.id, to, id);
    }
  }
  if (muted.length < topics.length) return false;
  if (topics.length > 1) await deleteEmptied(tx, delivery.id);
  return true;
}

/** Turns the whole message into the summary of a mute, or adds it to that which is gathering. */
async function hold(
  tx: Transaction,
  channelId: Id,
  delivery: DueDelivery,
  topicId: Id | null,
  until: Date,
  now: Date,
): Promise<void> {
  if (delivery.muted && delivery.muted_topic_id === topicId)
    return setDue(tx, delivery.id, { at: until, waitsFor: 'mute' });
  const held = await findGathering(tx, delivery.rule_id, channelId, { topicId });
  if (held === null) return markMuted(tx, delivery.id, topicId, until);
  await moveDiscoveries(tx, delivery.id, held.id, null);
  await deleteEmptied(tx, delivery.id);
  if (held.next_attempt_at <= now) await setDue(tx, held.id, { at: until, waitsFor: 'mute' });
}

function beginHeld(
  tx: Transaction,
  channelId: Id,
  ruleId: Id,
  topicId: Id,
  until: Date,
  now: Date,
): Promise<Id> {
  const due: SendTime = { at: until, waitsFor: 'mute' };
  const messageId = createMessageId();
  return beginDelivery(tx, { messageId, channelId, ruleId, runId: null, due, hold: { topicId }, now });
}

/** Decides again when a message is due, by messages sent since it was gathered. */
async function decideAgain(
  tx: Transaction,
  channelId: Id,
  delivery: DueDelivery,
  now: Date,
): Promise<SendTime> {
  const rule = { ...delivery, id: delivery.rule_id };
  const state = { ...(await readSentBefore(tx, { rule, channelId, now })), mutedUntil: null };
  const due = decideSendTime(delivery, { ...state, urgent: false }, now);
  if (due.at <= now || !(await containsKind(tx, delivery.id, URGENT_KIND_NAMES))) return due;
  return decideSendTime(delivery, { ...state, urgent: true }, now);
}

/** Why a message is composed now: the mute that it sums up, and its place in the limit of its day. */
export async function readOccasion(
  tx: Transaction,
  channelId: Id,
  delivery: DueDelivery,
  now: Date,
): Promise<{ muted: (MutedSince & { delivery: Id }) | null; limit: MessageLimit | null }> {
  return {
    muted: await readMute(tx, delivery, now),
    limit: await readLimit(tx, channelId, delivery, now),
  };
}

/** Reads the mute that held a delivery back, with the end of the last mute that applied to it. */
async function readMute(
  tx: Transaction,
  { id, muted, muted_topic_id, muted_until, created_at }: DueDelivery,
  now: Date,
): Promise<(MutedSince & { delivery: Id }) | null> {
  if (!muted) return null;
  const { all, topic, slug, name } = await readMuteEnds(tx, muted_topic_id);
  const ended = [muted_until, all, topic].filter((end) => end !== null && end <= now);
  return { delivery: id, since: created_at, until: findLatest(ended) ?? now, topic: slug, topic_name: name };
}

async function readLimit(
  tx: Transaction,
  channelId: Id,
  delivery: DueDelivery,
  now: Date,
): Promise<MessageLimit | null> {
  if (delivery.max_per_day === null) return null;
  const { recent } = await readSentBefore(tx, {
    rule: { ...delivery, id: delivery.rule_id },
    channelId,
    now,
  });
  return describeLimit(delivery, recent, now, delivery.waits_for);
}
