/**
 * From the feed to messages. Each channel has a cursor over the discoveries, whose ids are in the order of their
 * commits: what lies behind it was judged, and told or not, in the transaction that moved it.
 */
import { SECOND } from '../../engine/clock.ts';
import { type Id, inTransaction, type Transaction } from '../../store/database.ts';
import { type Channel, channelsBehind, lockChannel, moveCursor } from '../../store/tell/channels.ts';
import { beginDelivery, gather, gatheringOf, lastMadeAt, leaveRun } from '../../store/tell/deliveries.ts';
import { feedAfter, type Found } from '../../store/tell/feed.ts';
import { rulesOf } from '../../store/tell/rules.ts';
import type { Context } from '../context.ts';
import { type ReadyRule, ready, tells } from './judge.ts';
import { WHOLE_MAX } from './message.ts';
import { messageId } from './message-id.ts';
import { wakeChannels } from './wake.ts';

/** Discoveries that one message gathers at most during a cooldown: those beyond {@link WHOLE_MAX} by their ids. */
export const GATHERED_MAX = 5_000;
/** Discoveries that are judged in one transaction. */
const BATCH = 1_000;

/**
 * Judges what was found since, for every channel that is active, and enqueues channels that have something to send.
 * Several processes may do so at once: they wait for each other at the channel's row.
 */
export async function tellNew(ctx: Context): Promise<void> {
  for (const channelId of await channelsBehind(ctx.db.pool)) {
    try {
      await judgeFor(ctx, channelId);
      await wakeChannels(ctx, [channelId]);
    } catch (error) {
      // One channel that cannot be judged for must not keep the others from it.
      ctx.log.error({ err: error, channel_id: String(channelId) }, 'a channel could not be looked after');
    }
  }
}

async function judgeFor(ctx: Context, channelId: Id): Promise<void> {
  const next = () =>
    inTransaction(ctx.db, async (tx) => {
      const channel = await lockChannel(tx, channelId);
      return channel === null ? false : judgeSome(ctx, tx, channel);
    });
  while (await next());
}

/** All that lies behind the cursor of a channel whose row is locked. */
export async function judgeAll(ctx: Context, tx: Transaction, channel: Channel): Promise<void> {
  let current = channel;
  for (let more = true; more; ) {
    more = await judgeSome(ctx, tx, current);
    if (more) current = (await lockChannel(tx, channel.id)) ?? current;
  }
}

/** @returns whether there may be more. A channel that is not active is not judged for: its cursor stands still. */
async function judgeSome(ctx: Context, tx: Transaction, channel: Channel): Promise<boolean> {
  if (channel.state !== 'active') return false;
  const { found, last } = await feedAfter(tx, channel.cursor, BATCH);
  if (last === null) return false;
  for (const rule of await rulesOf(tx, channel.id)) {
    const judged = ready(rule);
    const told = found.filter((one) => tells(judged, one));
    if (told.length > 0) await gatherFor(ctx, tx, channel.id, judged, told);
  }
  await moveCursor(tx, channel.id, last);
  return true;
}

async function gatherFor(
  ctx: Context,
  tx: Transaction,
  channelId: Id,
  rule: ReadyRule,
  told: readonly Found[],
): Promise<void> {
  const now = ctx.clock.now();
  const begin = (runId: Id | null, dueAt: Date) =>
    beginDelivery(tx, { messageId: messageId(), channelId, ruleId: rule.id, runId, dueAt, now });
  const add = (id: Id, some: readonly Found[]) => gather(tx, { id, ruleId: rule.id, channelId }, idsOf(some));

  if (rule.cooldown_seconds === 0) {
    for (const [runId, ofRun] of byRun(told))
      for (const some of inParts(ofRun, WHOLE_MAX)) await add(await begin(runId, now), some);
    return;
  }
  const cooldownMs = rule.cooldown_seconds * SECOND;
  const open = await gatheringOf(tx, rule.id, channelId);
  const room = open === null ? 0 : Math.max(0, GATHERED_MAX - open.discoveries);
  let dueAt = open?.next_attempt_at;
  if (open !== null && room > 0) {
    await add(open.id, told.slice(0, room));
    await leaveRun(tx, open.id, onlyRun(told));
  }
  for (const some of inParts(told.slice(room), GATHERED_MAX)) {
    const since = dueAt ?? (await lastMadeAt(tx, rule.id, channelId));
    dueAt = since === null ? now : new Date(Math.max(since.getTime() + cooldownMs, now.getTime()));
    await add(await begin(onlyRun(some), dueAt), some);
  }
}

function byRun(found: readonly Found[]): Map<Id, Found[]> {
  const runs = new Map<Id, Found[]>();
  for (const one of found) {
    const known = runs.get(one.run_id);
    if (known === undefined) runs.set(one.run_id, [one]);
    else known.push(one);
  }
  return runs;
}

function onlyRun(found: readonly Found[]): Id | null {
  const [first] = found;
  return first !== undefined && found.every((one) => one.run_id === first.run_id) ? first.run_id : null;
}

function inParts<T>(all: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most));
}

function idsOf(found: readonly Found[]): Id[] {
  return found.map(({ id }) => id);
}
