/** Trends for people: a sparkline for each search, its average, and spikes. */

import { formatPercent } from '../lib/display-format.ts';
import { LEARNING_HOURS, PROVISIONAL_HOURS } from '../monitor/trends/rules/spike-detection.ts';
import { composeReason } from '../monitor/trends/rules/reason-sentence.ts';
import { composeSpikeSentence } from '../monitor/trends/rules/spike-sentence.ts';
import { composeStateSentence } from '../monitor/trends/rules/state-sentence.ts';
import { estimateVolume } from '../monitor/trends/rules/volume-comparison.ts';
import type { SearchTrend as ReadTrend, VolumeBucket } from '../monitor/trends/search-trends.ts';
import type { Reply } from './api-requests.ts';
import type { SpikeRow, TrendStateRow } from '../store/queries/trend-reports.ts';
import type { TerminalPage } from './terminal-io.ts';
import { measureWidth, oneLine, padText, wrapText } from './terminal-text.ts';
import {
  formatCount,
  formatDuration,
  formatMinute,
  formatQuantity,
  roundForDisplay,
} from './value-formatting.ts';

/** As it is read, or as an operation replies. */
type SearchTrend = ReadTrend | Reply<ReadTrend>;

const GAP = '  ';
const MAX_SPARKLINE_WIDTH = 84;
/** With less room next to the name, the sparkline goes below it. */
const MIN_SPARKLINE_WIDTH = 28;

/** Characters available for a sparkline next to or below these names. */
export function measureSparklineRoom(names: readonly string[], { width }: TerminalPage): number {
  return Math.max(1, Math.min(MAX_SPARKLINE_WIDTH, width - measureIndent(names, width)));
}

/** The indent of a search's lines; names are in it if there is room. */
function measureIndent(names: readonly string[], width: number): number {
  const beside = names.reduce((most, name) => Math.max(most, measureWidth(name)), 0) + GAP.length;
  if (width - beside >= MIN_SPARKLINE_WIDTH) return beside;
  return width > 12 ? GAP.length : 0;
}

export function renderTrends(trends: readonly SearchTrend[], page: TerminalPage): string[] {
  const [first] = trends;
  if (first === undefined) return [];
  const signs = chooseSigns(page);
  const drawn = trends.map(({ buckets }) => drawSparkline(listPoints(buckets), signs));
  const indent = measureIndent(
    trends.map(({ search }) => search),
    page.width,
  );
  return [
    ...wrapText(renderLegend(first, drawn, signs, page), page.width).map(page.colors.dim),
    ...trends.flatMap((trend, i) => [
      '',
      ...renderTrend(trend, drawn[i] ?? { line: '', marks: '' }, indent, page),
    ]),
  ];
}

export function chooseSigns({ more }: Pick<TerminalPage, 'more'>): SparklineSigns {
  return more === '…' ? BLOCK_SIGNS : ASCII_SIGNS;
}

function listPoints(buckets: readonly VolumeBucket[]): { value: number | null; atLeast: boolean }[] {
  return buckets.map(({ posts, observed_posts, coverage, lower_bound }) => ({
    value: estimateVolume({ posts, observedPosts: observed_posts, coverage, lowerBound: lower_bound }),
    atLeast: lower_bound,
  }));
}

const BUCKET_WORDS: Readonly<Record<number, string>> = {
  3_600: 'one hour',
  86_400: 'one day',
  604_800: 'one week',
};

/** What is drawn, and the meaning of the signs in use. */
export function renderLegend(
  { from, until, bucket_seconds }: Pick<SearchTrend, 'from' | 'until' | 'bucket_seconds'>,
  drawn: readonly { line: string; marks: string }[],
  { gap, atLeast }: SparklineSigns,
  { zone }: Pick<TerminalPage, 'zone'>,
): string {
  const days = Math.round((until.getTime() - from.getTime()) / 86_400_000);
  const each = BUCKET_WORDS[bucket_seconds] ?? formatDuration(bucket_seconds * 1_000);
  return [
    `${formatQuantity(days, 'day')} to ${formatMinute(until, { zone })}, ${each} per character`,
    ...(drawn.some(({ line }) => line.includes(gap)) ? [`${gap === ' ' ? 'space' : gap} not observed`] : []),
    ...(drawn.some(({ marks }) => marks !== '') ? [`${atLeast} at least`] : []),
  ].join('; ');
}

function renderTrend(
  trend: SearchTrend,
  { line, marks }: { line: string; marks: string },
  indent: number,
  page: TerminalPage,
): string[] {
  const { colors, width } = page;
  const name = oneLine(trend.search);
  // A row of gaps would say less than the words do.
  const spark = isObserved(trend) ? colors.cyan(line) : '';
  const below = (text: string) => `${' '.repeat(indent)}${text}`;
  const wrapBelow = (text: string, paint = (shown: string) => shown) =>
    text === '' ? [] : wrapText(text, width - indent).map((part) => below(paint(part)));
  const beside = measureWidth(name) + GAP.length <= indent;
  const [first = '', ...more] = spark === '' ? wrapText(describeTrend(trend, page), width - indent) : [spark];
  return [
    ...(beside ? [`${padText(name, indent)}${first}`] : [...wrapText(name, width), below(first)]),
    ...more.map(below),
    ...(spark === '' || marks === '' ? [] : [below(colors.dim(marks))]),
    ...(spark === '' ? [] : wrapBelow(describeTrend(trend, page))),
    ...wrapBelow(describeLearning(trend), colors.dim),
    ...trend.states.flatMap((state) => wrapBelow(renderState(state, page), colors.yellow)),
    ...trend.spikes.flatMap((spike) => wrapBelow(renderSpike(spike, page), colors.yellow)),
  ];
}

