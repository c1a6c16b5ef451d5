/** A chart rendered on the server as SVG; the script replaces it with one that can be zoomed. */
import { formatTenths } from '../../lib/display-format.ts';
import { writeTime } from './list-address.ts';
import { useFrame } from './page-frame.tsx';
import { ChartTable } from './chart-table.tsx';
import {
  type ChartMark,
  computeChartTicks,
  type Expected,
  formatSvgPercent,
  isPerDay,
  MarkLines,
  MarkList,
  roundAxisTop,
  type Series,
} from './chart-scale.tsx';
import { findObservedSpans } from './sparkline-svg.tsx';

type ChartProps = {
  /** Accessible name; also the caption of the table. */
  caption: string;
  /** Starts of buckets, or times, oldest first. */
  at: readonly Date[];
  /** Length of a bucket; 0 for single times. */
  seconds: number;
  series: readonly Series[];
  /** For example `posts`; `singular`: of a value of 1, `post`. */
  unit: string;
  singular?: string | undefined;
  /** Suffix of each number: ` %`. */
  sign?: string;
  kind?: 'bars' | 'lines';
  /** What the buckets are compared with. */
  expected?: Expected | undefined;
  /** The same time before, drawn as a thin line. */
  earlier?: Expected | undefined;
  /** Spikes, versions of the query, and notes. */
  marks?: readonly ChartMark[];
  /** Address of the list of what is counted, without a range: bars lead to the part of it. */
  list?: string | undefined;
  /**
   * A window of the chart can be chosen: `open` is the address that `from=…&to=…` completes, and bars lead there instead of to the list.
   * `chosen` is marked.
   */
  window?: { open: string; chosen: { from: Date; until: Date } | null } | undefined;
  /** The span, if larger than that of `at`. */
  from?: Date | undefined;
  until?: Date | undefined;
};

export function Chart(props: ChartProps) {
  const { caption, at, seconds, series, unit, expected, earlier, window, sign = '', marks = [] } = props;
  const { kind = 'bars' } = props;
  const span = computeSpan(props);
  const top = roundAxisTop(findHighest(series, expected, earlier));
  const scale = { ...span, at, seconds, top };
  const inside = marks.filter((mark) => mark.at.getTime() < span.until && getMarkEnd(mark) > span.from);
  return (
    <figure
      class="chart"
      data-chart={kind}
      data-seconds={seconds}
      data-unit={unit}
      data-one={props.singular}
      data-sign={sign}
      data-expected={expected?.values.map(writeValue).join(',')}
      data-spread={expected?.spread?.map(writeValue).join(',')}
      data-from={span.from / 1_000}
      data-until={span.until / 1_000}
      data-list={props.list}
      data-open={window?.open}
      data-chosen={writeChosen(window?.chosen)}
      data-earlier={earlier?.values.map(writeValue).join(',')}
    >
      <div class="plot">
        {/* Links in a picture are for the mouse: the table has the same for everybody. */}
        <svg
          class="drawn"
          {...(window === undefined ? { role: 'img', 'aria-label': caption } : { 'aria-hidden': true })}
        >
          {window?.chosen == null ? null : <Chosen chosen={window.chosen} {...span} />}
          <Gaps at={at} seconds={seconds} series={series} {...span} />
          <Grid top={top} sign={sign} seconds={seconds} {...span} />
          <svg class="area" y="14" height="160">
            <MarkLines marks={inside} {...span} />
            {series.map((entry, i) =>
              kind === 'bars' ? (
                <SeriesBars {...scale} entry={entry} of={series.length} nth={i} open={window?.open} />
              ) : (
                <SeriesLine {...scale} entry={entry} nth={i} />
              ),
            )}
            {expected === undefined ? null : <ExpectedLine {...scale} expected={expected} />}
            {earlier === undefined ? null : <EarlierLine {...scale} earlier={earlier} />}
          </svg>
        </svg>
      </div>
      <figcaption>
        {series.length < 2 && expected === undefined && earlier === undefined ? null : (
          <span class="legend">
            {series.map((entry, i) => (
              <span class={`key c${i + 1}`}>{entry.name}</span>
            ))}
            {expected === undefined ? null : <span class="key usual-key">{expected.name}</span>}
            {earlier === undefined ? null : <span class="key earlier-key">{earlier.name}</span>}
          </span>
        )}
        <MarkList marks={inside} />
      </figcaption>
      <details class="numbers">
        <summary>Show as table</summary>
        <ChartTable
          notes={inside.filter((mark) => mark.kind === 'note')}
          caption={caption}
          at={at}
          seconds={seconds}
          series={series}
          expected={expected}
          earlier={earlier}
          unit={unit}
          sign={sign}
          linkTo={(start) => listBucket(props, start)}
        />
      </details>
    </figure>
  );
}

