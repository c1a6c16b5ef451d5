/** Values for people. Unknown is never shown as zero. */
import {
  formatBytes as formatKnownBytes,
  formatDuration,
  formatUsd,
  readExactOffset,
} from '../lib/display-format.ts';
import { SECOND } from '../lib/time.ts';
import type { TerminalPage } from './terminal-io.ts';

export { formatDuration };
/** `1 post`, `12,304 posts`; here {@link formatCount} is a number alone. */
export { formatCount as formatQuantity } from '../lib/display-format.ts';

type UnknownSign = Pick<TerminalPage, 'unknown'>;
/** A time, or its text in a reply. */
export type Time = Date | string;

/** `12,304`. */
export function formatCount(n: number | null | undefined, { unknown }: UnknownSign): string {
  if (n === null || n === undefined) return unknown;
  return n.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** `2026-11-21 14:05:09Z`, or `2026-11-21 15:05:09+01:00` in another zone than UTC. */
export function formatInstant(
  at: Time | null | undefined,
  { unknown, zone }: Pick<TerminalPage, 'unknown' | 'zone'>,
): string {
  return at === null || at === undefined ? unknown : joinTime(formatInZone(new Date(at), zone), 0, 19);
}

/** `14:05:09Z`, for what happens now. */
export function formatClockTime(at: Date, { zone }: Pick<TerminalPage, 'zone'>): string {
  return joinTime(formatInZone(at, zone), 11, 19);
}

/** `14:05:09Z` on the day of `now`, `2026-11-21 14:05:09Z` on others. */
export function formatRecentTime(at: Date, now: Date, { zone }: Pick<TerminalPage, 'zone'>): string {
  const formatDate = createDayFormat({ zone });
  return joinTime(formatInZone(at, zone), formatDate(at) === formatDate(now) ? 11 : 0, 19);
}

/** `2026-11-21 14:05Z`. */
export function formatMinute(at: Date, { zone }: Pick<TerminalPage, 'zone'>): string {
  return joinTime(formatInZone(at, zone), 0, 16);
}

/** `Sat 2026-11-21 14:05Z`: a time to come. */
export function formatDayAndMinute(time: Time, { zone }: Pick<TerminalPage, 'zone'>): string {
  const at = new Date(time);
  const { local } = formatInZone(at, zone);
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][
    new Date(`${local.slice(0, 10)}T00:00Z`).getUTCDay()
  ];
  return `${weekday} ${formatMinute(at, { zone })}`;
}

/** `2026-11-21`, in the zone of the page. */
export function createDayFormat({ zone }: Pick<TerminalPage, 'zone'>): (at: Date) => string {
  return (at) => formatInZone(at, zone).local.slice(0, 10);
}

type ZonedTime = { local: string; offset: string };

/** The one place that knows about time zones. `offset` can be pasted into `--since`, unlike the name of a zone. */
function formatInZone(at: Date, zone: string): ZonedTime {
  const utc = { local: at.toISOString().slice(0, 19).replace('T', ' '), offset: 'Z' };
  const offset = zone === 'UTC' ? null : readExactOffset(at, zone);
  if (offset === null) return utc;
  const local = new Date(at.getTime() + offset.ms).toISOString().slice(0, 19).replace('T', ' ');
  return { local, offset: offset.text };
}

function joinTime({ local, offset }: ZonedTime, from: number, to: number): string {
  return `${local.slice(from, to)}${offset}`;
}

/** `3 min ago`, `in 12 s`, `now`. */
export function formatRelative(at: Time | null | undefined, now: Date, { unknown }: UnknownSign): string {
  return at === null || at === undefined ? unknown : formatDistance(new Date(at), now);
}

/** The same of a time that is known. */
export function formatDistance(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  const length = formatDuration(Math.abs(ms));
  if (Math.abs(ms) < SECOND) return 'now';
  return ms < 0 ? `${length} ago` : `in ${length}`;
}

/** `$0.0125`, `free` if it is known to be zero, `not reported` if the service says nothing. */
export function formatCost(usd: number | null | undefined, { free }: { free: boolean }): string {
  if (free || usd === 0) return 'free';
  return usd === null || usd === undefined ? 'not reported' : formatUsd(usd);
}

/** `2.1 MB`. */
export function formatBytes(n: number | null | undefined, { unknown }: UnknownSign): string {
  return n === null || n === undefined ? unknown : formatKnownBytes(n);
}

/** An age on a terminal, the full time in a pipe. */
export function formatTime(
  at: Time | null | undefined,
  now: Date,
  page: Pick<TerminalPage, 'unknown' | 'live' | 'zone'>,
): string {
  return page.live ? formatRelative(at, now, page) : formatInstant(at, page);
}

/** One decimal below ten, none from there on. */
export function roundForDisplay(value: number): number;
export function roundForDisplay(value: number | null): number | null;
export function roundForDisplay(value: number | null): number | null {
  if (value === null) return null;
  return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}
