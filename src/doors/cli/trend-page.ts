/** How searches go, as a person reads it: a sparkline each, what is usual, and what is not. */
import { LEARNING_HOURS, PROVISIONAL_HOURS } from '../../monitor/trend/detect.ts';
import { valueOf } from '../../monitor/trend/stretch.ts';
import type { Bucket, Trend } from '../../monitor/volume/trends.ts';
import type { SpikeRow } from '../../store/reads/trends.ts';
import type { Page } from './page.ts';
import { ASCII, BLOCKS, type Signs, sparkline } from './sparkline.ts';
import { oneLine, pad, widthOf, wrap } from './text.ts';
import { count, counted, duration } from './words.ts';

const GAP = '  ';
/** More characters tell no more. */
const MOST = 84;
/** Beside a name there must be room for so many; otherwise the line stands below it. */
const LEAST = 28;

/** How many characters a sparkline may have on this page, beside or below these names. */
export function sparkRoom(names: readonly string[], { width }: Page): number {
  return Math.max(1, Math.min(MOST, width - indentOf(names, width)));
}

/** Columns in front of everything that is said of a search; names stand in them where there is room. */
function indentOf(names: readonly string[], width: number): number {
  const beside = names.reduce((most, name) => Math.max(most, widthOf(name)), 0) + GAP.length;
  if (width - beside >= LEAST) return beside;
  return width > 12 ? GAP.length : 0;
}

export function trendPage(trends: readonly Trend[], page: Page): string[] {
  const [first] = trends;
  if (first === undefined) return [];
  const signs = signsOf(page);
  const drawn = trends.map((one) => sparkline(pointsOf(one.buckets), signs));
  const indent = indentOf(
    trends.map(({ search }) => search),
    page.width,
  );
  return [
    ...wrap(legendOf(first, drawn, signs), page.width).map(page.colors.dim),
    ...trends.flatMap((trend, i) => [
      '',
      ...linesOf(trend, drawn[i] ?? { line: '', marks: '' }, indent, page),
    ]),
  ];
}

export function signsOf({ more }: Pick<Page, 'more'>): Signs {
  return more === '…' ? BLOCKS : ASCII;
}

export function pointsOf(buckets: readonly Bucket[]): { value: number | null; atLeast: boolean }[] {
  return buckets.map(({ posts, coverage, lower_bound }) => ({
    value: valueOf({ posts, coverage, lowerBound: lower_bound }),
    atLeast: lower_bound,
  }));
}

const EACH: Readonly<Record<number, string>> = { 3_600: 'an hour', 86_400: 'a day', 604_800: 'a week' };

/** What is drawn, and what the signs mean that are there. */
export function legendOf(
  { from, until, bucket_seconds }: Pick<Trend, 'from' | 'until' | 'bucket_seconds'>,
  drawn: readonly { line: string; marks: string }[],
  { gap, atLeast }: Signs,
): string {
  const days = Math.round((until.getTime() - from.getTime()) / 86_400_000);
  const each = EACH[bucket_seconds] ?? duration(bucket_seconds * 1_000);
  return [
    `${counted(days, 'day')} to ${minute(until)}, ${each} each`,
    ...(drawn.some(({ line }) => line.includes(gap)) ? [`${gap === ' ' ? 'space' : gap} not observed`] : []),
    ...(drawn.some(({ marks }) => marks !== '') ? [`${atLeast} at least`] : []),
  ].join('; ');
}

function linesOf(
  trend: Trend,
  { line, marks }: { line: string; marks: string },
  indent: number,
  page: Page,
): string[] {
  const { colors, width } = page;
  const name = oneLine(trend.search);
  // A search that was never observed has no line to draw: a row of gaps would say less than the words do.
  const spark = isObserved(trend) ? colors.cyan(line) : '';
  const below = (text: string) => `${' '.repeat(indent)}${text}`;
  const told = (text: string, paint = (shown: string) => shown) =>
    text === '' ? [] : wrap(text, width - indent).map((one) => below(paint(one)));
  const beside = widthOf(name) + GAP.length <= indent;
  const [first = '', ...more] = spark === '' ? wrap(summaryOf(trend, page), width - indent) : [spark];
  return [
    ...(beside ? [`${pad(name, indent)}${first}`] : [...wrap(name, width), below(first)]),
    ...more.map(below),
    ...(spark === '' || marks === '' ? [] : [below(colors.dim(marks))]),
    ...(spark === '' ? [] : told(summaryOf(trend, page))),
    ...told(learningOf(trend), colors.dim),
    ...trend.spikes.flatMap((spike) => told(spikeLine(spike), colors.yellow)),
  ];
}

function isObserved({ buckets }: Trend): boolean {
  return buckets.some(({ posts, coverage, lower_bound }) => posts > 0 || coverage > 0 || lower_bound);
}

/** `2,804 posts, usually 400 a day; 1.2x the 7 days before`. */
function summaryOf(trend: Trend, page: Page): string {
  const { posts, coverage, lower_bound, usual_per_day, ratio, from, until } = trend;
  if (!isObserved(trend))
    return trend.operation === 'ai' ? 'no posts to count: it finds links' : 'no posts, and no time observed';
  const days = Math.round((until.getTime() - from.getTime()) / 86_400_000);
  const seen = coverage < 0.995 ? ` (${Math.round(coverage * 100)} % of the time observed)` : '';
  const before = `the ${days === 1 ? 'day' : `${days} days`} before`;
  return [
    `${lower_bound ? 'at least ' : ''}${counted(posts, 'post')}${seen}`,
    usual_per_day === null
      ? 'what is usual is not known yet'
      : `usually ${count(rounded(usual_per_day), page)} a day`,
    ...(ratio === null
      ? unlessNew(trend, `too little was observed of ${before} to compare`)
      : [`${count(rounded(ratio), page)}x ${before}`]),
  ].join('; ');
}

/** Before a search was made there is nothing that could be compared. */
function unlessNew({ created_at, from }: Trend, words: string): string[] {
  return created_at < from ? [words] : [];
}

function learningOf(trend: Trend): string {
  const { learning, provisional, observed_hours, sensitivity } = trend;
  if (sensitivity === 'off') return 'spikes are not looked for: sensitivity off';
  if (!isObserved(trend)) return '';
  const hours = `${Math.floor(observed_hours)} h`;
  if (learning) return `learning: ${hours} of ${LEARNING_HOURS} h observed until spikes are told`;
  if (!provisional) return '';
  return `still learning: ${hours} of ${PROVISIONAL_HOURS} h observed; until then only spikes beyond doubt are told`;
}

/** The day stands before it, for its sentence knows times of day only. */
function spikeLine({ window_start, tz, sentence }: SpikeRow): string {
  const day = window_start.toLocaleDateString('en-GB', {
    timeZone: tz,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  return `${day}: ${oneLine(sentence)}`;
}

function minute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

function rounded(value: number): number {
  return value >= 10 ? Math.round(value) : Math.round(value * 10) / 10;
}
