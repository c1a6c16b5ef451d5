/**
 * Evaluates rules over the feed and gathers messages. Each channel has a cursor over the discoveries, whose ids are in commit
 * order. The transaction that moves the cursor also evaluates everything up to it.
 */
import { type Id, inTransaction, type Transaction } from '../../store/db/database.ts';
import {
  type Channel,
  listChannelsBehind,
  lockChannel,
  moveCursor,
} from '../../store/alerts/channel-rows.ts';
import {
  type FeedEntry,
  leaveOutSent,
  readEntries,
  readFeedAfter,
} from '../../store/alerts/reportable-discoveries.ts';
import { type Mutes, readMutes } from '../../store/alerts/mutes.ts';
import { listChannelRules, type Rule } from '../../store/alerts/rule-rows.ts';
import { holdDiscoveries, readVerdicts, releaseDiscoveries } from '../../store/judgements/verdicts.ts';
import { catchUpWithStories } from '../../store/stories/follow-stories.ts';
import type { Context } from '../context.ts';
import { findRuleMute, gatherDiscoveries } from './gather-discoveries.ts';
import { isCovered, matchRules } from './rule-filter.ts';
import { enqueueChannels } from './enqueue-channels.ts';

/** Discoveries that are evaluated in one transaction. */
const EVALUATION_BATCH = 1_000;
const NO_MUTES: Mutes = { all: null, topics: new Map() };

/**
 * Decides the stories of new discoveries, evaluates them for every active channel, and enqueues channels that have something to
 * send. Processes that do so at the same time wait for each other at the channel's row lock.
 */
export async function evaluateRules(ctx: Context): Promise<void> {
  const behind = await listChannelsBehind(ctx.db.pool);
  if (behind.length > 0) await catchUpWithStories(ctx.db);
  for (const channelId of behind) {
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

/**
 * Evaluates everything after the cursor of a channel whose row is locked, as far as stories are decided: see
 * `catchUpWithStories`, which must not be called in the transaction.
 */
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
  const now = ctx.clock.now();
  const judged = await readEntries(
    tx,
    await releaseDiscoveries(tx, channel.id, { now, isOver: ctx.judge === null }),
  );
  if (last === null && judged.length === 0) return false;
  const covered = [...judged, ...(await holdUnjudged(ctx, tx, channel.id, found))];
  const matches = (await matchRules(tx, rules, covered, now)).filter(({ matching }) => matching.length > 0);
  const mutes = matches.length === 0 ? NO_MUTES : await readMutes(tx, now);
  const isMuted = ({ rule }: { rule: Rule }) => findRuleMute(rule, mutes, now) !== null;
  // A muted rule takes nothing away from another rule of the channel.
  for (const { rule, matching } of matches.toSorted((a, b) => Number(isMuted(a)) - Number(isMuted(b)))) {
    const unsent = await leaveOutSent(tx, channel.id, matching);
    if (unsent.length > 0) await gatherDiscoveries(tx, { rule, channelId: channel.id, now }, unsent, mutes);
  }
  if (last !== null) await moveCursor(tx, channel.id, last);
  return more;
}

/** Sets aside what a language model is about to judge. @returns the other entries */
async function holdUnjudged(
  { judge, clock }: Pick<Context, 'judge' | 'clock'>,
  tx: Transaction,
  channelId: Id,
  entries: readonly FeedEntry[],
): Promise<readonly FeedEntry[]> {
  const ids = entries.flatMap(({ id, has_goal }) => (has_goal ? [id] : []));
  if (judge === null || ids.length === 0) return entries;
  const verdicts = await readVerdicts(tx, ids, clock.now());
  const held = new Set(ids.filter((id) => verdicts.get(id)?.waits === true));
  await holdDiscoveries(tx, channelId, [...held]);
  return entries.filter(({ id }) => !held.has(id));
}
