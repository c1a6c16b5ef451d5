import { HOUR, SECOND } from '../../engine/clock.ts';
import { DAYS } from './baseline.ts';
import { QUARTER_MS, QUARTERS_A_DAY, type Series } from './series.ts';

/** Windows to choose from, in quarters of an hour: an hour; for slow searches 3, 6 or 24. */
const WIDTHS = [1, 3, 6, 24].map((hours) => (hours * HOUR) / QUARTER_MS);
/** A window is wide enough when so many posts are usual in it: with fewer, chance alone makes peaks. */
const ENOUGH = 1.5;

/**
 * How many quarters a window has: the shortest in which a search has enough posts, never shorter than its
 * interval. With a window shorter than the interval, posts of one run would fall into windows by chance.
 */
export function widthOf({ counts, minutes }: Series, everySeconds: number): number {
  let posts = 0;
  let observed = 0;
  for (let i = Math.max(0, counts.length - DAYS * QUARTERS_A_DAY); i < counts.length; i += 1) {
    if ((minutes[i] ?? 0) === 0) continue;
    posts += counts[i] ?? 0;
    observed += minutes[i] ?? 0;
  }
  const aQuarter = observed === 0 ? 0 : (posts / observed) * 15;
  const interval = Math.ceil((everySeconds * SECOND) / QUARTER_MS);
  const wide = WIDTHS.find((width) => width * aQuarter >= ENOUGH) ?? QUARTERS_A_DAY;
  return Math.max(interval, wide);
}
