/** Gathers the discoveries that a rule reports into messages to a channel, each with the time at which it may be sent. */
import { findCommonValue, groupBy } from '../../lib/group-by.ts';
import { DAY, findLatest, HOUR } from '../../lib/time.ts';
import type { FeedEntry } from '../../store/alerts/reportable-discoveries.ts';
import {
  addToDelivery,
  beginDelivery,
  excludeRun,
  findGathering,
  type MuteSummary,
  readSent,
  setDue,
} from '../../store/alerts/gathering-rows.ts';
import type { Mutes } from '../../store/alerts/mutes.ts';
import type { Rule } from '../../store/alerts/rule-rows.ts';
import type { Id, Transaction } from '../../store/db/database.ts';
import { decideSendTime, isUrgent, type SendTime } from './due-time.ts';
import { createMessageId, MAX_WHOLE_DISCOVERIES } from './message.ts';

/** Discoveries that one message gathers; those beyond {@link MAX_WHOLE_DISCOVERIES} as ids only. A mute gathers all. */
export const MAX_GATHERED = 5_000;
/** How far back messages count for the limit of a local day, which has up to 25 hours. */
const RECENT_MS = 2 * DAY + HOUR;

/** A rule and a channel for which discoveries are gathered. */
type Pair = { rule: Rule; channelId: Id; now: Date };

/** Until when a rule is muted, with all others or by itself; null: it is not. */
export function findRuleMute(rule: Pick<Rule, 'muted_until'>, mutes: Mutes, now: Date): Date | null {
  const until = findLatest([rule.muted_until, mutes.all]);
  return until !== null && until > now ? until : null;
}

/** Messages sent before, as far as the rule needs them. */
export function readSentBefore(
  tx: Transaction,
  {
    rule,
    channelId,
    now,
  }: { rule: Pick<Rule, 'id' | 'max_per_day' | 'cooldown_seconds'>; channelId: Id; now: Date },
): Promise<{ last: Date | null; recent: Date[] }> {
  if (rule.max_per_day === null && rule.cooldown_seconds === 0)
    return Promise.resolve({ last: null, recent: [] });
  const since = rule.max_per_day === null ? now : new Date(now.getTime() - RECENT_MS);
  return readSent(tx, rule.id, channelId, { since, now });
}

/** What is muted gathers for the summary of its mute, everything else for a message as usual. */
export async function gatherDiscoveries(
  tx: Transaction,
  pair: Pair,
  matching: readonly FeedEntry[],
  mutes: Mutes,
): Promise<void> {
  const { rule, now } = pair;
  const until = findRuleMute(rule, mutes, now);
  const byMute = groupBy(matching, ({ topic_id }) => {
    const topicEnd = mutes.topics.get(topic_id);
    if (topicEnd !== undefined && (until === null || topicEnd > until)) return topic_id;
    return until === null ? 'sent' : 'rule';
  });
  for (const [mute, entries] of byMute) {
    if (mute === 'sent') await gatherForSending(tx, pair, entries);
    else if (mute === 'rule') await holdDiscoveries(tx, pair, entries, { topicId: null }, until ?? now);
    else await holdDiscoveries(tx, pair, entries, { topicId: mute }, mutes.topics.get(mute) ?? now);
  }
}

async function holdDiscoveries(
  tx: Transaction,
  pair: Pair,
  entries: readonly FeedEntry[],
  hold: NonNullable<MuteSummary>,
  until: Date,
): Promise<void> {
  const held = await findGathering(tx, pair.rule.id, pair.channelId, hold);
  const id = held?.id ?? (await begin(tx, pair, null, { at: until, waitsFor: 'mute' }, hold));
  await add(tx, pair, id, entries);
}

async function gatherForSending(tx: Transaction, pair: Pair, matching: readonly FeedEntry[]): Promise<void> {
  const { rule, channelId, now } = pair;
  const urgent = matching.some(({ kind }) => isUrgent(kind));
  const state = { last: null, recent: [], mutedUntil: null, urgent };
  if (rule.cooldown_seconds === 0 && rule.max_per_day === null) {
    const due = decideSendTime(rule, state, now);
    if (due.waitsFor === null) {
      for (const [runId, ofRun] of groupBy(matching, ({ run_id }) => run_id))
        for (const part of splitIntoParts(ofRun, MAX_WHOLE_DISCOVERIES))
          await add(tx, pair, await begin(tx, pair, runId, due, null), part);
      return;
    }
  }
  const open = await findGathering(tx, rule.id, channelId);
  const room = open === null ? 0 : Math.max(0, MAX_GATHERED - open.discoveries);
  const sent = open === null || room < matching.length || urgent ? await readSentBefore(tx, pair) : null;
  if (open !== null && room > 0) {
    await add(tx, pair, open.id, matching.slice(0, room));
    await excludeRun(tx, open.id, findOnlyRun(matching));
    if (urgent && sent !== null) {
      const due = decideSendTime(rule, { ...state, ...sent }, now);
      if (due.at < open.next_attempt_at) await setDue(tx, open.id, due);
    }
  }
  // Messages that are planned count as sent when they are due.
  const planned = open === null ? [] : [open.next_attempt_at];
  for (const part of splitIntoParts(matching.slice(room), MAX_GATHERED)) {
    const recent = [...(sent?.recent ?? []), ...planned];
    const last = planned.at(-1) ?? sent?.last ?? null;
    const due = decideSendTime(rule, { ...state, last, recent }, now);
    planned.push(due.at);
    await add(tx, pair, await begin(tx, pair, findOnlyRun(part), due, null), part);
  }
}

/** The waiting message of a rule and channel, or a new one that is due as soon as it may be sent. */
export async function findOrBeginDelivery(tx: Transaction, pair: Pair): Promise<Id> {
  const open = await findGathering(tx, pair.rule.id, pair.channelId);
  if (open !== null) return open.id;
  const state = { ...(await readSentBefore(tx, pair)), mutedUntil: null, urgent: false };
  return begin(tx, pair, null, decideSendTime(pair.rule, state, pair.now), null);
}

function begin(
  tx: Transaction,
  { rule, channelId, now }: Pair,
  runId: Id | null,
  due: SendTime,
  hold: MuteSummary,
): Promise<Id> {
  return beginDelivery(tx, {
    messageId: createMessageId(),
    channelId,
    ruleId: rule.id,
    runId,
    due,
    hold,
    now,
  });
}

function add(
  tx: Transaction,
  { rule, channelId }: Pair,
  id: Id,
  entries: readonly FeedEntry[],
): Promise<void> {
  return addToDelivery(
    tx,
    { id, ruleId: rule.id, channelId },
    entries.map((entry) => entry.id),
  );
}

function findOnlyRun(entries: readonly FeedEntry[]): Id | null {
  return findCommonValue(entries.map(({ run_id }) => run_id));
}

function splitIntoParts<T>(all: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most));
}
