/** Series, axis scale, ticks and event marks of a chart. */

import { offsetAt } from '../../monitor/schedule/time-zone.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { Icon } from './icons.tsx';
import {
  type DateReader,
  formatDay,
  formatTimeOfDay,
  formatTimeToSecond,
  isPresentYear,
} from '../../lib/display-format.ts';
import { Timestamp } from './timestamp.tsx';

/**
 * The upper end of an axis: 1, 2, 3, 4, 5, 6, 8 or 10 times a power of ten. Its half is whole, too, because the middle
 * grid line is labeled and counts have no fractions.
 */
export function roundAxisTop(most: number): number {
  if (!(most > 0)) return 2;
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((multiple) => multiple * power >= most) ?? 10;
  const top = step * power;
  return top < 10 && top % 2 === 1 ? top + 1 : top;
}

const TICK_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  91 * DAY,
  182 * DAY,
  364 * DAY,
];
/** 5 January 1970 was a Monday; weekly ticks fall on Mondays. */
const FIRST_MONDAY = 4 * DAY;
const MAX_TICKS = 7;
/** Labels with years are longer. */
const MAX_TICKS_WITH_YEARS = 4;

/** A place of the time axis and its label. */
export type Tick = { at: number; words: string };

/**
 * At most seven ticks at round times in the reader's zone; no two neighbors have the same label.
 * @param minStep in milliseconds
 */
export function computeTicks(
  from: number,
  until: number,
  reader: DateReader,
  minStep: number = SECOND,
): Tick[] {
  const { zone } = reader;
  const isYearKnown = [from, until].every((at) => isPresentYear(new Date(at), reader));
  const most = isYearKnown ? MAX_TICKS : MAX_TICKS_WITH_YEARS;
  const step =
    TICK_STEPS.find((tickStep) => tickStep >= minStep && (until - from) / tickStep <= most) ??
    (until - from) / most;
  const timeOf = step < MINUTE ? formatTimeToSecond : formatTimeOfDay;
  const shift = step >= 7 * DAY ? FIRST_MONDAY : 0;
  const ticks: Tick[] = [];
  const begin = from + offsetAt(zone, from);
  for (let local = Math.ceil((begin - shift) / step) * step + shift; ; local += step) {
    const at = findInstant(local, zone);
    if (at > until) return ticks;
    // A time that the clock skips is when it continues, which may have a tick.
    if (at <= (ticks.at(-1)?.at ?? Number.NEGATIVE_INFINITY)) continue;
    const isDay = step >= DAY || local % DAY === 0;
    const words = isDay ? formatDay(new Date(at), reader) : timeOf(new Date(at), zone);
    ticks.push({ at, words });
  }
}

/** When clocks in a zone show a local time (ms, as if it were UTC); a time that they skip is when they continue. */
function findInstant(local: number, zone: string): number {
  const first = local - offsetAt(zone, local);
  const second = local - offsetAt(zone, first);
  return second + offsetAt(zone, second) === local ? second : Math.max(first, second);
}

/** Whether buckets are days. Their days are those of UTC, in any zone. */
export function isPerDay(seconds: number): boolean {
  return seconds * SECOND >= DAY;
}

/** What the dates of buckets are read in. */
export function readBucketsIn(seconds: number, reader: DateReader): DateReader {
  return isPerDay(seconds) ? { ...reader, zone: 'UTC' } : reader;
}

/** The ticks of a chart: for days, below the middle of their bars; otherwise where the labeled time is. */
export function computeChartTicks(
  { from, until, seconds }: { from: number; until: number; seconds: number },
  reader: DateReader,
): Tick[] {
  if (!isPerDay(seconds)) return computeTicks(from, until, reader);
  const days = computeTicks(from, until - 1, readBucketsIn(seconds, reader), DAY);
  return days.map(({ at, words }) => ({ at: at + (seconds * SECOND) / 2, words }));
}

