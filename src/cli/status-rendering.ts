/** How searches and topics are doing, in commands. */
import {
  nameStatus,
  nameTopicStatus,
  type SearchStatus,
  type TopicStatus,
} from '../monitor/status/search-status.ts';
import type { SearchStatusName } from '../model/closed-lists.ts';
import type { TerminalPage } from './terminal-io.ts';
import { formatDayAndMinute, formatMinute, formatRelative } from './value-formatting.ts';

/** `1 of 2 searches failing since 2026-11-21 21:58Z: the service returned an error (upstream_5xx); last run 3 min ago` */
export function describeTopicStatus(status: TopicStatus, now: Date, page: TerminalPage): string {
  const { since, reason, advice, last_run_at, next_due_at } = status;
  if (status.status === null || status.status === 'removed') return nameTopic(status, page);
  const began = since === null ? '' : ` since ${formatMinute(since, page)}`;
  const why = reason === null ? '' : `: ${reason}`;
  const runs = `last run ${formatRelative(last_run_at, now, page)}, next ${formatNext(next_due_at, now, page)}`;
  return `${nameTopic(status, page)}${began}${why}; ${runs}${advice === null ? '' : `. ${advice}`}`;
}

/** `in 3 min`, or `overdue`. */
export function formatNext(at: Date | null | undefined, now: Date, page: TerminalPage): string {
  return at !== null && at !== undefined && at < now ? 'overdue' : formatRelative(at, now, page);
}

/** In a list. */
export function nameSearch(status: SearchStatus | undefined, page: TerminalPage): string {
  return status === undefined ? '' : nameStatus(status, (at) => formatDayAndMinute(at, page));
}

/** In a list. */
export function nameTopic(status: TopicStatus, page: TerminalPage): string {
  return nameTopicStatus(status, (at) => formatDayAndMinute(at, page));
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
