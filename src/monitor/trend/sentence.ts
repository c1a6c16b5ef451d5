/** A spike in one sentence, from what is stored of it. */
import { HOUR } from '../../engine/clock.ts';

export type Told = {
  measure: 'posts' | 'engagement';
  window_start: Date;
  window_end: Date;
  n: number;
  lower_bound: boolean;
  coverage: number;
  usual: number;
  days: number;
  /** Of this weekday around this time; null where fewer than four weeks were observed. */
  weekday_usual: number | null;
  provisional: boolean;
  /** IANA name: times are told in it. */
  tz: string;
  /** Of what was gained, the share of the post that gained most, 0 to 1; null where posts are counted. */
  top_share: number | null;
};

/** From here on a window is told by its length: "around this time" says nothing of a whole day. */
const LONG_MS = 24 * HOUR;

/**
 * `142 posts between 14:00 and 15:00 UTC, 6.3x the usual 22.5 around this time (last 14 days).` A count that may have
 * been more says "at least"; a window that was seen in part says so; where less than one is usual, no ratio is given.
 */
export function sentenceOf(told: Told): string {
  const { window_start, window_end, coverage, lower_bound, usual, top_share } = told;
  const long = window_end.getTime() - window_start.getTime() >= LONG_MS;
  const seen = coverage < 0.995 && !lower_bound ? ` (${percent(coverage)} of it observed)` : '';
  const compared = `${compare(told, usual)}${long ? '' : ' around this time'} (${lastDays(told)})`;
  const weekday = long ? '' : onWeekday(told);
  const most = top_share === null ? '' : `; ${percent(top_share)} of it one post`;
  return `${what(told)}${when(told, long)}${seen}, ${compared}${weekday}${most}.`;
}

function what({ n, lower_bound, measure }: Told): string {
  if (measure === 'engagement')
    return `Known posts gained ${number(Math.round(n))} likes, reposts, replies and quotes`;
  const things = `${number(n)} ${n === 1 ? 'post' : 'posts'}`;
  return lower_bound ? `At least ${things}` : things;
}

function when({ window_start, window_end, tz }: Told, long: boolean): string {
  if (!long) {
    const [start, end] = [offsetOf(window_start, tz), offsetOf(window_end, tz)];
    const [from, to] = [timeOfDay(window_start, tz), timeOfDay(window_end, tz)];
    // Where the clock is set between them, each has its own offset.
    return start === end
      ? ` between ${from} and ${to} ${zone(tz)}`
      : ` between ${from} ${start} and ${to} ${end}`;
  }
  const hours = Math.round((window_end.getTime() - window_start.getTime()) / HOUR);
  return ` in the ${hours} hours to ${dayOf(window_end, tz)}, ${timeOfDay(window_end, tz)} ${zone(tz)}`;
}

function compare({ n, coverage, lower_bound }: Told, usual: number): string {
  if (usual < 1) return usual === 0 ? 'where none is usual' : 'where less than one is usual';
  const value = lower_bound ? n : n / coverage;
  return `${lower_bound ? 'at least ' : ''}${number(value / usual)}x the usual ${number(usual)}`;
}

function onWeekday(told: Told): string {
  const { weekday_usual, window_start, tz } = told;
  if (weekday_usual === null || weekday_usual < 1) return '';
  const day = window_start.toLocaleDateString('en-GB', { timeZone: tz, weekday: 'long' });
  return `, ${compare(told, weekday_usual)} of a ${day} (last 4 weeks)`;
}

function lastDays({ days, provisional }: Told): string {
  return `last ${days === 1 ? 'day' : `${days} days`}${provisional ? ', provisional' : ''}`;
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function timeOfDay(at: Date, timeZone: string): string {
  return at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
}

/** A sentence goes where nothing else says whose clock it is: into alerts, SQL, a page in the reader's own zone. */
function zone(tz: string): string {
  return tz === 'UTC' ? tz : `${tz} time`;
}

/** `GMT+2`: an hour in which the clock is set back is there twice. */
function offsetOf(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function dayOf(at: Date, timeZone: string): string {
  return at.toLocaleDateString('en-GB', { timeZone, day: 'numeric', month: 'long' });
}
