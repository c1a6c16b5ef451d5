/**
 * Evaluates rules over the feed and gathers messages. Each channel has a cursor over the discoveries, whose ids are in commit
 * order. The transaction that moves the cursor also evaluates everything up to it.
 */
import { findCommonValue, groupBy } from '../../domain/group-by.ts';
import { SECOND } from '../../domain/time.ts';
import { type Id, inTransaction, type Transaction } from '../../store/database.ts';
import {
  type Channel,
  listChannelsBehind,
  lockChannel,
  moveCursor,
} from '../../store/alerts/channel-rows.ts';
import {
  beginDelivery,
  addToDelivery,
  findGathering,
  readLastDeliveryAt,
  excludeRun,
} from '../../store/alerts/delivery-rows.ts';
import { leaveOutSent, readFeedAfter, type FeedEntry } from '../../store/alerts/feed-entries.ts';
import { listChannelRules, type Rule } from '../../store/alerts/rule-rows.ts';
import type { Context } from '../context.ts';
import { isCovered, matchRules } from './rule-filter.ts';
import { createMessageId, MAX_WHOLE_DISCOVERIES } from './message.ts';
import { enqueueChannels } from './enqueue-channels.ts';

/** Discoveries that one message gathers during a cooldown; those beyond {@link MAX_WHOLE_DISCOVERIES} as ids only. */
const MAX_GATHERED = 5_000;
/** Discoveries that are evaluated in one transaction. */
const EVALUATION_BATCH = 1_000;

/**
 * Evaluates new discoveries for every active channel, and enqueues channels that have something to send. Processes that do so
 * at the same time wait for each other at the channel's row lock.
 */
export async function evaluateRules(ctx: Context): Promise<void> {
  for (const channelId of await listChannelsBehind(ctx.db.pool)) {
    try {
      await evaluateChannel(ctx, channelId);
      await enqueueChannels(ctx, [channelId]);
    } catch (error) {
      // A failure for one channel must not block the others.
      ctx.log.error({ err: error, channel_id: String(channelId) }, 'rule evaluation failed');
    }
  }
}

async function evaluateChannel(ctx: Context, channelId: Id): Promise<void> {
  const next = () =>
    inTransaction(ctx.db, async (tx) => {
      const channel = await lockChannel(tx, channelId);
      return channel === null ? false : evaluateBatch(ctx, tx, channel);
    });
  while (await next());
}

/** Evaluates everything after the cursor of a channel whose row is locked. */
export async function evaluateAllPending(ctx: Context, tx: Transaction, channel: Channel): Promise<void> {
  let current = channel;
  for (let more = true; more; ) {
    more = await evaluateBatch(ctx, tx, current);
    if (more) current = (await lockChannel(tx, channel.id)) ?? current;
  }
}

/** @returns whether there may be more. Does nothing for a channel that is not active: its cursor stays. */
async function evaluateBatch(ctx: Context, tx: Transaction, channel: Channel): Promise<boolean> {
  if (channel.state !== 'active') return false;
  const rules = await listChannelRules(tx, channel.id);
  const { found, last, more } = await readFeedAfter(tx, channel.cursor, EVALUATION_BATCH, (entry) =>
    rules.some((rule) => isCovered(rule, entry)),
  );
  if (last === null) return false;
  for (const { rule, matching } of await matchRules(tx, rules, found, ctx.clock.now())) {
    const unsent = matching.length === 0 ? [] : await leaveOutSent(tx, channel.id, matching);
    if (unsent.length > 0) await gatherDiscoveries(ctx, tx, channel.id, rule, unsent);
  }
  await moveCursor(tx, channel.id, last);
  return more;
}

async function gatherDiscoveries(
  ctx: Context,
  tx: Transaction,
  channelId: Id,
  rule: Rule,
  matching: readonly FeedEntry[],
): Promise<void> {
  const now = ctx.clock.now();
  const begin = (runId: Id | null, dueAt: Date) =>
    beginDelivery(tx, { messageId: createMessageId(), channelId, ruleId: rule.id, runId, dueAt, now });
  const add = (id: Id, entries: readonly FeedEntry[]) =>
    addToDelivery(tx, { id, ruleId: rule.id, channelId }, listIds(entries));

  if (rule.cooldown_seconds === 0) {
    for (const [runId, ofRun] of groupBy(matching, ({ run_id }) => run_id))
      for (const part of splitIntoParts(ofRun, MAX_WHOLE_DISCOVERIES))
        await add(await begin(runId, now), part);
    return;
  }
  const cooldownMs = rule.cooldown_seconds * SECOND;
  const open = await findGathering(tx, rule.id, channelId);
  const room = open === null ? 0 : Math.max(0, MAX_GATHERED - open.discoveries);
  let dueAt = open?.next_attempt_at;
  if (open !== null && room > 0) {
    await add(open.id, matching.slice(0, room));
    await excludeRun(tx, open.id, findOnlyRun(matching));
  }
  for (const part of splitIntoParts(matching.slice(room), MAX_GATHERED)) {
    const since = dueAt ?? (await readLastDeliveryAt(tx, rule.id, channelId));
    dueAt = since === null ? now : new Date(Math.max(since.getTime() + cooldownMs, now.getTime()));
    await add(await begin(findOnlyRun(part), dueAt), part);
  }
}

/** The waiting message of a rule and channel, or a new one that is due after the cooldown. */
export async function findOrBeginDelivery(
  tx: Transaction,
  { rule, channelId, now }: { rule: Rule; channelId: Id; now: Date },
): Promise<Id> {
  const open = await findGathering(tx, rule.id, channelId);
  if (open !== null) return open.id;
  const since = await readLastDeliveryAt(tx, rule.id, channelId);
  const ends = since === null ? 0 : since.getTime() + rule.cooldown_seconds * SECOND;
  const dueAt = new Date(Math.max(ends, now.getTime()));
  return beginDelivery(tx, {
    messageId: createMessageId(),
    channelId,
    ruleId: rule.id,
    runId: null,
    dueAt,
    now,
  });
}

function findOnlyRun(found: readonly FeedEntry[]): Id | null {
  return findCommonValue(found.map(({ run_id }) => run_id));
}

function splitIntoParts<T>(all: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most));
}

function listIds(found: readonly FeedEntry[]): Id[] {
  return found.map(({ id }) => id);
}