/** The items of one bucket; undefined if there is no list. */
function listBucket(
  { list, seconds }: Pick<ChartProps, 'list' | 'seconds'>,
  start: Date,
): string | undefined {
  if (list === undefined) return undefined;
  return writeTimes(`${list}${list.includes('?') ? '&' : '?'}`, start, seconds);
}

/** An address of one bucket. @param open up to `from=` */
function writeTimes(open: string, start: Date, seconds: number): string {
  const end = new Date(start.getTime() + seconds * 1_000);
  return `${open}from=${writeTime(start)}&to=${writeTime(end)}`;
}

/** Of all values, and of the band around what is expected. */
function findHighest(
  series: readonly Series[],
  expected: Expected | undefined,
  earlier: Expected | undefined,
): number {
  const band = expected?.values.map((value, i) => (value ?? 0) + (expected.spread?.[i] ?? 0)) ?? [];
  const all = [...series, ...(earlier === undefined ? [] : [earlier])];
  return Math.max(0, ...all.flatMap(({ values }) => values.map((value) => value ?? 0)), ...band);
}

type TimeSpan = { from: number; until: number };

function computeSpan({ at, seconds, from, until }: ChartProps): TimeSpan {
  const first = from ?? at[0] ?? new Date(0);
  const last = until?.getTime() ?? (at.at(-1) ?? first).getTime() + seconds * 1_000;
  return { from: first.getTime(), until: Math.max(last, first.getTime() + 1_000) };
}

function getMarkEnd({ at, until }: ChartMark): number {
  return (until ?? at).getTime() + 1;
}

/** Seconds since 1970, as the script reads them. */
function writeChosen(chosen: { from: Date; until: Date } | null | undefined): string | undefined {
  return chosen == null ? undefined : `${chosen.from.getTime() / 1_000},${chosen.until.getTime() / 1_000}`;
}

/** The chosen window, behind everything. */
function Chosen({ chosen, from, until }: TimeSpan & { chosen: { from: Date; until: Date } }) {
  const [a, b] = [chosen.from, chosen.until].map((at) => Math.min(until, Math.max(from, at.getTime())));
  const x = formatSvgPercent((a ?? from) - from, until - from);
  return (
    <rect
      class="chosen"
      x={x}
      width={formatSvgPercent((b ?? from) - (a ?? from), until - from)}
      y="14"
      height="160"
    />
  );
}

/** A label that stands beside its tick would be cut off after this share of the width. */
const MAX_BESIDE = 0.88;

/**
 * Grid lines and time labels. The label of a day is below its bar, that of an instant below its tick, and where buckets begin it is beside
 * the tick, so that it is not read as a label of what is on both sides. The script draws the same ticks.
 */
function Grid({
  top,
  sign,
  seconds,
  from,
  until,
}: TimeSpan & { top: number; sign: string; seconds: number }) {
  const frame = useFrame();
  const isBeside = seconds > 0 && !isPerDay(seconds);
  return (
    <>
      {[1, 0.5].map((share) => (
        <>
          <line class="grid" x1="0" x2="100%" y1={14 + 160 * (1 - share)} y2={14 + 160 * (1 - share)} />
          <text class="tick" x="0" y={14 + 160 * (1 - share) - 4}>
            {formatTenths(top * share)}
            {sign}
          </text>
        </>
      ))}
      <line class="ground" x1="0" x2="100%" y1="174" y2="174" />
      {computeChartTicks({ from, until, seconds }, frame).map(({ at, words }) => {
        const share = (at - from) / (until - from);
        const anchor = isBeside || share < 0.03 ? 'start' : share > 0.97 ? 'end' : 'middle';
        const x = formatSvgPercent(at - from, until - from);
        const place = { 'data-tick': at / 1_000, 'data-words': words };
        return (
          <>
            <line class="ground" x1={x} x2={x} y1="174" y2={isBeside ? 190 : 178} {...place} />
            {isBeside && share > MAX_BESIDE ? null : (
              <text class="tick" x={x} dx={isBeside ? 4 : 0} y="192" text-anchor={anchor}>
                {words}
              </text>
            )}
          </>
        );
      })}
    </>
  );
}

/** Shades time that was not observed. */
function Gaps({
  at,
  seconds,
  series,
  from,
  until,
}: Pick<ChartProps, 'at' | 'seconds' | 'series'> & TimeSpan) {
  if (seconds === 0) return null;
  const known = at.map((_, i) => (series.some(({ values }) => (values[i] ?? null) !== null) ? 1 : null));
  const edges = [
    from,
    ...findObservedSpans(known).flatMap(([a, b]) => [
      getTimeAt(at, a),
      getTimeAt(at, b - 1) + seconds * 1_000,
    ]),
    until,
  ];
  const gaps: [number, number][] = [];
  for (let i = 0; i + 1 < edges.length; i += 2) {
    const [a = 0, b = 0] = [edges[i], edges[i + 1]];
    if (b - a > 1_000) gaps.push([a, b]);
  }
  return (
    <>
      {gaps.map(([a, b]) => (
        <>
          <rect
            class="gap"
            x={formatSvgPercent(a - from, until - from)}
            width={formatSvgPercent(b - a, until - from)}
            y="14"
            height="160"
          >
            <title>not observed</title>
          </rect>
          <line
            class="gap-line"
            x1={formatSvgPercent(a - from, until - from)}
            x2={formatSvgPercent(b - from, until - from)}
            y1="174"
            y2="174"
          />
        </>
      ))}
    </>
  );
}

