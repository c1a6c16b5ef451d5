/** Values as a person reads them. Unknown is never shown as zero. */
import { DAY, HOUR, MINUTE, SECOND } from '../domain/time.ts';
import type { TerminalPage } from './terminal-io.ts';

type UnknownSign = Pick<TerminalPage, 'unknown'>;

/** `12,304`. */
export function formatCount(n: number | null | undefined, { unknown }: UnknownSign): string {
  if (n === null || n === undefined) return unknown;
  return n.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** `1 post`, `12,304 posts`. */
export function formatQuantity(n: number, unit: string, units = `${unit}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? unit : units}`;
}

/** `2026-11-21 14:05:09Z`. */
export function formatInstant(at: Date | null | undefined, { unknown }: UnknownSign): string {
  return at === null || at === undefined ? unknown : `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** `14:05:09Z`. */
export function formatTimeOfDay(at: Date): string {
  return `${at.toISOString().slice(11, 19)}Z`;
}

/** `3 min ago`, `in 12 s`, `now`. */
export function formatRelative(at: Date | null | undefined, now: Date, { unknown }: UnknownSign): string {
  if (at === null || at === undefined) return unknown;
  const ms = at.getTime() - now.getTime();
  const length = formatDuration(Math.abs(ms));
  if (Math.abs(ms) < SECOND) return 'now';
  return ms < 0 ? `${length} ago` : `in ${length}`;
}

/** The largest unit that is not nothing: `12 s`, `3 min`, `5 h`, `2 days`. */
export function formatDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}

/** `$0.0125`; costs of calls are small. */
export function formatDollars(usd: number | null | undefined, { unknown }: UnknownSign): string {
  return usd === null || usd === undefined ? unknown : `$${usd.toFixed(usd !== 0 && usd < 1 ? 4 : 2)}`;
}

/** `812 B`, `14 kB`, `2.1 MB`. */
export function formatBytes(n: number | null | undefined, { unknown }: UnknownSign): string {
  if (n === null || n === undefined) return unknown;
  if (n < 1_000) return `${n} B`;
  return n < 1_000_000 ? `${Math.round(n / 1_000)} kB` : `${(n / 1_000_000).toFixed(1)} MB`;
}

/** An age where a person looks now, the full time where it is kept. */
export function formatTime(
  at: Date | null | undefined,
  now: Date,
  page: Pick<TerminalPage, 'unknown' | 'live'>,
): string {
  return page.live ? formatRelative(at, now, page) : formatInstant(at, page);
}

/** One digit behind the point below ten, none from there on. */
export function roundForDisplay(value: number): number;
export function roundForDisplay(value: number | null): number | null;
export function roundForDisplay(value: number | null): number | null {
  if (value === null) return null;
  return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}
