/** Sparklines. */

import { formatTenths } from '../../lib/display-format.ts';

const HEIGHT = 28;
const STEP = 4;

/**
 * @param props.values one per bucket, oldest first; null is not observed and drawn as a gap
 * @param props.words start of the accessible name; the numbers are added
 * @param props.says the rest of the accessible name, instead of the numbers
 * @param props.spikes indices of buckets with a spike
 * @param props.band what is usual, drawn behind the values
 */
export function Sparkline({
  values,
  words,
  says,
  spikes = [],
  band = null,
}: {
  values: readonly (number | null)[];
  words: string;
  says?: string;
  spikes?: readonly number[];
  band?: readonly [low: number, high: number] | null;
}) {
  const seen = values.filter((value) => value !== null);
  const most = Math.max(1, ...seen, band?.[1] ?? 0);
  const x = (i: number) => i * STEP + STEP / 2;
  const y = (value: number) => roundTenth(HEIGHT - 2 - (value / most) * (HEIGHT - 5));
  const runs = findObservedSpans(values);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${Math.max(1, values.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${words}: ${says ?? describeValues(values)}${band === null ? '' : `; usually ${formatTenths(band[0])} to ${formatTenths(band[1])}`}`}
    >
      {band === null ? null : (
        <path class="band" d={`M0 ${y(band[1])}H${values.length * STEP}V${y(band[0]) + 1}H0Z`} />
      )}
      {findGaps(values).map(([from, until]) => (
        <path class="gap" d={`M${from * STEP} ${HEIGHT - 1}H${until * STEP}`} />
      ))}
      {runs.map(([from, until]) => {
        const points = values.slice(from, until).map((value, i) => `${x(from + i)} ${y(value ?? 0)}`);
        const alone = until - from === 1;
        return (
          <>
            {alone ? null : (
              <path
                class="under"
                d={`M${x(from)} ${HEIGHT}L${points.join('L')}L${x(until - 1)} ${HEIGHT}Z`}
              />
            )}
            <path class={alone ? 'dot' : 'line'} d={alone ? `M${points[0]}h0` : `M${points.join('L')}`} />
          </>
        );
      })}
      {spikes.map((i) => (
        <path class="spike-dot" d={`M${x(i)} ${y(values[i] ?? most)}h0`} />
      ))}
    </svg>
  );
}

/** Half-open spans of observed buckets. */
export function findObservedSpans(values: readonly (number | null)[]): [from: number, until: number][] {
  return findSpans(values, (value) => value !== null);
}

/** Half-open spans of buckets that were not observed. */
export function findGaps(values: readonly (number | null)[]): [from: number, until: number][] {
  return findSpans(values, (value) => value === null);
}

function findSpans<T>(values: readonly T[], is: (value: T) => boolean): [number, number][] {
  const spans: [number, number][] = [];
  let from = -1;
  for (let i = 0; i <= values.length; i += 1) {
    const value = values[i];
    const inside = i < values.length && value !== undefined && is(value);
    if (inside && from < 0) from = i;
    if (!inside && from >= 0) {
      spans.push([from, i]);
      from = -1;
    }
  }
  return spans;
}

function describeValues(values: readonly (number | null)[]): string {
  const seen = values.filter((value) => value !== null);
  if (seen.length === 0) return 'no data';
  const gaps = values.length - seen.length;
  const sum = seen.reduce((all, value) => all + value, 0);
  const [least, most, last] = [Math.min(...seen), Math.max(...seen), seen.at(-1) ?? 0].map((value) =>
    formatTenths(value),
  );
  const missing = gaps === 0 ? '' : `; ${gaps} of ${values.length} not observed`;
  return `total ${formatTenths(sum)}, minimum ${least}, maximum ${most}, latest ${last}${missing}`;
}

function roundTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
