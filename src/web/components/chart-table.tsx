import type { Expected, Series } from './chart-scale.tsx';
import { useFrame } from './page-frame.tsx';
import { formatMinute } from '../../domain/display-format.ts';

const TENTH = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
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
              <th scope="row">
                <RowName at={moment} zone={zone} href={linkTo(moment)} />
              </th>
              {series.map(({ values, least }) => (
                <td class="number">
                  <NumberCell
                    value={values[from + row] ?? null}
                    least={least?.[from + row] === true}
                    sign={sign}
                  />
                </td>
              ))}
              {expected === undefined ? null : (
                <td class="number">
                  <ExpectedCell value={expected.values[from + row] ?? null} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RowName({ at, zone, href }: { at: Date; zone: string; href: string | undefined }) {
  const time = <time dateTime={at.toISOString()}>{formatMinute(at, zone)}</time>;
  return href === undefined ? time : <a href={href}>{time}</a>;
}

function ExpectedCell({ value }: { value: number | null }) {
  return value === null ? <span class="unknown">not known</span> : <>{TENTH.format(value)}</>;
}

function NumberCell({ value, least, sign }: { value: number | null; least: boolean; sign: string }) {
  if (value === null) return <span class="unknown">not observed</span>;
  return (
    <data value={value} class={least ? 'least' : undefined}>
      {least ? '≥ ' : ''}
      {TENTH.format(value)}
      {sign}
    </data>
  );
}
