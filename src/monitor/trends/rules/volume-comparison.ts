/** Volume over time spans, and comparisons that account for coverage. Pure. */

import { DAY, HOUR } from '../../../lib/time.ts';
import { ASSUMED_DISPERSION } from './profile.ts';
import { median } from './weekday-usual.ts';

/** Posts as counted; those of the observed time; which part of the time that is, 0 to 1; and whether a response was cut. */
type ObservedVolume = { posts: number; observedPosts: number; coverage: number; lowerBound: boolean };

/** An hour that begins at `at` (ms since 1970). */
export type VolumeHour = ObservedVolume & { at: number };

/** Volume of a day; `hours` is the share of its hours of which anything was observed, 0 to 1. */
export type ObservedDay = ObservedVolume & { hours: number };

/** Volume of any number of hours. */
export type VolumeSpan = ObservedDay & {
  /** Milliseconds since 1970; whole hours. */
  from: number;
  until: number;
  /** The volume with full coverage; null if the rate was not measured. */
  estimate: number | null;
};

/** Hours by their start. Missing hours were not observed. */
export type VolumeHours = ReadonlyMap<number, VolumeHour>;

/** @param until end of the last complete hour: an incomplete hour would look quiet */
export function sumSpan(hours: VolumeHours, from: number, until: number): VolumeSpan {
  const sum = { posts: 0, observedPosts: 0, coverage: 0, lowerBound: false };
  const observed: VolumeHour[] = [];
  for (let at = from; at < until; at += HOUR) {
    const hour = hours.get(at);
    if (hour === undefined) continue;
    sum.posts += hour.posts;
    sum.observedPosts += hour.observedPosts;
    sum.coverage += hour.coverage;
    sum.lowerBound ||= hour.lowerBound;
    if (hour.coverage > 0) observed.push(hour);
  }
  const length = (until - from) / HOUR;
  const rough = sum.observedPosts / sum.coverage;
  let posts = 0;
  let coverage = 0;
  for (const hour of observed) {
    const weight = 1 / (1 + ASSUMED_DISPERSION * rough * hour.coverage);
    posts += weight * hour.observedPosts;
    coverage += weight * hour.coverage;
  }
  const span = { ...sum, from, until, coverage: sum.coverage / length, hours: observed.length / length };
  return { ...span, estimate: measuresRate(span) ? (posts / coverage) * length : null };
}

/** Spans of `hoursEach`, of which the last ends at `until`; the first may be shorter. */
export function splitIntoSpans(
  hours: VolumeHours,
  from: number,
  until: number,
  hoursEach: number,
): VolumeSpan[] {
  const length = hoursEach * HOUR;
  const count = Math.ceil((until - from) / length);
  return Array.from({ length: count }, (_, i) => {
    const end = until - (count - 1 - i) * length;
    return sumSpan(hours, Math.max(from, end - length), end);
  });
}

/** Coverage, 0 to 1, with which a rate counts as measured; or so many posts of the observed time, however short it is. */
const MIN_COVERAGE = 0.5;
const MIN_RATE_POSTS = 20;

function measuresRate({
  observedPosts,
  coverage,
}: Pick<ObservedVolume, 'observedPosts' | 'coverage'>): boolean {
  return coverage >= MIN_COVERAGE || (coverage > 0 && observedPosts >= MIN_RATE_POSTS);
}

/** For a day, also something of half of its hours: a few minutes say nothing about its other times. */
export function measuresDay(day: Pick<ObservedDay, 'observedPosts' | 'coverage' | 'hours'>): boolean {
  return day.hours >= MIN_COVERAGE && measuresRate(day);
}

/**
 * The volume with full coverage, from the posts of the observed time; as counted for a lower bound that does not measure the rate.
 * @param isMeasured whether the rate was measured
 * @returns null if too little was observed
 */
export function estimateVolume(volume: ObservedVolume, isMeasured = measuresRate(volume)): number | null {
  if (isMeasured) return volume.observedPosts / volume.coverage;
  return volume.lowerBound ? volume.posts : null;
}

/** Share of the hours of two periods of which something must be observed to compare them, 0 to 1. */
const MIN_COMPARED_HOURS = 0.8;

/**
 * The ratio to an earlier span.
 * @returns null if the rate of either span, or four fifths of its hours, was not measured, or the earlier one is empty
 */
export function computeRatio(span: VolumeSpan, before: VolumeSpan): number | null {
  if (span.hours < MIN_COMPARED_HOURS || before.hours < MIN_COMPARED_HOURS) return null;
  return span.estimate === null || !before.estimate ? null : span.estimate / before.estimate;
}

/** Days from which a typical day is computed, and how many of them must be observed. */
const TYPICAL_DAYS = 14;
const MIN_TYPICAL_DAYS = 3;

/** The time before now from which a typical day is computed. */
export const TYPICAL_DAY_HISTORY_MS = TYPICAL_DAYS * DAY;

/** The typical volume of the last 14 days, 24 hours each, up to `until`. */
export function computeTypicalDay(hours: VolumeHours, until: number): number | null {
  return computeTypicalVolume(splitIntoSpans(hours, until - TYPICAL_DAY_HISTORY_MS, until, 24));
}

/**
 * The median of days with full coverage. Excludes days whose rate was not measured.
 * @param days with their `estimate` if hours were weighed
 * @returns null if fewer than three days are left
 */
export function computeTypicalVolume(
  days: readonly (ObservedDay & Partial<Pick<VolumeSpan, 'estimate'>>)[],
): number | null {
  const values = days
    .filter(measuresDay)
    .map(({ estimate, observedPosts, coverage }) => estimate ?? observedPosts / coverage);
  return values.length < MIN_TYPICAL_DAYS ? null : median(values);
}

/** The current volume of a topic compared with a typical one, over all its searches. */
export type VolumePulse = {
  /** Sum over its searches, counted as `typical` is. */
  posts: number;
  lowerBound: boolean;
  /** Mean over its searches, 0 to 1; null if no search observes anything. */
  coverage: number | null;
  /** Volume of a typical day, for as much time and with full coverage; null if unknown. */
  typical: number | null;
  /** Ratio to the typical volume, over searches for which both are known; null for a lower bound below it. */
  ratio: number | null;
};

/** @param searches what each saw now, and what is typical for it in as much time */
export function computePulse(searches: readonly { now: ObservedDay; typical: number | null }[]): VolumePulse {
  const posts = searches.reduce((sum, { now }) => sum + now.posts, 0);
  const observing = searches.filter(({ now, typical }) => now.coverage > 0 || typical !== null);
  const known = observing.flatMap(({ now, typical }) => {
    const value = estimateVolume(now, measuresDay(now));
    return value === null || typical === null ? [] : [{ value, typical }];
  });
  const typical = known.reduce((sum, each) => sum + each.typical, 0);
  const value = known.reduce((sum, each) => sum + each.value, 0);
  const lowerBound = searches.some(({ now }) => now.lowerBound);
  const isLeast = searches.some(({ now }) => now.lowerBound && !measuresDay(now));
  const ratio = known.length === 0 || typical < 1 ? null : value / typical;
  return {
    posts,
    lowerBound,
    coverage:
      observing.length === 0
        ? null
        : observing.reduce((sum, { now }) => sum + Math.min(1, now.coverage), 0) / observing.length,
    typical: known.length === 0 ? null : typical,
    ratio: isLeast && ratio !== null && ratio < 1 ? null : ratio,
  };
}
