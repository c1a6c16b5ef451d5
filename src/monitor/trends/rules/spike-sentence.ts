/** Describes a stored spike in one sentence. */
import {
  formatLongDay,
  formatOffset,
  formatPercent,
  formatTenths,
  formatTimeOfDay,
  formatWeekday,
  nameZone,
} from '../../../domain/display-format.ts';
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
  /** Usual for this weekday and time; null if fewer than four weeks were observed. */
  weekday_usual: number | null;
  provisional: boolean;
  /** IANA name of the search's time zone. */
  tz: string;
  /** Share of the gain that the top post accounts for, 0 to 1; null for posts. */
  top_share: number | null;
  /** Share of the posts that the loudest author wrote, 0 to 1; null for engagement, or if unknown. */
  author_share: number | null;
  /** What alone makes it a spike. */
  only_by: 'author' | 'text' | null;
};

/** With less coverage, the sentence is about a rate and says over how long it was measured. */
const MIN_COUNT_COVERAGE = 0.5;
/** A smaller share of one author is not mentioned. */
const MIN_AUTHOR_SHARE = 0.1;

/** Windows this long are described by their length: "around this time" makes no sense for a whole day. */
const LONG_WINDOW_MS = 24 * HOUR;

/**
 * `142 posts between 14:00 and 15:00 UTC, 6.3x the usual 22.5 around this time (last 42 days).` Lower bounds say "at least",
 * partial coverage is stated, and there is no ratio if fewer than one post is usual. Where little was observed:
 * `About 1,400 posts an hour between 14:00 and 15:00 UTC, measured over 6 of 60 minutes, 6.3x the usual 222 around this time …`
 * @param zone of the times, for a reader; the weekday stays that of the search, which it is compared by
 */
export function composeSpikeSentence(spike: SpikeFacts, zone = spike.tz): string {
  const { window_start, window_end, lower_bound, top_share } = spike;
  const long = window_end.getTime() - window_start.getTime() >= LONG_WINDOW_MS;
  const isRate = isMeasured(spike);
  const hours = (window_end.getTime() - window_start.getTime()) / HOUR;
  const [usual, coverage] = isRate
    ? [spike.usual / hours, spike.coverage * hours]
    : [spike.usual, spike.coverage];
  const scaled = { ...spike, usual, coverage };
  const seen = isRate
    ? `, measured over ${describeExposure(spike, hours)}`
    : coverage < 0.995 && !lower_bound
      ? ` (${formatPercent(coverage)} of it observed)`
      : '';
  const compared = `${compareWithUsual(scaled, usual)}${long ? '' : ' around this time'} (${describeBaselineDays(spike)})`;
  const weekday = long || isRate ? '' : compareWithWeekday(spike);
  const most = top_share === null ? '' : `; one post accounts for ${formatPercent(top_share)}`;
  return `${describeCount(scaled, isRate)}${describeWindow(spike, long, zone)}${seen}, ${compared}${weekday}${most}${describeAuthors(spike)}.`;
}

function describeAuthors({ author_share, only_by }: SpikeFacts): string {
  const isNamed = author_share !== null && (author_share >= MIN_AUTHOR_SHARE || only_by === 'author');
  const author = isNamed ? `; one author wrote ${formatPercent(author_share)} of them` : '';
  if (only_by === 'author')
    return `${author || '; one author wrote most of them'}, without whom this is no spike`;
  return only_by === 'text' ? `${author}; without copies of one text, this is no spike` : author;
}

function isMeasured({ coverage, lower_bound, measure }: SpikeFacts): boolean {
  return coverage < MIN_COUNT_COVERAGE && !lower_bound && measure === 'posts';
}

function describeExposure({ coverage }: SpikeFacts, hours: number): string {
  const minutes = coverage * hours * 60;
  const seen = minutes < 1 ? `${Math.max(1, Math.round(minutes * 60))} seconds` : `${Math.round(minutes)}`;
  return `${seen} of ${Math.round(hours * 60)} minutes`;
}

function describeCount({ n, coverage, lower_bound, measure }: SpikeFacts, isRate: boolean): string {
  if (measure === 'engagement')
    return `Known posts gained ${formatTenths(Math.round(n))} likes, reposts, replies and quotes`;
  if (isRate) return `About ${formatTenths(Number((n / coverage).toPrecision(2)))} posts an hour`;
  const things = `${formatTenths(n)} ${n === 1 ? 'post' : 'posts'}`;
  return lower_bound ? `At least ${things}` : things;
}

function describeWindow({ window_start, window_end }: SpikeFacts, long: boolean, tz: string): string {
  if (!long) {
    const [start, end] = [formatOffset(window_start, tz), formatOffset(window_end, tz)];
    const [from, to] = [formatTimeOfDay(window_start, tz), formatTimeOfDay(window_end, tz)];
    // If the clock changes in between, each time has its own offset.
    return start === end
      ? ` between ${from} and ${to} ${nameZone(tz)}`
      : ` between ${from} ${start} and ${to} ${end}`;
  }
  const hours = Math.round((window_end.getTime() - window_start.getTime()) / HOUR);
  return ` in the ${hours} hours to ${formatLongDay(window_end, tz)}, ${formatTimeOfDay(window_end, tz)} ${nameZone(tz)}`;
}

function compareWithUsual({ n, coverage, lower_bound }: SpikeFacts, usual: number): string {
  if (usual < 1) return usual === 0 ? 'usually none' : 'usually fewer than one';
  const value = lower_bound ? n : n / coverage;
  return `${lower_bound ? 'at least ' : ''}${formatTenths(value / usual)}x the usual ${formatTenths(usual)}`;
}

function compareWithWeekday(spike: SpikeFacts): string {
  const { weekday_usual, window_start, tz } = spike;
  if (weekday_usual === null || weekday_usual < 1) return '';
  return `, ${compareWithUsual(spike, weekday_usual)} of a ${formatWeekday(window_start, tz)} (last 4 weeks)`;
}

function describeBaselineDays({ days, provisional }: SpikeFacts): string {
  return `last ${days === 1 ? 'day' : `${days} days`}${provisional ? ', provisional' : ''}`;
}
