/**
 * Numbers for people: counts, ratios, costs and durations. Unknown values are never shown as zero.
 */

import { useFrame } from './page-frame.tsx';
import { formatTenths, formatUsd, formatWhole } from '../../lib/display-format.ts';

export { formatCount } from '../../lib/display-format.ts';

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number in full, with the unit of one or of several if there is one. */
export function Count({
  of,
  unit,
  units = `${unit}s`,
  least = false,
}: {
  of: number | null;
  unit?: string;
  units?: string;
  least?: boolean;
}) {
  if (of === null) return <Unknown />;
  return (
    <data value={of} title={least ? 'at least: a response was cut at its limit' : undefined}>
      {least ? '≥ ' : ''}
      {formatWhole(of)}
      {unit === undefined ? '' : ` ${of === 1 ? unit : units}`}
    </data>
  );
}

/** Abbreviated: 12.3K. */
export function ShortCount({ of, least = false }: { of: number | null; least?: boolean }) {
  if (of === null) return <Unknown />;
  return (
    <data value={of} title={formatWhole(of)}>
      {least ? '≥ ' : ''}
      {COMPACT.format(of)}
    </data>
  );
}

/** From this multiple of what is typical on, it is more than that; up to the second, it is less. */
const MORE_RATIO = 1.5;
const LESS_RATIO = 0.6;

/** Whether a ratio is called more or less than typical, by the digits that are shown; null if it is unknown. */
export function judgeRatio(ratio: number | null): 'more' | 'less' | 'same' | null {
  if (ratio === null) return null;
  const shown = Math.round(ratio * 10) / 10;
  return shown >= MORE_RATIO ? 'more' : shown <= LESS_RATIO ? 'less' : 'same';
}

/** `2.1×`: multiple of what is typical. */
export function Ratio({ of }: { of: number | null }) {
  if (of === null) return <span class="unknown">no data</span>;
  const kind = judgeRatio(of);
  // The last digit of a sum depends on the order in which Postgres adds, and a page that says the same is not sent again.
  return (
    <data value={Number(of.toPrecision(12))} class={`times is-${kind}`}>
      {of < 10 ? formatTenths(of) : formatWhole(of)}×
    </data>
  );
}

/**
 * Dollars. Null is `free` for services that are known to be, otherwise `not reported`.
 * @param service name of the service, if known
 */
export function Usd({ of, service }: { of: number | null; service?: string | undefined }) {
  if (of === null && service !== undefined && !isPaid(service)) return <>free</>;
  if (of === null) return <span class="unknown">not reported</span>;
  return <data value={of}>{formatUsd(of)}</data>;
}

/** Whether calls to a service, by its name, may cost money; for components. */
export function isPaid(service: string): boolean {
  return !useFrame().free.has(service);
}

function Unknown() {
  return (
    <span class="unknown" title="no data; this does not mean zero">
      no data
    </span>
  );
}

const DURATION_UNITS = [
  [2 * 86_400, 86_400, 'days'],
  [2 * 3_600, 3_600, 'h'],
  [120, 60, 'min'],
] as const;

/** `0.4 s`, `42 s`, `5 min`, `3 h`, `12 days`. */
export function formatDuration(seconds: number): string {
  for (const [least, size, unit] of DURATION_UNITS)
    if (seconds >= least) return `${Math.round(seconds / size)} ${unit}`;
  return seconds < 10 && !Number.isInteger(seconds) ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}
