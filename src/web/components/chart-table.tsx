import type { Expected, Series } from './chart-scale.tsx';
import { useFrame } from './page-frame.tsx';
import { formatMinute, formatTenths } from '../../domain/display-format.ts';

const MAX_TABLE_ROWS = 400;

/** The newest rows of a chart as a table. */
export function ChartTable({
  caption,
  at,
  series,
  expected,
  unit,
  sign,
  linkTo,
}: {
  caption: string;
  at: readonly Date[];
  series: readonly Series[];
  /** The last column, which the script does not draw as a series. */
  expected: Expected | undefined;
  unit: string;
  sign: string;
  /** Address of what a row counts, if there is one. */
  linkTo: (at: Date) => string | undefined;
}) {
  const { zone } = useFrame();
  const from = Math.max(0, at.length - MAX_TABLE_ROWS);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${caption}: table`}>
      <table>
        <caption>
          {caption}, in {unit}; times in {zone}
        </caption>
        <thead>
          <tr>
            <th scope="col">From</th>
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
          </tr>
        </thead>
        <tbody>
          {at.slice(from).map((moment, row) => (
            <tr>
              <th scope="row">{renderRowName(moment, zone, linkTo(moment))}</th>
              {series.map(({ values, least }) => (
                <td class="number">
                  {renderNumber(values[from + row] ?? null, 'not observed', {
                    least: least?.[from + row],
                    sign,
                  })}
                </td>
              ))}
              {expected === undefined ? null : (
                <td class="number">{renderNumber(expected.values[from + row] ?? null, 'not known')}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Plain functions, not components: in a table of hundreds of rows, a component per cell costs more than its content.

function renderRowName(at: Date, zone: string, href: string | undefined) {
  const time = <time dateTime={at.toISOString()}>{formatMinute(at, zone)}</time>;
  return href === undefined ? time : <a href={href}>{time}</a>;
}

/** @param unknown what to say without a value */
function renderNumber(value: number | null, unknown: string, { least = false, sign = '' } = {}) {
  if (value === null) return <span class="unknown">{unknown}</span>;
  return (
    <data value={value} class={least ? 'least' : undefined}>
      {`${least ? '≥ ' : ''}${formatTenths(value)}${sign}`}
    </data>
  );
}