function isObserved({ buckets }: SearchTrend): boolean {
  return buckets.some(({ posts, coverage, lower_bound }) => posts > 0 || coverage > 0 || lower_bound);
}

/** `2,804 posts; typically 400/day; 1.2x the previous 7 days`. */
function describeTrend(trend: SearchTrend, page: TerminalPage): string {
  const { posts, coverage, lower_bound, usual_per_day, ratio, from, until } = trend;
  if (!isObserved(trend)) return trend.operation === 'ai' ? 'links only; no post volume' : 'not observed yet';
  const days = Math.round((until.getTime() - from.getTime()) / 86_400_000);
  const seen = coverage < 0.995 ? ` (${formatPercent(coverage)} of the time observed)` : '';
  const before = `the previous ${days === 1 ? 'day' : `${days} days`}`;
  return [
    `${lower_bound ? 'at least ' : ''}${formatQuantity(posts, 'post')}${seen}`,
    ...(usual_per_day === null ? [] : [`typically ${formatCount(roundForDisplay(usual_per_day), page)}/day`]),
    ...(ratio === null
      ? omitIfNew(trend, `not enough data from ${before} to compare`)
      : [
          roundForDisplay(ratio) === 1
            ? `unchanged from ${before}`
            : `${formatCount(roundForDisplay(ratio), page)}x ${before}`,
        ]),
  ].join('; ');
}

/** A new search has nothing to compare with. */
function omitIfNew({ created_at, from }: SearchTrend, words: string): string[] {
  return created_at < from ? [words] : [];
}

function describeLearning(trend: SearchTrend): string {
  const { learning, provisional, observed_hours, sensitivity } = trend;
  if (sensitivity === 'off') return 'Spike detection is off (sensitivity off).';
  if (!isObserved(trend)) return '';
  const hours = Math.floor(observed_hours);
  if (learning)
    return `No baseline yet: spike detection starts after ${LEARNING_HOURS} hours that were observed at least in part (${hours} so far).`;
  if (!provisional) return '';
  return `Provisional baseline: only large spikes are reported until ${PROVISIONAL_HOURS} hours were observed at least in part (${hours} so far).`;
}

/** Dates have their year, as all times of the command line. */
function renderSpike(spike: SpikeRow | Reply<SpikeRow>, { zone }: Pick<TerminalPage, 'zone'>): string {
  const reader = { zone, now: null };
  return oneLine([composeSpikeSentence(spike, reader), composeReason(spike, reader) ?? ''].join(' ').trim());
}

function renderState(
  state: TrendStateRow | Reply<TrendStateRow>,
  { zone }: Pick<TerminalPage, 'zone'>,
): string {
  return oneLine(composeStateSentence(state, { zone, now: null }));
}

/** `null`: not observed, which is not zero. `atLeast`: a lower bound. */
export type SparklinePoint = { value: number | null; atLeast: boolean };

type SparklineSigns = {
  /** Zero, then sevenths of the maximum. */
  levels: string;
  gap: string;
  atLeast: string;
};

export const BLOCK_SIGNS: SparklineSigns = { levels: '▁▂▃▄▅▆▇█', gap: '·', atLeast: '^' };
export const ASCII_SIGNS: SparklineSigns = { levels: '_.-:=+*#', gap: ' ', atLeast: '^' };

/**
 * The line, and a line of marks below lower bounds. Only zero has the lowest level, so that one post among thousands is
 * visible.
 * @param most the value of the highest level (default: the largest value)
 * @returns `marks` is empty if no count is a lower bound
 */
export function drawSparkline(
  points: readonly SparklinePoint[],
  { levels, gap, atLeast }: SparklineSigns,
  most = points.reduce((top, { value }) => Math.max(top, value ?? 0), 0),
): { line: string; marks: string } {
  const steps = levels.length - 1;
  const line = points.map(({ value }) => {
    if (value === null) return gap;
    return (
      levels[
        value <= 0 ? 0 : Math.min(steps, Math.max(1, Math.ceil((value / most) * steps - ROUNDING_TOLERANCE)))
      ] ?? gap
    );
  });
  const marks = points.map((point) => (point.atLeast && point.value !== null ? atLeast : ' '));
  return { line: line.join(''), marks: marks.join('').trimEnd() };
}

/** Floating-point error of the division. */
const ROUNDING_TOLERANCE = 1e-9;

/** Hours per character, so that the days fit into the characters. */
export function chooseHoursPerPoint(days: number, room: number): number {
  const hours = days * 24;
  const fits = HOURS_PER_POINT.find((each) => Math.ceil(hours / each) <= room);
  return fits ?? Math.ceil(hours / Math.max(1, room) / 24) * 24;
}

/** Divisors of a day or a week. */
const HOURS_PER_POINT = [1, 2, 3, 4, 6, 8, 12, 24, 48, 168];
