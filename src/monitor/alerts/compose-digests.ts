/** Composes digests that the scan has planned (`monitor/schedule/plan-digests.ts`), and creates their messages. */
import { DAY, MINUTE } from '../../lib/time.ts';
import { MIN_EVIDENCE } from '../../model/briefs.ts';
import { countTopicNews, readMutedRange } from '../../store/alerts/held-deliveries.ts';
import { type Mutes, readMutes } from '../../store/alerts/mutes.ts';
import { type Id, inTransaction, readTime, type Transaction } from '../../store/db/database.ts';
import {
  hasRunsInProgress,
  insertDigestDelivery,
  insertPlannedDigest,
  listPlannedDigests,
  lockPlannedDigest,
  type PlannedDigest,
  removeDigest,
  storeDigest,
} from '../../store/alerts/digests.ts';
import { MAX_BRIEF_WAIT_MS, queueDigestBrief } from '../../store/briefs/queue-briefs.ts';
import { lockAgainstErasing } from '../../store/erase/save-lock.ts';
import { readLastDiscoveryId } from '../../store/queries/discoveries.ts';
import { findTopic } from '../../store/topics/topics.ts';
import type { Context } from '../context.ts';
import { MAX_SPAN_DAYS } from '../digests/digest-inputs.ts';
import { listDigestEvidence } from '../digests/digest-evidence.ts';
import { saysSomething } from '../digests/digest-shapes.ts';
import { readDigest } from '../digests/read-digest.ts';
import type { DigestHeld } from '../digests/digest-shapes.ts';
import { slotsBetween } from '../schedule/cadence.ts';
import { createMessageId } from './message.ts';

/** How long a digest waits for runs that were due before it, such as runs of a machine that just woke. */
const MAX_WAIT_MS = 5 * MINUTE;

/**
 * Composes planned digests: reads the value, stores it, and creates the deliveries, in one transaction each. A digest that
 * fails is left for the next time, and delays no other.
 */
export async function composeDigests(ctx: Context): Promise<void> {
  for (const id of await listPlannedDigests(ctx.db)) {
    try {
      const channels = await inTransaction(ctx.db, (tx) => composeOne(ctx, tx, id));
      if (channels.length > 0) await ctx.queue.enqueueChannels(channels).catch(() => {}); // the scan enqueues them again
    } catch (error) {
      ctx.log.error({ err: error, digest: String(id) }, 'digest not composed');
    }
  }
}

/**
 * Plans and composes the digest of a slot in one transaction, at the time of the context: no worker composes it at another. The rule
 * has no channels, so it is sent to nobody. Replaces that of a simulation that was interrupted.
 */
export async function composePastDigest(ctx: Context, ruleId: Id, dueAt: Date): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await removeDigest(tx, ruleId, dueAt);
    const id = await insertPlannedDigest(tx, { ruleId, dueAt, now: dueAt });
    if (id !== null) await composeOne(ctx, tx, id);
  });
}

/** @returns the channels to which it is sent at once */
async function composeOne(ctx: Context, tx: Transaction, id: Id): Promise<Id[]> {
  const until = await readTime(tx, ctx.clock);
  const planned = await lockPlannedDigest(tx, id, until);
  if (planned === null) return [];
  const { topic, search, created_at, rule_id: ruleId } = planned;
  const waited = until.getTime() - created_at.getTime();
  if (waited < MAX_WAIT_MS && (await hasRunsInProgress(tx, { topic, search, now: until }))) return [];
  await lockAgainstErasing(tx);
  const lastDiscovery = await readLastDiscoveryId(tx);
  const from = findStart(planned, until);
  const after = planned.last_discovery;
  const mutes = await readMutes(tx, until);
  const value = await readDigest(ctx, {
    topic: topic ?? undefined,
    search: search ?? undefined,
    from,
    until,
    tz: planned.tz,
    ...(after === null ? {} : { range: { after, upTo: lastDiscovery } }),
    muted: mutes.topics,
    held: await readHeldTopics(tx, planned, mutes),
  });
  const kept = findReasonToKeep(planned, mutes, saysSomething(value));
  await storeDigest(tx, id, { from, until, lastDiscovery, value, kept });
  if (kept !== null) return [];
  // The brief brings them forward, and nobody else delays them.
  const hasBrief = ctx.briefWriter !== null && listDigestEvidence(value).length >= MIN_EVIDENCE;
  if (hasBrief) await queueDigestBrief(tx, id, until);
  const dueAt = hasBrief ? new Date(until.getTime() + MAX_BRIEF_WAIT_MS) : until;
  for (const channelId of planned.channel_ids)
    await insertDigestDelivery(tx, {
      messageId: createMessageId(),
      channelId,
      ruleId,
      digestId: id,
      now: until,
      dueAt,
    });
  return hasBrief ? [] : planned.channel_ids;
}

/** Where the last digest that was sent ended; for the first digest, one period of the schedule before it. At most 31 days ago. */
function findStart({ last_until, digest, tz, due_at }: PlannedDigest, until: Date): Date {
  const oldest = until.getTime() - MAX_SPAN_DAYS * DAY;
  if (last_until !== null) return new Date(Math.max(last_until.getTime(), oldest));
  const slots =
    digest === null
      ? []
      : [...slotsBetween({ kind: 'cron', cron: digest, tz }, oldest, due_at.getTime() - 1)];
  return new Date(slots.at(-1) ?? due_at.getTime() - DAY);
}

/** Null: it is sent. */
function findReasonToKeep(
  { is_muted, is_removed, channel_ids, topic_id }: PlannedDigest,
  mutes: Mutes,
  isNews: boolean,
): string | null {
  if (is_removed) return 'the rule was removed';
  if (is_muted) return 'the rule was muted';
  if (mutes.all !== null) return 'everything was muted';
  if (topic_id !== null && mutes.topics.has(topic_id)) return 'the topic was muted';
  if (channel_ids.length === 0) return 'no channel was active';
  return isNews ? null : 'nothing new';
}

/** Topics that the last digest left out because they were muted, and that are not muted any more: how much it was. */
async function readHeldTopics(
  tx: Transaction,
  { rule_id, last_muted, last_discovery }: PlannedDigest,
  mutes: Mutes,
): Promise<DigestHeld[]> {
  const held: DigestHeld[] = [];
  for (const { topic, topic_name } of last_muted ?? []) {
    const storedTopic = await findTopic(tx, topic);
    if (storedTopic === null || mutes.topics.has(storedTopic.id) || last_discovery === null) continue;
    const { after, since } = await readMutedRange(tx, rule_id, topic);
    const counts = await countTopicNews(tx, { topic, after, upTo: last_discovery, since });
    if (Object.keys(counts).length === 0) continue;
    const page = `/topics/${topic}/discoveries?${new URLSearchParams({ since: since.toISOString() }).toString()}`;
    held.push({ topic, rule: null, name: topic_name, since: since.toISOString(), counts, page });
  }
  return held;
}
