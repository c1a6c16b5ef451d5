/**
 * What is usual at each time of day. Everything is weighted by exposure, so that a truncated response counts for what it measured. Pure.
 */

import { QUARTERS_PER_DAY, QUARTERS_PER_HOUR, type Series } from './time-series.ts';

/** A copy: in hot loops, an imported binding costs a call where modules are transpiled. */
const DAY_QUARTERS = QUARTERS_PER_DAY;

/** Days that show what is usual at a time of day, and on weekends: a slow search has few posts at any time. */
export const HISTORY_DAYS = 42;
/** Around this time of day: an hour before and after, in quarters. */
export const NEARBY_QUARTERS = 4;
/** The rate of a time of day is shrunk to the overall rate, which counts as much as this exposure (in quarters). */
const PRIOR_EXPOSURE = 8;
/**
 * Squared coefficient of variation assumed when quarters are averaged: with it, a minute of a busy hour counts nearly as much as
 * the whole hour, because hours vary more than the count is uncertain.
 */
export const ASSUMED_DISPERSION = 0.25;

export type Profile = {
  /** Expected count of a quarter with full exposure, by time of day: quarters modulo a day. */
  profile: Float64Array;
  /** Relative variance of the profile at each time of day: few posts, or a time of day that was hardly observed. */
  uncertainty: Float64Array;
  /** Mean count of a quarter with full exposure. */
  mean: number;
};

/**
 * @param first first quarter, `end` excluded
 * @param rough posts of a quarter, on average
 * @param scale what the counts of each hour before `end` are multiplied by, newest first
 */
export function computeProfile(
  counts: Series['counts'],
  seconds: Series['seconds'],
  first: number,
  end: number,
  rough: number,
  scale: Float64Array | null,
  priorExposure = PRIOR_EXPOSURE,
): Profile {
  const posts = new Float64Array(DAY_QUARTERS);
  const exposure = new Float64Array(DAY_QUARTERS);
  const raw = new Float64Array(DAY_QUARTERS);
  let allPosts = 0;
  let allExposure = 0;
  for (let i = first; i < end; i += 1) {
    const share = (seconds[i] ?? 0) / 900;
    if (!(share > 0)) continue;
    const count = (counts[i] ?? 0) * (scale?.[Math.floor((end - 1 - i) / QUARTERS_PER_HOUR)] ?? 1);
    const weight = 1 / (1 + ASSUMED_DISPERSION * rough * share);
    const time = i % DAY_QUARTERS;
    posts[time] = (posts[time] ?? 0) + weight * count;
    exposure[time] = (exposure[time] ?? 0) + weight * share;
    raw[time] = (raw[time] ?? 0) + count;
    allPosts += weight * count;
    allExposure += weight * share;
  }
  // Without posts, the rate is that of one post: it must not be zero.
  const mean = Math.max(allPosts, 1) / allExposure;
  const prior = priorExposure / (1 + ASSUMED_DISPERSION * rough);
  const profile = new Float64Array(DAY_QUARTERS);
  const uncertainty = new Float64Array(DAY_QUARTERS);
  for (let time = 0; time < DAY_QUARTERS; time += 1) {
    let near = prior * mean;
    let nearExposure = prior;
    let nearRaw = 1;
    for (let shift = -NEARBY_QUARTERS; shift <= NEARBY_QUARTERS; shift += 1) {
      const other = (time + shift + DAY_QUARTERS) % DAY_QUARTERS;
      near += posts[other] ?? 0;
      nearExposure += exposure[other] ?? 0;
      nearRaw += raw[other] ?? 0;
    }
    profile[time] = nearExposure > 0 ? near / nearExposure : 0;
    uncertainty[time] = nearExposure > 0 ? 1 / nearRaw + (prior / nearExposure) ** 2 : 1;
  }
  return { profile, uncertainty, mean };
}

/** Expected count of a window with the exposure it had. */
export function expectCount(
  { seconds }: Series,
  { profile, level }: { profile: Float64Array; level: number },
  end: number,
  width: number,
): number {
  let sum = 0;
  for (let i = Math.max(0, end - width); i < end; i += 1)
    sum += ((profile[i % DAY_QUARTERS] ?? 0) * (seconds[i] ?? 0)) / 900;
  return level * sum;
}
