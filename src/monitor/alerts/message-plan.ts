/**
 * Which messages a rule would have sent: gathering and sending as `gather-discoveries.ts` and `postpone-delivery.ts` do it, in memory,
 * for one channel that accepts everything at once, without mutes. Pure.
 */
import { DAY, HOUR } from '../../lib/time.ts';
import type { WaitReason } from '../../model/alerts.ts';
import { decideSendTime, describeLimit, isUrgent, type SendingRule } from './due-time.ts';
import { MAX_GATHERED } from './gather-discoveries.ts';
import { MAX_WHOLE_DISCOVERIES, type MessageLimit } from './message.ts';

/** What a rule reports, in the order of the feed. */
type PlannedEntry = { id: bigint; at: Date; kind: string; run_id: bigint };

export type PlannedMessage<Entry> = {
  at: Date;
  waitsFor: WaitReason | null;
  entries: Entry[];
  limit: MessageLimit | null;
};

type MessagePlan<Entry> = {
  /** Adds what was found; in the order of the feed. */
  add(entries: readonly Entry[]): void;
  /** The messages up to a time, oldest first, and what waits then. */
  end(until: Date): { messages: PlannedMessage<Entry>[]; waiting: Entry[] };
};

/** Sent messages that count for a day. */
const RECENT_MS = 2 * DAY + HOUR;

export function createMessagePlan<Entry extends PlannedEntry>(rule: SendingRule): MessagePlan<Entry> {
  const messages: PlannedMessage<Entry>[] = [];
  /** Gathering, in the order in which they began. */
  const open: PlannedMessage<Entry>[] = [];
  /** Discoveries of one run at one time, which are evaluated together. */
  let group: Entry[] = [];

  const readState = (now: Date, urgent: boolean) => {
    const recent: Date[] = [];
    for (let n = messages.length - 1; n >= 0; n -= 1) {
      const at = messages[n]?.at;
      if (at === undefined || at.getTime() < now.getTime() - RECENT_MS) break;
      recent.unshift(at);
    }
    return { last: messages.at(-1)?.at ?? null, recent, mutedUntil: null, urgent };
  };

  const send = (message: PlannedMessage<Entry>) => {
    const { recent } = readState(message.at, false);
    messages.push({ ...message, limit: describeLimit(rule, recent, message.at, message.waitsFor) });
  };

  /** Sends what is due up to a time, each after deciding again. */
  const sendDue = (until: Date) => {
    for (;;) {
      const [next] = open.toSorted((a, b) => a.at.getTime() - b.at.getTime());
      if (next === undefined || next.at > until) return;
      const urgent = next.entries.some(({ kind }) => isUrgent(kind));
      const due = decideSendTime(rule, readState(next.at, urgent), next.at);
      if (due.at > next.at) {
        Object.assign(next, due);
        continue;
      }
      open.splice(open.indexOf(next), 1);
      send(next);
    }
  };

  const gather = (matching: Entry[], now: Date) => {
    const urgent = matching.some(({ kind }) => isUrgent(kind));
    const state = readState(now, urgent);
    if (rule.cooldown_seconds === 0 && rule.max_per_day === null) {
      const due = decideSendTime(rule, state, now);
      if (due.waitsFor === null) {
        for (const entries of splitIntoParts(matching, MAX_WHOLE_DISCOVERIES))
          send({ at: now, waitsFor: null, entries, limit: null });
        return;
      }
    }
    const joined = open.at(-1);
    const room = joined === undefined ? 0 : Math.max(0, MAX_GATHERED - joined.entries.length);
    if (joined !== undefined && room > 0) {
      joined.entries.push(...matching.slice(0, room));
      const due = decideSendTime(rule, state, now);
      if (urgent && due.at < joined.at) Object.assign(joined, due);
    }
    const planned = joined === undefined ? [] : [joined.at];
    for (const entries of splitIntoParts(matching.slice(room), MAX_GATHERED)) {
      const last = planned.at(-1) ?? state.last;
      const due = decideSendTime(rule, { ...state, last, recent: [...state.recent, ...planned] }, now);
      planned.push(due.at);
      open.push({ ...due, entries, limit: null });
    }
  };

  const flush = () => {
    const [first] = group;
    if (first === undefined) return;
    sendDue(new Date(first.at.getTime() - 1));
    gather(group, first.at);
    sendDue(first.at);
    group = [];
  };

  return {
    add: (entries) => {
      for (const entry of entries) {
        const [first] = group;
        const joins =
          first === undefined || (first.run_id === entry.run_id && first.at.getTime() === entry.at.getTime());
        if (!joins) flush();
        group.push(entry);
      }
    },
    end: (until) => {
      flush();
      sendDue(until);
      return { messages, waiting: open.flatMap(({ entries }) => entries) };
    },
  };
}

function splitIntoParts<T>(all: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most));
}