function getTimeAt(at: readonly Date[], i: number): number {
  return at[i]?.getTime() ?? 0;
}

type SeriesProps = Scale & { entry: Series; nth: number };

/** Share of its bucket that a bar fills: neighbors are told apart, and each stands where its time is. The script also leaves a pixel between them. */
const BAR_SHARE = 0.9;

function SeriesBars({
  at,
  seconds,
  entry,
  nth,
  of,
  top,
  from,
  until,
  open,
}: SeriesProps & { of: number; open: string | undefined }) {
  const length = (seconds * 1_000 * BAR_SHARE) / of;
  return (
    <g class={`c${nth + 1}`}>
      {entry.values.map((value, i) => {
        if (value === null || value === 0) return null;
        const x = getTimeAt(at, i) - from + seconds * 500 * (1 - BAR_SHARE) + nth * length;
        const isPale = entry.least?.[i] === true || entry.partial?.[i] === true;
        const bar = (
          <rect
            class={isPale ? 'pale' : undefined}
            x={formatSvgPercent(x, until - from)}
            width={formatSvgPercent(length, until - from)}
            y={formatY(value, top)}
            height={formatSvgPercent(value, top)}
          />
        );
        return open === undefined ? (
          bar
        ) : (
          <a href={writeTimes(open, new Date(getTimeAt(at, i)), seconds)} tabIndex={-1}>
            {bar}
          </a>
        );
      })}
    </g>
  );
}

type Scale = TimeSpan & { at: readonly Date[]; seconds: number; top: number };

/** Places in the box of 1,000 by 160 in which lines are drawn. */
function createLineScale({ at, seconds, top, from, until }: Scale) {
  return {
    /** @param part of the bucket that lies before the place, 0 to 1 */
    x: (i: number, part: number) =>
      Math.round(((getTimeAt(at, i) + part * seconds * 1_000 - from) / (until - from)) * 10_000) / 10,
    y: (value: number) => Math.round((1 - Math.min(1, Math.max(0, value / top))) * 1_600) / 10,
  };
}

function SeriesLine({ entry, nth, ...scale }: SeriesProps) {
  const { x, y } = createLineScale(scale);
  return (
    <svg class={`c${nth + 1}`} viewBox="0 0 1000 160" preserveAspectRatio="none">
      {findObservedSpans(entry.values).map(([a, b]) => {
        const points = entry.values.slice(a, b).map((value, i) => `${x(a + i, 0.5)} ${y(value ?? 0)}`);
        return b - a === 1 ? (
          <path class="dot" d={`M${points[0]}h0`} />
        ) : (
          <path class="line" d={`M${points.join('L')}`} />
        );
      })}
    </svg>
  );
}

/** Steps, because each value is that of a whole bucket; and the band around them. */
function ExpectedLine({ expected: { values, spread }, ...scale }: Scale & { expected: Expected }) {
  const { x, y } = createLineScale(scale);
  const steps = ([a, b]: readonly [number, number], sign: -1 | 0 | 1) =>
    values.slice(a, b).flatMap((value, i) => {
      const height = y((value ?? 0) + sign * (spread?.[a + i] ?? 0));
      return [`${x(a + i, 0)} ${height}`, `${x(a + i, 1)} ${height}`];
    });
  return (
    <svg viewBox="0 0 1000 160" preserveAspectRatio="none">
      {findObservedSpans(values).map((span) => (
        <>
          {spread === undefined ? null : (
            <path
              class="usual-band"
              d={`M${steps(span, 1).join('L')}L${steps(span, -1).toReversed().join('L')}Z`}
            />
          )}
          <path class="usual" d={`M${steps(span, 0).join('L')}`} />
        </>
      ))}
    </svg>
  );
}

/** Through the middle of each bucket. */
function EarlierLine({ earlier: { values }, ...scale }: Scale & { earlier: Expected }) {
  const { x, y } = createLineScale(scale);
  return (
    <svg viewBox="0 0 1000 160" preserveAspectRatio="none">
      {findObservedSpans(values).map(([a, b]) => {
        const points = values.slice(a, b).map((value, i) => `${x(a + i, 0.5)} ${y(value ?? 0)}`);
        return <path class="earlier" d={b - a === 1 ? `M${points[0]}h0` : `M${points.join('L')}`} />;
      })}
    </svg>
  );
}

function writeValue(value: number | null): string {
  return value === null ? '' : String(Math.round(value * 10) / 10);
}

function formatY(value: number, top: number): string {
  return formatSvgPercent(top - value, top);
}
