import type { ComponentChildren } from 'preact';

export type BarRow = {
  name: ComponentChildren;
  value: number;
  /** Instead of the value as a number. */
  shown?: ComponentChildren;
};

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** A ranking: each row a name, a bar of the share of the longest, and its number. */
export function Bars({ caption, rows, unit }: { caption: string; rows: readonly BarRow[]; unit: string }) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <table class="bars">
      <caption class="unseen">{caption}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">{unit}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, value, shown }) => (
          <tr>
            <th scope="row">
              {name}
              <svg class="bar" aria-hidden="true" focusable="false">
                <rect class="bar-all" width="100%" height="100%" />
                <rect width={`${Math.max(0.5, (value / most) * 100).toFixed(1)}%`} height="100%" />
              </svg>
            </th>
            <td class="number">{shown ?? WHOLE.format(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
