/** When a message of a rule to a channel may be sent: mute, quiet hours, limit and cooldown decide together. Pure. */
import { type RuleKind, type StoredRuleKind, WAIT_REASONS, type WaitReason } from '../../model/alerts.ts';
import { SECOND } from '../../lib/time.ts';
import { findNextDay, findQuietEnd, readLocalDay } from './local-clock.ts';
import type { MessageLimit } from './message.ts';
import { parseQuietHours } from './quiet-hours.ts';

/** The members of a rule that decide when its messages are sent. */
export type SendingRule = {
  kinds: readonly StoredRuleKind[];
  /** Minimum time between two messages; 0: none. */
  cooldown_seconds: number;
  /** Such as `22:00-07:00`; null: none. */
  quiet_hours: string | null;
  /** Time zone of the quiet hours, and of the day of the limit. */
  tz: string;
  /** Null: no limit. */
  max_per_day: number | null;
};

/** What was sent to the channel by the rule, and what the message contains. */
export type SendingState = {
  /** When the last message was composed; null if none was. */
  last: Date | null;
  /** When messages of the last two days were composed. Needed for a limit only. */
  recent: readonly Date[];
  /** Until when the message is muted; null or a past time: it is not. */
  mutedUntil: Date | null;
  /** Whether it contains a discovery of an urgent kind. */
  urgent: boolean;
};

export type SendTime = {
  at: Date;
  /** The strongest of the reasons to wait; null if it is sent at once. */
  waitsFor: WaitReason | null;
};

/** Spikes are urgent: they end a cooldown, taking along what it gathered, and part of the limit is kept for them. */
const URGENT_KINDS: ReadonlySet<string> = new Set<RuleKind>(['spike']);

export function isUrgent(kind: string): boolean {
  return URGENT_KINDS.has(kind);
}

/** The urgent kinds, for statements. */
export const URGENT_KIND_NAMES: readonly string[] = [...URGENT_KINDS];

/**
 * How many messages may have been sent on a day before another is sent. A fifth of the limit, at least one message, is kept
 * for urgent messages, unless the limit is one message.
 */
export function countAllowed({ max_per_day: most, kinds }: SendingRule, urgent: boolean): number {
  if (most === null) return Number.POSITIVE_INFINITY;
  if (urgent || most === 1 || !kinds.some(isUrgent)) return most;
  return most - Math.ceil(most / 5);
}

/** The earliest time from `now` on that everything allows. */
export function decideSendTime(rule: SendingRule, state: SendingState, now: Date): SendTime {
  const quiet = rule.quiet_hours === null ? undefined : parseQuietHours(rule.quiet_hours);
  const allowed = countAllowed(rule, state.urgent);
  const sentOn = countByDay(rule, state.recent);
  const reasons = new Set<WaitReason>();
  let at = now.getTime();
  const wait = (reason: WaitReason, until: number) => {
    if (until <= at) return;
    at = until;
    reasons.add(reason);
  };
  wait('mute', state.mutedUntil?.getTime() ?? at);
  const isCooling = rule.cooldown_seconds > 0 && !state.urgent && state.last !== null;
  if (isCooling) wait('cooldown', Number(state.last) + rule.cooldown_seconds * SECOND);
  for (let before = Number.NaN; before !== at; ) {
    before = at;
    if (quiet !== undefined) wait('quiet_hours', findQuietEnd(quiet, rule.tz, at));
    if (sentOn.size > 0 && (sentOn.get(readLocalDay(rule.tz, at)) ?? 0) >= allowed)
      wait('limit', findNextDay(rule.tz, at));
  }
  return { at: new Date(at), waitsFor: WAIT_REASONS.find((reason) => reasons.has(reason)) ?? null };
}

function countByDay({ max_per_day, tz }: SendingRule, recent: readonly Date[]): Map<number, number> {
  const counts = new Map<number, number>();
  if (max_per_day === null) return counts;
  for (const at of recent) {
    const day = readLocalDay(tz, at.getTime());
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return counts;
}

/** The place of a message in the limit of its day; null if the rule has no limit. @param recent when messages before it were sent */
export function describeLimit(
  rule: SendingRule,
  recent: readonly Date[],
  at: Date,
  waitedFor: WaitReason | null,
): MessageLimit | null {
  const { max_per_day: most, tz } = rule;
  if (most === null) return null;
  const number = (countByDay(rule, recent).get(readLocalDay(tz, at.getTime())) ?? 0) + 1;
  const rest = number >= most ? 'none' : number >= countAllowed(rule, false) ? 'spikes' : 'any';
  return { per_day: most, number, waited: waitedFor === 'limit', rest_of_day: rest };
}
