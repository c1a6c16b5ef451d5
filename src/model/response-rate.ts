/**
 * What one response says about the rate of posts. A truncated response measures it over a shorter time: its newest posts are
 * complete from the last of them on. Pure; times are milliseconds since 1970.
 */
import { SECOND } from '../lib/time.ts';

/** Posts that a response has from a time on: all that were published since then. */
type NewestBlock = { from: number; posts: number };

/** A later part belongs to the list of newest posts unless its rate is lower by this factor, and chance does not explain it. */
const MIN_RATE_DROP = 4;
/** Logarithm of the likelihood ratio: under a constant rate, one response in a thousand exceeds it. */
const MIN_EVIDENCE = 8;
/** Fewer gaps do not measure a rate. */
const MIN_GAPS = 4;

/**
 * The contiguous newest block of a truncated response. A service may fill a response with older popular posts, which are much
 * further apart: the block ends where a change of the rate explains the gaps much better than a constant rate does. The last post of
 * the block is what it begins after, and not counted: k posts measure a rate over the span of k - 1.
 * @param times publication times of the posts, in any order
 * @returns null without any times
 */
export function findNewestBlock(times: readonly number[]): NewestBlock | null {
  const newest = times.toSorted((a, b) => b - a);
  const [first] = newest;
  const last = newest.at(-1);
  if (first === undefined || last === undefined) return null;
  const gaps = newest.length - 1;
  const spanUntil = (gap: number) => Math.max(SECOND, first - (newest[gap] ?? last));
  const whole = spanUntil(gaps);
  let end = gaps;
  let most = MIN_EVIDENCE;
  for (let gap = MIN_GAPS; gap < gaps; gap += 1) {
    const span = spanUntil(gap);
    const rest = Math.max(SECOND, whole - span);
    const rate = gap / span;
    const restRate = (gaps - gap) / rest;
    if (rate < MIN_RATE_DROP * restRate) continue;
    const evidence = gap * Math.log(rate) + (gaps - gap) * Math.log(restRate) - gaps * Math.log(gaps / whole);
    if (evidence > most) [end, most] = [gap, evidence];
  }
  return { from: Math.floor(newest[end] ?? last) + 1, posts: end };
}