/** Share of a span for SVG: `12.3%`. */
export function formatSvgPercent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 10_000) / 100}%`;
}

export type Series = {
  name: string;
  /** One per time of the chart; null is not observed, not zero. */
  values: readonly (number | null)[];
  /** Lower bounds: a response was cut at its limit. */
  least?: readonly boolean[] | undefined;
  /** Observed in part. */
  partial?: readonly boolean[] | undefined;
  /** The counts behind each share, shown beside it in the table: `12 of 40`. */
  shareOf?: readonly (string | null)[] | undefined;
};

/** What the values of a chart are compared with, one per time of the chart; null is unknown. */
export type Expected = {
  name: string;
  values: readonly (number | null)[];
  /** Drawn as a band around them: how far values deviate by chance. */
  spread?: readonly (number | null)[] | undefined;
};

/** An event within a chart. */
export type ChartMark = {
  kind: 'spike' | 'version' | 'note';
  at: Date;
  /** End, if it has a duration. */
  until?: Date | undefined;
  /** The sentence of a spike, what a query version changed, or the note of a person. */
  words: string;
  /** Label on the chart: `v2`. */
  short?: string;
  /** Its text in the list below the chart, if shorter than `words`; those with one are links. */
  label?: string;
  /** Where it leads. */
  href?: string;
  /** Not listed below the chart: the page shows it elsewhere. */
  quiet?: boolean;
};

const MAX_MARKS_LISTED = 6;

export function MarkLines({
  marks,
  from,
  until,
}: {
  marks: readonly ChartMark[];
  from: number;
  until: number;
}) {
  const x = (at: Date) =>
    formatSvgPercent(Math.min(Math.max(at.getTime(), from), until) - from, until - from);
  return (
    <>
      {marks.map((mark) => {
        const end = mark.until ?? mark.at;
        const middle = new Date((mark.at.getTime() + end.getTime()) / 2);
        if (mark.kind !== 'spike')
          return (
            <g class={`version-mark is-${mark.kind}`}>
              <line x1={x(mark.at)} x2={x(mark.at)} y1="0" y2="100%" />
              <text x={x(mark.at)} y="10" dx="4">
                {mark.short ?? ''}
              </text>
              <title>{mark.words}</title>
            </g>
          );
        const spike = (
          <g class="spike-mark">
            <rect
              x={x(mark.at)}
              width={formatSvgPercent(
                Math.max(0, Math.min(end.getTime(), until) - Math.max(mark.at.getTime(), from)),
                until - from,
              )}
              y="0"
              height="100%"
            />
            <circle cx={x(middle)} cy="4" r="4" />
            <title>{mark.words}</title>
          </g>
        );
        return mark.href === undefined ? (
          spike
        ) : (
          <a href={mark.href} tabIndex={-1}>
            {spike}
          </a>
        );
      })}
    </>
  );
}

/** The marks as a list, newest first; the script reads them from here. */
export function MarkList({ marks }: { marks: readonly ChartMark[] }) {
  if (marks.length === 0) return null;
  const newestFirst = marks.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const hidden = new Set([
    ...newestFirst.filter(({ quiet }) => quiet === true),
    ...newestFirst.filter(({ quiet }) => quiet !== true).slice(MAX_MARKS_LISTED),
  ]);
  const more = newestFirst.filter(({ quiet }) => quiet !== true).length - MAX_MARKS_LISTED;
  return (
    <ul class="marks" data-roving="" data-in-place="">
      {newestFirst.map((mark) => (
        <li
          class={`${mark.kind}-told`}
          data-mark={mark.kind}
          data-at={mark.at.getTime() / 1_000}
          data-until={(mark.until ?? mark.at).getTime() / 1_000}
          data-short={mark.short}
          data-href={mark.href}
          hidden={hidden.has(mark)}
        >
          <Icon name={mark.kind === 'spike' ? 'spike' : 'edit'} /> <MarkText mark={mark} />
        </li>
      ))}
      {more <= 0 ? null : <li>and {more} more</li>}
    </ul>
  );
}

function MarkText({ mark: { at, words, label, href } }: { mark: ChartMark }) {
  const text = (
    <>
      <Timestamp at={at} exact /> {label ?? words}
    </>
  );
  return href === undefined ? (
    text
  ) : (
    <a href={href} title={words}>
      {text}
    </a>
  );
}
