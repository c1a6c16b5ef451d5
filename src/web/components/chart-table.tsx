import { type ChartMark, type Expected, isPerDay, readBucketsIn, type Series } from './chart-scale.tsx';
import { useFrame } from './page-frame.tsx';
import {
  type DateReader,
  formatOffset,
  formatTenths,
  formatTimeOfDay,
  formatWithWeekday,
} from '../../lib/display-format.ts';
import { HOUR, SECOND } from '../../lib/time.ts';

const MAX_TABLE_ROWS = 400;

/** The newest rows of a chart as a table. */
export function ChartTable({
  caption,
  at,
  seconds,
  series,
  expected,
  earlier,
  unit,
  sign,
  notes,
  linkTo,
}: {
  caption: string;
  at: readonly Date[];
  /** Length of a bucket; 0 for single times. */
  seconds: number;
  series: readonly Series[];
  /** The last column, which the script does not draw as a series. */
  expected: Expected | undefined;
  /** After that: the same time before. */
  earlier: Expected | undefined;
  unit: string;
  sign: string;
  /** Each is in the row of its time. */
  notes: readonly ChartMark[];
  /** Address of what a row counts, if there is one. */
  linkTo: (at: Date) => string | undefined;
}) {
  const reader = readBucketsIn(seconds, useFrame());
  const isDay = isPerDay(seconds);
  const nameRow = createRowNames(at, seconds, reader);
  const from = Math.max(0, at.length - MAX_TABLE_ROWS);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${caption}: table`}>
      <table>
        <caption>
          {caption}, in {unit}; {isDay ? 'days' : 'times'} in {reader.zone}
        </caption>
        <thead>
          <tr>
            <th scope="col">{isDay ? 'Day' : seconds === 0 ? 'Time' : 'From'}</th>
            {series.map(({ name }) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
            {expected === undefined ? null : (
              <th scope="col" class="number expected">
                {expected.name}
              </th>
            )}
            {earlier === undefined ? null : (
              <th scope="col" class="number expected">
                {earlier.name}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {at.slice(from).map((moment, row) => (
            <tr>
              <th scope="row">
                {renderRowName(moment, nameRow(moment), linkTo(moment))}
                {notes.filter(({ at: time }) => isInRow(time, moment, seconds)).map(renderNote)}
              </th>
              {series.map(({ values, least, partial, shareOf }) => (
                <td class="number">
                  {renderNumber(values[from + row] ?? null, 'not observed', {
                    least: least?.[from + row],
                    partial: partial?.[from + row],
                    sign,
                  })}
                  {renderShareOf(shareOf?.[from + row])}
                </td>
              ))}
              {expected === undefined ? null : (
                <td class="number">{renderNumber(expected.values[from + row] ?? null, 'not known')}</td>
              )}
              {earlier === undefined ? null : (
                <td class="number">{renderNumber(earlier.values[from + row] ?? null, 'not observed')}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Plain functions, not components: in a table of hundreds of rows, a component per cell costs more than its content.

function renderRowName(at: Date, words: string, href: string | undefined) {
  const time = <time dateTime={at.toISOString()}>{words}</time>;
  return href === undefined ? time : <a href={href}>{time}</a>;
}

/** Whether a time is in a row; a row of a single time has none. */
function isInRow(time: Date, row: Date, seconds: number): boolean {
  const ms = time.getTime() - row.getTime();
  return ms >= 0 && ms < seconds * SECOND;
}

function renderNote({ words }: ChartMark) {
  return <span class="why"> {words}</span>;
}

function renderShareOf(words: string | null | undefined) {
  return words == null ? null : <span class="why"> ({words})</span>;
}

/** By how much clocks are set back. */
const SET_BACK_MS = [HOUR, HOUR / 2];

/**
 * Names rows as the script shows them, too: `Sat, 21 Nov, 14:00`. A time that the clock repeats has its offset: `Sun, 25 Oct, 02:00 GMT+2`.
 */
function createRowNames(at: readonly Date[], seconds: number, reader: DateReader): (at: Date) => string {
  const { zone } = reader;
  const isSetBack =
    seconds > 0 &&
    new Set([at[0], at.at(-1)].map((time) => (time === undefined ? '' : formatOffset(time, zone)))).size > 1;
  const isRepeated = (time: Date) =>
    SET_BACK_MS.flatMap((ms) => [-ms, ms]).some(
      (ms) => formatTimeOfDay(time, zone) === formatTimeOfDay(new Date(time.getTime() + ms), zone),
    );
  return (time) => {
    const words = formatWithWeekday(time, reader, isPerDay(seconds));
    return isSetBack && isRepeated(time) ? `${words} ${formatOffset(time, zone)}` : words;
  };
}

/** @param unknown what to say without a value */
function renderNumber(
  value: number | null,
  unknown: string,
  { least = false, partial = false, sign = '' } = {},
) {
  if (value === null) return <span class="unknown">{unknown}</span>;
  const classes = [...(least ? ['least'] : []), ...(least || partial ? ['pale'] : [])].join(' ');
  return (
    <data value={value} class={classes === '' ? undefined : classes}>
      {`${least ? '≥ ' : ''}${formatTenths(value)}${sign}`}
    </data>
  );
}
