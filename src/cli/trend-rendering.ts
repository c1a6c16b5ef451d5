/** How searches go, as a person reads it: a sparkline each (counts in one line, a character each), what is usual, and spikes. */

import { LEARNING_HOURS, PROVISIONAL_HOURS } from '../monitor/trends/rules/spike-detection.ts';
import { estimateVolume } from '../monitor/trends/rules/volume-comparison.ts';
import type { SearchTrend, VolumeBucket } from '../monitor/trends/search-trends.ts';
import type { SpikeRow } from '../store/queries/volume.ts';
import type { TerminalPage } from './terminal-io.ts';
import { measureWidth, oneLine, padText, wrapText } from './terminal-text.ts';
import { formatCount, formatDuration, formatQuantity, roundForDisplay } from './value-formatting.ts';

const GAP = '  ';
/** More characters tell no more. */
const MAX_SPARKLINE_WIDTH = 84;
/** Beside a name there must be room for so many; otherwise the line stands below it. */
const MIN_SPARKLINE_WIDTH = 28;

/** How many characters a sparkline may have on this page, beside or below these names. */
export function measureSparklineRoom(names: readonly string[], { width }: TerminalPage): number {
  return Math.max(1, Math.min(MAX_SPARKLINE_WIDTH, width - measureIndent(names, width)));
}

/** Columns in front of everything that is said of a search; names stand in them where there is room. */
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
    ...wrapText(renderLegend(first, drawn, signs), page.width).map(page.colors.dim),
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
  return buckets.map(({ posts, coverage, lower_bound }) => ({
    value: estimateVolume({ posts, coverage, lowerBound: lower_bound }),
    atLeast: lower_bound,
  }));
}

const BUCKET_WORDS: Readonly<Record<number, string>> = {
  3_600: 'an hour',
  86_400: 'a day',
  604_800: 'a week',
};

/** What is drawn, and what the signs mean that are there. */
export function renderLegend(
  { from, until, bucket_seconds }: Pick<SearchTrend, 'from' | 'until' | 'bucket_seconds'>,
  drawn: readonly { line: string; marks: string }[],
  { gap, atLeast }: SparklineSigns,
): string {
  const days = Math.round((until.getTime() - from.getTime()) / 86_400_000);
  const each = BUCKET_WORDS[bucket_seconds] ?? formatDuration(bucket_seconds * 1_000);
  return [
    `${formatQuantity(days, 'day')} to ${formatMinute(until)}, ${each} each`,
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
  // A search that was never observed has no line to draw: a row of gaps would say less than the words do.
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
    ...trend.spikes.flatMap((spike) => wrapBelow(renderSpike(spike), colors.yellow)),
  ];
}

function isObserved({ buckets }: SearchTrend): boolean {
  return buckets.some(({ posts, coverage, lower_bound }) => posts > 0 || coverage > 0 || lower_bound);
}

/** `2,804 posts, usually 400 a day; 1.2x the 7 days before`. */
function describeTrend(trend: SearchTrend, page: TerminalPage): string {
  const { posts, coverage, lower_bound, usual_per_day, ratio, from, until } = trend;
  if (!isObserved(trend))
    return trend.operation === 'ai' ? 'no posts to count: it finds links' : 'no posts, and no time observed';
  const days = Math.round((until.getTime() - from.getTime()) / 86_400_000);
  const seen = coverage < 0.995 ? ` (${Math.round(coverage * 100)} % of the time observed)` : '';
  const before = `the ${days === 1 ? 'day' : `${days} days`} before`;
  return [
    `${lower_bound ? 'at least ' : ''}${formatQuantity(posts, 'post')}${seen}`,
    usual_per_day === null
      ? 'what is usual is not known yet'
      : `usually ${formatCount(roundForDisplay(usual_per_day), page)} a day`,
    ...(ratio === null
      ? omitIfNew(trend, `too little was observed of ${before} to compare`)
      : [`${formatCount(roundForDisplay(ratio), page)}x ${before}`]),
  ].join('; ');
}

/** Before a search was made there is nothing that could be compared. */
function omitIfNew({ created_at, from }: SearchTrend, words: string): string[] {
  return created_at < from ? [words] : [];
}

function describeLearning(trend: SearchTrend): string {
  const { learning, provisional, observed_hours, sensitivity } = trend;
  if (sensitivity === 'off') return 'spikes are not looked for: sensitivity off';
  if (!isObserved(trend)) return '';
  const hours = `${Math.floor(observed_hours)} h`;
  if (learning) return `learning: ${hours} of ${LEARNING_HOURS} h observed until spikes are told`;
  if (!provisional) return '';
  return `still learning: ${hours} of ${PROVISIONAL_HOURS} h observed; until then only spikes beyond doubt are told`;
}

/** Begins with the day, because the sentence of a spike names times of day only. */
function renderSpike({ window_start, tz, sentence }: SpikeRow): string {
  const day = window_start.toLocaleDateString('en-GB', {
    timeZone: tz,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  return `${day}: ${oneLine(sentence)}`;
}

function formatMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** `null`: not observed, which is not zero. `atLeast`: it may have been more. */
export type SparklinePoint = { value: number | null; atLeast: boolean };

type SparklineSigns = {
  /** Nothing, then a seventh of the most, and so on up to the most. */
  levels: string;
  gap: string;
  atLeast: string;
};

export const BLOCK_SIGNS: SparklineSigns = { levels: '▁▂▃▄▅▆▇█', gap: '·', atLeast: '^' };
/** Where only ASCII can be shown. */
export const ASCII_SIGNS: SparklineSigns = { levels: '_.-:=+*#', gap: ' ', atLeast: '^' };

/**
 * The line, and a line of marks to stand below it: under counts that may have been more. Only nothing has the lowest
 * level, so that one post among thousands is still seen.
 * @param most what the highest level stands for, where several lines are compared; otherwise the largest value
 * @returns `marks` is empty where no count is a lower bound
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

/** What division adds to a whole number of levels. */
const ROUNDING_TOLERANCE = 1e-9;

/** How many hours each character stands for, so that so many days fit into so many characters. */
export function chooseHoursPerPoint(days: number, room: number): number {
  const hours = days * 24;
  const fits = HOURS_PER_POINT.find((each) => Math.ceil(hours / each) <= room);
  return fits ?? Math.ceil(hours / Math.max(1, room) / 24) * 24;
}

/** Lengths that a day, or a week, is a multiple of. */
const HOURS_PER_POINT = [1, 2, 3, 4, 6, 8, 12, 24, 48, 168];
