/** The history that windows are compared with: without silences, with weekends scaled, and with its profile. Pure. */

import { DAY, QUARTER_MS } from '../../../lib/time.ts';
import { accumulateExpected, computeDispersion, computeScale } from './dispersion.ts';
import { computeProfile, HISTORY_DAYS, type Profile } from './profile.ts';
import {
  accumulate,
  countObservedHours,
  QUARTERS_PER_DAY,
  QUARTERS_PER_HOUR,
  type Series,
  type Sums,
} from './time-series.ts';
import { estimateWeekends, scaleWeekends } from './weekends.ts';

/** History that detection needs before a window: six weeks before its day. */
export const HISTORY_MS = (HISTORY_DAYS + 1) * DAY;
/** How many days back the level and the variance of a window are looked for: both change. */
export const BASELINE_DAYS = 14;
/** From so many observed hours on, the profile is that of the days (UTC) before, so that it is computed once for all windows of a day. */
const MIN_PROFILE_HOURS = 72;

export type History = {
  /** Without silences, and with weekends {@link scaleWeekends scaled}. */
  series: Series;
  sums: Sums;
  /** Sums without silences and without scaling. */
  observed: Sums;
  /** See {@link estimateWeekends}. */
  weekends: number;
  /** The first observed quarter. */
  earliest: number;
  /** By the quarter before which they end. */
  profiles: Map<number, Profile>;
};

/** @param observed six weeks, or less; ends with the last complete observed quarter */
export function readHistory(observed: Series): History {
  const weekends = estimateWeekends(observed, accumulate(observed));
  const scaled = scaleWeekends(observed, weekends);
  // A quiet weekend is not a silence.
  const silences = findSilences(scaled, accumulate(scaled));
  const series = withoutSilences(scaled, silences);
  const sums = accumulate(series);
  let earliest = 0;
  while (earliest < series.counts.length && !((series.seconds[earliest] ?? 0) > 0)) earliest += 1;
  return {
    series,
    sums,
    observed: weekends === 1 ? sums : accumulate(withoutSilences(observed, silences)),
    weekends,
    earliest,
    profiles: new Map(),
  };
}

/**
 * What is usual at each time of day, from six weeks before a quarter. Hours far above are capped, so that a burst hardly counts.
 * @returns null if nothing was observed
 */
export function readProfile({ series, sums, observed, profiles }: History, before: number): Profile | null {
  const midnight = before - ((Math.round(series.from / QUARTER_MS) + before) % QUARTERS_PER_DAY);
  const known = profiles.get(midnight) ?? profiles.get(before);
  if (known !== undefined) return known;
  const firstOf = (quarter: number) => Math.max(0, quarter - HISTORY_DAYS * QUARTERS_PER_DAY);
  const hours = countObservedHours(observed, firstOf(midnight), midnight, QUARTERS_PER_HOUR);
  const end = hours >= MIN_PROFILE_HOURS ? midnight : before;
  const first = firstOf(end);
  const exposure = (sums.exposure[end] ?? 0) - (sums.exposure[first] ?? 0);
  if (!(exposure > 0)) return null;
  const { counts, seconds } = series;
  const rough = ((sums.counts[end] ?? 0) - (sums.counts[first] ?? 0)) / exposure;
  const uncapped = computeProfile(counts, seconds, first, end, rough, null);
  const expected = accumulateExpected(sums, uncapped.profile, first, end);
  const recent = Math.max(first, end - BASELINE_DAYS * QUARTERS_PER_DAY);
  const { dispersion } = computeDispersion(expected, { first: recent, end });
  const scale = computeScale(expected, dispersion, { first, end });
  const profile = computeProfile(counts, seconds, first, end, rough, scale);
  profiles.set(end, profile);
  return profile;
}

/** A stretch without posts is a silent source if chance explains it less often than this. */
const SILENCE_CHANCE = 1e-4;

/** Consecutive quarters, `end` excluded, of which something was observed and nothing found. */
export type Silence = { start: number; end: number };

/**
 * Stretches without posts that chance does not explain: the source said nothing, which is not zero. Quarters that were not
 * observed do not interrupt one. Nights in which there are never posts are no silence.
 */
export function findSilences(series: Series, sums: Sums): Silence[] {
  const { counts, seconds } = series;
  const end = counts.length;
  const first = Math.max(0, end - BASELINE_DAYS * QUARTERS_PER_DAY);
  if (!mayBeSilent(series, sums, first, end)) return [];
  const all = computeProfile(counts, seconds, first, end, 0, null, 0);
  const { profile } = computeProfile(counts, seconds, first, end, 0, null);
  const { dispersion } = computeDispersion(accumulateExpected(sums, profile, first, end), { first, end });
  const shape = 1 / Math.max(dispersion, 1e-6);
  const silences: Silence[] = [];
  let start = -1;
  let evidence = 0;
  for (let i = first; i <= end; i += 1) {
    const share = (seconds[i] ?? 0) / 900;
    if (i < end && !((counts[i] ?? 0) > 0)) {
      if (share > 0 && start < 0) start = i;
      // Of a quarter whose rate varies as much as an hour's.
      evidence +=
        (shape / QUARTERS_PER_HOUR) *
        Math.log1p(((all.profile[i % QUARTERS_PER_DAY] ?? 0) * share * QUARTERS_PER_HOUR) / shape);
    } else {
      if (start >= 0 && evidence > -Math.log(SILENCE_CHANCE)) silences.push({ start, end: i });
      start = -1;
      evidence = 0;
    }
  }
  return silences;
}

/** A cheap condition before rates are computed: no time of day is more than four times as busy as the mean. */
function mayBeSilent(
  { counts }: Series,
  { counts: posts, exposure }: Sums,
  first: number,
  end: number,
): boolean {
  const observed = (exposure[end] ?? 0) - (exposure[first] ?? 0);
  const mean = ((posts[end] ?? 0) - (posts[first] ?? 0)) / observed;
  let longest = 0;
  let since = exposure[first] ?? 0;
  for (let i = first; i <= end; i += 1) {
    if (i < end && !((counts[i] ?? 0) > 0)) continue;
    longest = Math.max(longest, (exposure[i] ?? 0) - since);
    since = exposure[i + 1] ?? 0;
  }
  return 4 * longest * mean > -Math.log(SILENCE_CHANCE);
}

/** The series with these stretches unobserved. */
function withoutSilences(series: Series, silences: readonly Silence[]): Series {
  if (silences.length === 0) return series;
  const seconds = new Float64Array(series.seconds);
  for (const { start, end } of silences) seconds.fill(0, start, end);
  return { ...series, seconds };
}
