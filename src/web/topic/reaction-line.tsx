/** The reactions to a post over time, as a line beside their number. */
import { formatDuration, formatTenths } from '../../lib/display-format.ts';
import type { ReactionPoint } from '../../store/queries/reaction-curves.ts';
import { Sparkline } from '../components/sparkline-svg.tsx';

const STEPS = 20;

/** Nothing with fewer than two observations, or without reactions: the number beside it says as much. */
export function ReactionLine({ points }: { points: readonly ReactionPoint[] }) {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first === last || last.reactions === 0) return null;
  const ms = last.at.getTime() - first.at.getTime();
  const says = `${formatTenths(first.reactions)} when first observed, ${formatTenths(last.reactions)} after ${formatDuration(ms)}`;
  return <Sparkline values={stepValues(points, STEPS)} words="Reactions" says={says} />;
}

/** The last known value at each of so many equal steps from the first observation to the last. */
export function stepValues(points: readonly ReactionPoint[], steps: number): number[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const begin = first.at.getTime();
  const length = last.at.getTime() - begin;
  let known = 0;
  return Array.from({ length: steps }, (_, i) => {
    const at = begin + (length * i) / Math.max(1, steps - 1);
    while (known + 1 < points.length && (points[known + 1]?.at.getTime() ?? Infinity) <= at) known += 1;
    return points[known]?.reactions ?? 0;
  });
}
