/** Describes a stored spike in a few short sentences. */
import {
  type DateReader,
  formatDay,
  formatMinute,
  formatOffset,
  formatPercent,
  formatTenths,
  formatTimeOfDay,
  formatWeekday,
  nameZone,
} from '../../../lib/display-format.ts';
import { HOUR } from '../../../lib/time.ts';
import { MIN_CAUSE_SHARE } from './voices.ts';

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
 * The sentences of {@link composeSpikeSentences} as one text.
 * @param reader as for those
 */
export function composeSpikeSentence(spike: SpikeFacts, reader?: DateReader): string {
  return composeSpikeSentences(spike, reader).join(' ');
}

/**
 * `142 posts on 21 Nov 2026 between 14:00 and 15:00 UTC, 6.3x the usual 22.5.`, then what is usual, `Usual: around this time, last 42 days.`,
 * and what else is known, a sentence each. Lower bounds say "at least", partial coverage is stated, and there is no ratio if fewer than
 * one post is usual. Where little was observed, the first is about a rate: `About 1,400 posts an hour on … between … and … UTC, 6.3x the
 * usual 222.`
 * @param reader whose zone times are in (default: that of the search, at any time); the weekday stays that of the search, which the
 *   spike is compared by
 */
export function composeSpikeSentences(
  spike: SpikeFacts,
  reader: DateReader = { zone: spike.tz, now: null },
): [first: string, ...others: string[]] {
  const { top_share, author_share, only_by } = spike;
  const hours = (spike.window_end.getTime() - spike.window_start.getTime()) / HOUR;
  const isLong = hours * HOUR >= LONG_WINDOW_MS;
  const isRate = isMeasured(spike);
  const compared = isRate
    ? { ...spike, usual: spike.usual / hours, coverage: spike.coverage * hours }
    : spike;
  const isPart = !isRate && spike.coverage < 0.995 && !spike.lower_bound;
  const ratio = compareWithUsual(compared, compared.usual);
  const head = `${describeCount(compared, isRate)} ${describeWindow(spike, isLong, reader)}`;
  const all = formatTenths(Math.round(spike.n / spike.coverage));
  const isBlamed = only_by === 'author' && author_share !== null && author_share >= MIN_CAUSE_SHARE;
  return [
    isPart ? `${head}, ${formatPercent(spike.coverage)} of it observed.` : `${head}, ${ratio}.`,
    ...(isPart ? [`That is ${all} for the whole time, ${ratio}.`] : []),
    ...(isRate ? [`Measured over ${describeExposure(spike, hours)}.`] : []),
    describeBaseline(spike, isLong),
    ...(isLong || isRate ? [] : compareWithWeekday(spike)),
    ...(top_share === null ? [] : [`One post accounts for ${formatPercent(top_share)}.`]),
    ...(author_share !== null && author_share >= MIN_AUTHOR_SHARE
      ? [`One author wrote ${author_share === 1 ? 'all' : formatPercent(author_share)} of them.`]
      : []),
    ...(isBlamed ? ['Without that author, this is no spike.'] : []),
    ...(only_by === 'text' ? ['Without copies of one text, this is no spike.'] : []),
  ];
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

/** `on 21 Nov 2026 between 14:00 and 15:00 UTC`; with both days where there are two, with offsets where the clock may have been set back. */
function describeWindow(
  { window_start: start, window_end: end }: SpikeFacts,
  isLong: boolean,
  reader: DateReader,
): string {
  const { zone } = reader;
  if (isLong) {
    const hours = Math.round((end.getTime() - start.getTime()) / HOUR);
    return `in the ${hours} hours to ${formatMinute(end, reader)} ${nameZone(zone)}`;
  }
  const around = [start.getTime() - HOUR, start, end, end.getTime() + HOUR];
  const isClear = new Set(around.map((at) => formatOffset(new Date(at), zone))).size === 1;
  const [from, to] = [start, end].map((at) =>
    isClear ? formatTimeOfDay(at, zone) : `${formatTimeOfDay(at, zone)} ${formatOffset(at, zone)}`,
  );
  const day = formatDay(start, reader);
  const after = isClear ? ` ${nameZone(zone)}` : '';
  // Midnight is the end of its day.
  return day === formatDay(new Date(end.getTime() - 1), reader)
    ? `on ${day} between ${from} and ${to}${after}`
    : `from ${day}, ${from} to ${formatDay(end, reader)}, ${to}${after}`;
}

function compareWithUsual({ n, coverage, lower_bound }: SpikeFacts, usual: number): string {
  if (usual < 1) return usual === 0 ? 'usually none' : 'usually fewer than one';
  const value = lower_bound ? n : n / coverage;
  return `${lower_bound ? 'at least ' : ''}${formatTenths(value / usual)}x the usual ${formatTenths(usual)}`;
}

function compareWithWeekday(spike: SpikeFacts): string[] {
  const { weekday_usual, window_start, tz } = spike;
  if (weekday_usual === null || weekday_usual < 1) return [];
  const ratio = compareWithUsual(spike, weekday_usual);
  return [`It is ${ratio} of a ${formatWeekday(window_start, tz)} (last 4 weeks).`];
}

function describeBaseline({ days, provisional }: SpikeFacts, isLong: boolean): string {
  const span = `last ${days === 1 ? 'day' : `${days} days`}${provisional ? ' (provisional)' : ''}`;
  return `Usual: ${isLong ? '' : 'around this time, '}${span}.`;
}
