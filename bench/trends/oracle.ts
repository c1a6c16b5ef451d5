/**
 * An oracle beside the detector: the likelihood ratio of what was observed against the true usual rate, and the true variance, which
 * only the benchmark knows. It sees the same responses, and its threshold is set so that it has as many false alarms as
 * the detector has. What must learn the rate can hardly do better.
 */
import { DAY, QUARTER_MS } from '../../src/lib/time.ts';
import { computeScore, type Spread } from '../../src/monitor/trends/rules/spike-detection.ts';
import { QUARTERS_PER_HOUR, type Series } from '../../src/monitor/trends/rules/time-series.ts';

/** Lengths of windows, in quarters of an hour. */
const WIDTHS = [1, 2, 4, 8, 12, 24];
/** As for the detector: a burst has at least five posts, and twice the usual. */
const MIN_POSTS = 5;
const MIN_RATIO = 2;

/** For each run, the highest likelihood ratio among windows that end within the last hour. */
export type Evidence = { at: number; score: number };

export type Truth = Spread & {
  /** True usual posts of a quarter that begins at a time, with full exposure. */
  expected: (at: number) => number;
};

/** @param slots times of runs, as far as something was observed */
export function weigh(
  series: Series,
  slots: readonly number[],
  { expected, dispersion, clumping }: Truth,
): Evidence[] {
  const { posts, usual } = accumulate(series, expected);
  return slots.map((at) => {
    const last = Math.min(posts.length - 1, Math.floor((at - series.from) / QUARTER_MS));
    let score = 0;
    for (let end = Math.max(0, last - 4); end <= last; end += 1) {
      for (const width of WIDTHS) {
        const k = (posts[end] ?? 0) - (posts[end - width] ?? 0);
        const mean = (usual[end] ?? 0) - (usual[end - width] ?? 0);
        if (!(mean > 0) || k < MIN_POSTS || k < MIN_RATIO * mean) continue;
        const hours = Math.max(1, width / QUARTERS_PER_HOUR);
        score = Math.max(score, computeScore(k, mean, { clumping, dispersion: dispersion / hours }));
      }
    }
    return { at, score };
  });
}

function accumulate(series: Series, expected: (at: number) => number) {
  const length = series.counts.length;
  const posts = new Float64Array(length + 1);
  const usual = new Float64Array(length + 1);
  for (let i = 0; i < length; i += 1) {
    const share = (series.seconds[i] ?? 0) / 900;
    posts[i + 1] = (posts[i] ?? 0) + (share > 0 ? (series.counts[i] ?? 0) : 0);
    usual[i + 1] = (usual[i] ?? 0) + share * expected(series.from + i * QUARTER_MS);
  }
  return { posts, usual };
}

/** Alerts above a threshold, none within a day of another. */
export function alertsAbove(evidence: readonly Evidence[], threshold: number): number[] {
  const alerts: number[] = [];
  for (const { at, score } of evidence)
    if (score > threshold && at - (alerts.at(-1) ?? Number.NEGATIVE_INFINITY) >= DAY) alerts.push(at);
  return alerts;
}

/** The lowest threshold with at most so many false alarms. @param count false alarms at a threshold */
export function findThreshold(count: (threshold: number) => number, most: number): number {
  for (let threshold = 1; threshold < 100; threshold *= 1.02) if (count(threshold) <= most) return threshold;
  return 100;
}
