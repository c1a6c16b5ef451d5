/** How searches and topics are doing, in commands. */
import type { SearchStatusName } from '../model/closed-lists.ts';
import { nameTopicStatus } from '../monitor/status/status-names.ts';
import type { Terms } from './reply-view.ts';
import type { TerminalPage } from './terminal-io.ts';
import { formatDayAndMinute, formatMinute, formatRelative, type Time } from './value-formatting.ts';

/** How a topic is doing, as replies say it. */
export type StatusOfTopic = {
  status: SearchStatusName | null;
  status_since: string | null;
  status_reason: string | null;
  status_advice: string | null;
  status_searches: number;
  paused_until: string | null;
  last_run_at: string | null;
  next_due_at: string | null;
  /** How many it has that are not removed. */
  total: number;
};

/** `1 of 2 searches failing since 2026-11-21 21:58Z: the service returned an error (upstream_5xx); last run 3 min ago` */
export function describeTopicStatus(
  topic: StatusOfTopic,
  { now, page }: Pick<Terms, 'now' | 'page'>,
): string {
  const { status, status_since, status_reason, status_advice: advice, last_run_at, next_due_at } = topic;
  if (status === null || status === 'removed') return nameTopic(topic, page);
  const began = status_since === null ? '' : ` since ${formatMinute(new Date(status_since), page)}`;
  const why = status_reason === null ? '' : `: ${status_reason}`;
  const runs = `last run ${formatRelative(last_run_at, now, page)}, next ${formatNext(next_due_at, now, page)}`;
  return `${nameTopic(topic, page)}${began}${why}; ${runs}${advice === null ? '' : `. ${advice}`}`;
}

/** `in 3 min`, or `overdue`. */
export function formatNext(at: Time | null | undefined, now: Date, page: TerminalPage): string {
  return at !== null && at !== undefined && new Date(at) < now ? 'overdue' : formatRelative(at, now, page);
}

/** Of a search, which is described as a topic with no other. */
export const asTopic = <Search extends object>(search: Search) => ({
  ...search,
  status_searches: 1,
  total: 1,
});

/** In a list. */
export function nameTopic(
  topic: Pick<StatusOfTopic, 'status' | 'status_searches' | 'total'> & { paused_until: Time | null },
  page: TerminalPage,
): string {
  const { status, status_searches, total, paused_until } = topic;
  return nameTopicStatus(
    {
      status,
      searches: { length: status_searches },
      total,
      paused_until: paused_until === null ? null : new Date(paused_until),
    },
    (at) => formatDayAndMinute(at, page),
  );
}

const COLORS: Readonly<Record<SearchStatusName, 'red' | 'yellow' | null>> = {
  broken: 'red',
  failing: 'red',
  silent: 'red',
  nothing_coming: 'yellow',
  waiting_for_source: 'yellow',
  capped: 'yellow',
  waiting: null,
  ok: null,
  paused: 'yellow',
  removed: null,
};

export function paintStatus(
  shown: string,
  status: SearchStatusName | null | undefined,
  { colors }: TerminalPage,
): string {
  const color = status === null || status === undefined ? null : COLORS[status];
  return color === null ? shown : colors[color](shown);
}
