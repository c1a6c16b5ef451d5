/** A strip of equal parts of time, each colored by what happened in it: for runs. Drawn on the server; the numbers are its name. */
import { formatCount } from '../../lib/display-format.ts';

/** What happened in a part of time. */
export type HeatPart = { succeeded: number; failed: number; skipped: number };

const WIDTH = 4;
const HEIGHT = 16;
/** Of parts with only successful runs: failures stand out by their height, too. */
const LOW = 7;

/** @param props.parts oldest first; undefined: nothing ended in it. @param props.words start of the accessible name */
export function HeatStrip({ parts, words }: { parts: readonly (HeatPart | undefined)[]; words: string }) {
  return (
    <svg class="heat" viewBox={`0 0 ${parts.length * WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{`${words}: ${describeRuns(sumHeatParts(parts))}`}</title>
      <path class="heat-none" d={`M0 ${HEIGHT - 1}h${parts.length * WIDTH}v1H0z`} />
      {(['good', 'skipped', 'bad'] as const).map((kind) => {
        const path = parts.flatMap((part, i) => (judgePart(part) === kind ? drawPart(kind, i) : [])).join('');
        return path === '' ? null : <path class={`heat-${kind}`} d={path} />;
      })}
    </svg>
  );
}

function judgePart(part: HeatPart | undefined): 'none' | 'good' | 'skipped' | 'bad' {
  if (part === undefined) return 'none';
  if (part.failed > 0) return 'bad';
  return part.skipped > 0 ? 'skipped' : part.succeeded > 0 ? 'good' : 'none';
}

function drawPart(kind: ReturnType<typeof judgePart>, i: number): string {
  const height = kind === 'bad' ? HEIGHT : LOW;
  return `M${i * WIDTH} ${HEIGHT}v-${height}h${WIDTH - 1}v${height}z`;
}

export function sumHeatParts(parts: readonly (HeatPart | undefined)[]): HeatPart {
  const sum = { succeeded: 0, failed: 0, skipped: 0 };
  for (const part of parts) {
    sum.succeeded += part?.succeeded ?? 0;
    sum.failed += part?.failed ?? 0;
    sum.skipped += part?.skipped ?? 0;
  }
  return sum;
}

/** `48 runs succeeded, 2 failed, 3 skipped`; `no run ended`. */
export function describeRuns({ succeeded, failed, skipped }: HeatPart): string {
  if (succeeded + failed + skipped === 0) return 'no run ended';
  return [
    `${formatCount(succeeded, 'run')} succeeded`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ].join(', ');
}
