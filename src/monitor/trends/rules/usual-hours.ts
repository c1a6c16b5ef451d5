/** The usual volume of each hour, by the rule that spikes are detected with. Pure. */
import { QUARTER_MS } from '../../../lib/time.ts';
import { type Baseline, computeBaseline } from './baseline.ts';
import { readHistory } from './history.ts';
import { expectCount } from './profile.ts';
import {
  computeDeviation,
  computeWindowDispersion,
  countBaselineHours,
  LEARNING_HOURS,
} from './spike-detection.ts';
import { QUARTERS_PER_DAY, QUARTERS_PER_HOUR, type Series } from './time-series.ts';
import { scaleWeekends } from './weekends.ts';

type Counted = Series & { counts: Float64Array; seconds: Float64Array; everySeconds: number };

/** Posts of an hour, if all of it is observed, and their standard deviation. */
type UsualHour = { usual: number; sd: number };

/**
 * For each hour from `from` to the end of the series: what a spike then would be compared with. The baseline is that of the start of
 * the day (UTC), and for the hours of a spike that of its window, as in its sentence.
 * @param history from six weeks before `from`, or less
 * @param from ms since 1970, a whole hour
 * @param spikes windows of spikes, in ms since 1970
 * @returns null for an hour before which less than twelve hours were observed
 */
export function computeUsualHours(
  history: Counted,
  from: number,
  spikes: readonly { start: number; end: number }[],
): (UsualHour | null)[] {
  const { counts, from: origin } = history;
  const toQuarter = (ms: number) => Math.round((ms - origin) / QUARTER_MS);
  const windows = spikes.map(({ start, end }) => ({ start: toQuarter(start), end: toQuarter(end) }));
  const midnight =
    (QUARTERS_PER_DAY - (Math.round(origin / QUARTER_MS) % QUARTERS_PER_DAY)) % QUARTERS_PER_DAY;
  const whole = { ...history, seconds: new Float64Array(counts.length).fill(900) };
  const baselines = new Map<string, ReturnType<typeof readBaseline>>();
  const baselineOf = (at: number, riseEnd: number) => {
    const key = `${at} ${riseEnd}`;
    const known = baselines.get(key);
    if (known !== undefined) return known;
    const baseline = readBaseline(history, whole, at, riseEnd);
    baselines.set(key, baseline);
    return baseline;
  };
  const hours: (UsualHour | null)[] = [];
  for (let at = toQuarter(from); at < counts.length; at += QUARTERS_PER_HOUR) {
    const end = at + QUARTERS_PER_HOUR;
    const spike = windows.find((window) => window.start < end && window.end > at);
    const day = at - ((at - midnight + QUARTERS_PER_DAY) % QUARTERS_PER_DAY);
    const known =
      spike === undefined
        ? baselineOf(day, day)
        : baselineOf(spike.start, Math.max(spike.start, spike.end - QUARTERS_PER_HOUR));
    if (known === null) {
      hours.push(null);
      continue;
    }
    const { baseline, scaled } = known;
    const usual = expectCount(scaled, baseline, end, QUARTERS_PER_HOUR);
    const { dispersion } = computeWindowDispersion(baseline, end, QUARTERS_PER_HOUR);
    hours.push({ usual, sd: computeDeviation(usual, dispersion) });
  }
  return hours;
}

/** As detection computes it for a window that begins at a quarter. @returns with it, the whole series with weekends scaled */
function readBaseline(
  history: Counted,
  whole: Series,
  at: number,
  riseEnd: number,
): { baseline: Baseline; scaled: Series } | null {
  if (at <= 0) return null;
  const { counts, seconds } = history;
  const past = readHistory({
    ...history,
    counts: counts.subarray(0, riseEnd),
    seconds: seconds.subarray(0, riseEnd),
  });
  const width = riseEnd + QUARTERS_PER_HOUR - at;
  if (countBaselineHours(past.observed, at, width, history.everySeconds) < LEARNING_HOURS) return null;
  const baseline = computeBaseline(past, at, riseEnd);
  return baseline && { baseline, scaled: scaleWeekends(whole, past.weekends) };
}
