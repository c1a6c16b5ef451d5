/** A spike in one sentence, from what is stored of it. */
import { HOUR } from '../../../domain/time.ts';

export type SpikeFacts = {
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
const LONG_WINDOW_MS = 24 * HOUR;

/**
 * `142 posts between 14:00 and 15:00 UTC, 6.3x the usual 22.5 around this time (last 14 days).` A count that may have
 * been more says "at least"; a window that was seen in part says so; where less than one is usual, no ratio is given.
 */
export function composeSpikeSentence(spike: SpikeFacts): string {
  const { window_start, window_end, coverage, lower_bound, usual, top_share } = spike;
  const long = window_end.getTime() - window_start.getTime() >= LONG_WINDOW_MS;
  const seen = coverage < 0.995 && !lower_bound ? ` (${formatPercent(coverage)} of it observed)` : '';
  const compared = `${compareWithUsual(spike, usual)}${long ? '' : ' around this time'} (${describeBaselineDays(spike)})`;
  const weekday = long ? '' : compareWithWeekday(spike);
  const most = top_share === null ? '' : `; ${formatPercent(top_share)} of it one post`;
  return `${describeCount(spike)}${describeWindow(spike, long)}${seen}, ${compared}${weekday}${most}.`;
}

function describeCount({ n, lower_bound, measure }: SpikeFacts): string {
  if (measure === 'engagement')
    return `Known posts gained ${formatNumber(Math.round(n))} likes, reposts, replies and quotes`;
  const things = `${formatNumber(n)} ${n === 1 ? 'post' : 'posts'}`;
  return lower_bound ? `At least ${things}` : things;
}

function describeWindow({ window_start, window_end, tz }: SpikeFacts, long: boolean): string {
  if (!long) {
    const [start, end] = [formatOffset(window_start, tz), formatOffset(window_end, tz)];
    const [from, to] = [formatTimeOfDay(window_start, tz), formatTimeOfDay(window_end, tz)];
    // Where the clock is set between them, each has its own offset.
    return start === end
      ? ` between ${from} and ${to} ${formatZone(tz)}`
      : ` between ${from} ${start} and ${to} ${end}`;
  }
  const hours = Math.round((window_end.getTime() - window_start.getTime()) / HOUR);
  return ` in the ${hours} hours to ${formatDay(window_end, tz)}, ${formatTimeOfDay(window_end, tz)} ${formatZone(tz)}`;
}

function compareWithUsual({ n, coverage, lower_bound }: SpikeFacts, usual: number): string {
  if (usual < 1) return usual === 0 ? 'where none is usual' : 'where less than one is usual';
  const value = lower_bound ? n : n / coverage;
  return `${lower_bound ? 'at least ' : ''}${formatNumber(value / usual)}x the usual ${formatNumber(usual)}`;
}

function compareWithWeekday(spike: SpikeFacts): string {
  const { weekday_usual, window_start, tz } = spike;
  if (weekday_usual === null || weekday_usual < 1) return '';
  const day = window_start.toLocaleDateString('en-GB', { timeZone: tz, weekday: 'long' });
  return `, ${compareWithUsual(spike, weekday_usual)} of a ${day} (last 4 weeks)`;
}

function describeBaselineDays({ days, provisional }: SpikeFacts): string {
  return `last ${days === 1 ? 'day' : `${days} days`}${provisional ? ', provisional' : ''}`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}

function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function formatTimeOfDay(at: Date, timeZone: string): string {
  return at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
}

/** A sentence goes where nothing else says whose clock it is: into alerts, SQL, a page in the reader's own zone. */
function formatZone(tz: string): string {
  return tz === 'UTC' ? tz : `${tz} time`;
}

/** `GMT+2`: an hour in which the clock is set back is there twice. */
function formatOffset(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function formatDay(at: Date, timeZone: string): string {
  return at.toLocaleDateString('en-GB', { timeZone, day: 'numeric', month: 'long' });
}
