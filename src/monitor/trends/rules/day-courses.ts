/**
 * Whether the rate of a search rises or falls over days, or has moved to another level: compares how well few simple courses explain the
 * daily rates, each with a factor for every weekday. Pure.
 */

import type { TrendState } from '../../../model/enumerations.ts';
import { DAY, QUARTER_MS } from '../../../lib/time.ts';
import { QUARTERS_PER_HOUR, type Series } from './time-series.ts';
import { sumSpan, type VolumeHour } from './volume-comparison.ts';

/** What was reported of a search; times in ms since 1970. */
export type ReportedState = {
  state: TrendState;
  since: number;
  /** Earlier days are not compared, because the volume took another course then. */
  comparedSince: number;
  /** Posts a day before the change, and after it; null for silence. */
  before: number | null;
  rate: number | null;
};

/** A state that begins, with the figures of the decision. */
export type StateChange = ReportedState & {
  /** Standard deviations of a normal distribution with the same tail; for silence, those of the stretch without posts. */
  score: number | null;
  threshold: number | null;
  /** Days compared. */
  days: number;
  /** For silence: observed hours without posts, and the posts expected in them. */
  observedHours: number | null;
  expected: number | null;
};

/** Observed days before anything is reported, and how many of them lie before the change: one of each weekday. */
const MIN_STATE_DAYS = 14;
const MIN_DAYS_BEFORE = 7;
/** Days that a level must stay, and that a rate must rise. */
const MIN_LEVEL_DAYS = 5;
const MIN_RISING_DAYS = 7;
/** The longest rise and the oldest change that are looked for. */
const MAX_RISING_DAYS = 21;
const MAX_LEVEL_DAYS = 14;
/** After so many days, a level is the usual one. */
const USUAL_AFTER_DAYS = 14;
/** With fewer observed days of the last fourteen, nobody knows whether a state goes on. */
const MIN_KNOWN_DAYS = 4;
/** How much better a course must explain the days than the best of the other kind, in squared deviations. */
const MIN_GAIN_OVER_OTHER = 4;
const MIN_SCORE = 5;
/** The rate must have changed by this factor at least. */
const MIN_FACTOR = 1.5;
/** Share of pairs of days, in excess of the others, whose later one is higher: Kendall's tau. */
const MIN_TAU = 0.5;
/** Days that another course must last before a state ends, and how much better it must explain them, in squared deviations. */
const MIN_END_DAYS = 3;
const MIN_END_GAIN = 12;
/** Part of a day of which something must be observed. */
const MIN_DAY_HOURS = 0.8;
/** Days vary by so much (squared, relative) beyond chance, at least. */
const MIN_DAY_VARIANCE = 0.01;
/** One in so many days is left out, the one that a course explains worst, and counts as so many squared deviations: a burst is no trend. */
const DAYS_PER_OUTLIER = 12;
const MAX_SQUARE = 9;

/** Added to rates before their logarithm: some days have no posts. */
const ZERO_SHIFT = 0.5;

/** A day whose rate was measured. */
type Day = {
  /** Days since 1970. */
  day: number;
  /** Posts a day, and the logarithm of that and {@link ZERO_SHIFT}. */
  rate: number;
  z: number;
  /** One over the variance of z by chance. */
  weight: number;
};

/** A course that began or ended, and since when days are to be compared. */
type Course = Pick<StateChange, 'state' | 'since' | 'before' | 'rate' | 'score' | 'threshold' | 'days'> & {
  comparedSince?: number;
};

/**
 * The change that complete days show.
 * @param series from the start of a day (UTC); time that does not count has no seconds
 * @param current what was reported last, if that goes on
 */
export function findCourse(series: Series, current: ReportedState | undefined): Course | null {
  const today = Math.floor((series.from + series.counts.length * QUARTER_MS) / DAY);
  const days = measureDays(series, today);
  const isNormal = current === undefined || current.state === 'normal';
  return isNormal ? findBeginning(days, today) : findEnd(days, today, current);
}

function findBeginning(days: readonly Day[], today: number): Course | null {
  if (days.length < MIN_STATE_DAYS) return null;
  const courses = [
    ...range(1, MAX_LEVEL_DAYS).map((age) => ({ isStep: true, start: today - age })),
    ...range(3, MAX_RISING_DAYS).map((age) => ({ isStep: false, start: today - age })),
  ].filter(({ start }) => days.filter(({ day }) => day < start).length >= MIN_DAYS_BEFORE);
  const fits = courses.map((course) => ({
    ...course,
    ...fit(days, course.isStep ? step(course.start) : ramp(course.start)),
  }));
  // Of all courses, also those that are too short to be reported: what goes on is not yet known then.
  const best = findBest(fits);
  if (best === undefined) return null;
  const { isStep, start, score, change } = best;
  const other = findBest(fits.filter((course) => course.isStep !== isStep));
  if (other !== undefined && other.misfit - best.misfit < MIN_GAIN_OVER_OTHER * best.scale) return null;
  const total = isStep ? change : change * (today - start);
  if (score < MIN_SCORE || Math.abs(total) < Math.log(MIN_FACTOR)) return null;
  const since = days.filter(({ day }) => day >= start);
  if (since.length < (isStep ? MIN_LEVEL_DAYS : MIN_RISING_DAYS)) return null;
  const shifts = since.map(({ day, z }) => Math.sign(total) * (z - (best.weekday[day % 7] ?? 0)));
  if (isStep ? !stays(shifts, Math.abs(total)) : computeTau(shifts) < MIN_TAU) return null;
  const before = averageRate(days.filter(({ day }) => day < start).slice(-14));
  return {
    state: isStep ? 'new_level' : total > 0 ? 'rising' : 'falling',
    since: start * DAY,
    before,
    rate: Math.max(0, (before + ZERO_SHIFT) * Math.exp(total) - ZERO_SHIFT),
    score,
    threshold: MIN_SCORE,
    days: days.length,
  };
}

/** Whether another course since some day explains the days better than that the state goes on. */
function findEnd(days: readonly Day[], today: number, current: ReportedState): Course | null {
  const start = Math.round(current.since / DAY);
  const isStep = current.state === 'new_level';
  const end = {
    state: 'normal',
    before: current.before,
    score: null,
    threshold: null,
    days: days.length,
  } as const;
  if (days.filter(({ day }) => day >= today - USUAL_AFTER_DAYS).length < MIN_KNOWN_DAYS)
    return { ...end, since: today * DAY, rate: null, comparedSince: today * DAY };
  if (isStep && today - start >= USUAL_AFTER_DAYS) {
    const rate = averageRate(days.filter(({ day }) => day >= start));
    return { ...end, since: today * DAY, rate, comparedSince: current.since };
  }
  if (days.length < MIN_STATE_DAYS) return null;
  const goesOn = fit(days, isStep ? step(start) : ramp(start));
  const others = range(start + 1, today - MIN_END_DAYS).map((until) => ({
    until,
    ...fit(
      days,
      isStep ? (day) => Number(day >= start && day < until) : (day) => ramp(start)(Math.min(day, until - 1)),
    ),
  }));
  const best = findBest(others);
  if (best === undefined || goesOn.misfit - best.misfit < MIN_END_GAIN * best.scale) return null;
  const rest = days.filter(({ day }) => day >= best.until);
  const rate = averageRate(rest.slice(-MIN_END_DAYS));
  if (rest.length < MIN_END_DAYS || (isStep && !isBack(rate, current))) return null;
  const since = best.until * DAY;
  return { ...end, since, rate, comparedSince: since };
}

/** The complete days of which enough was observed to know the rate. */
function measureDays({ from, counts, seconds }: Series, today: number): Day[] {
  const hours = new Map<number, VolumeHour>();
  for (let i = 0; i < counts.length; i += QUARTERS_PER_HOUR) {
    let posts = 0;
    let observed = 0;
    for (let q = i; q < i + QUARTERS_PER_HOUR; q += 1) {
      posts += counts[q] ?? 0;
      observed += seconds[q] ?? 0;
    }
    const at = from + i * QUARTER_MS;
    if (observed > 0)
      hours.set(at, { at, posts, observedPosts: posts, coverage: observed / 3_600, lowerBound: false });
  }
  const days = range(Math.ceil(from / DAY), today - 1).flatMap((day) => {
    const { estimate, hours: share, coverage } = sumSpan(hours, day * DAY, (day + 1) * DAY);
    return estimate === null || share < MIN_DAY_HOURS ? [] : [{ day, rate: estimate, coverage }];
  });
  const mean = averageRate(days);
  return days.map(({ day, rate, coverage }) => ({
    day,
    rate,
    z: Math.log(rate + ZERO_SHIFT),
    weight: 1 / (1 / Math.max(1, mean * coverage) + MIN_DAY_VARIANCE),
  }));
}

const step = (start: number) => (day: number) => Number(day >= start);
const ramp = (start: number) => (day: number) => Math.max(0, day - start + 1);

type Fit = {
  /** Of the logarithm, by unit of the course. */
  change: number;
  score: number;
  /** Sum of squared deviations, of which each is limited; and by how much they exceed chance, for each day. */
  misfit: number;
  scale: number;
  weekday: Float64Array;
};

/**
 * Least squares of weekdays and one course, without the days that it explains worst.
 * @param course by day
 */
function fit(all: readonly Day[], course: (day: number) => number): Fit {
  const first = regress(all, course);
  const deviations = all.map((day) => day.weight * deviate(day, first, course) ** 2);
  const most = deviations.toSorted((a, b) => b - a)[Math.floor(all.length / DAYS_PER_OUTLIER)] ?? 0;
  const days = all.filter((_, i) => (deviations[i] ?? 0) <= most);
  const second = regress(days, course);
  const squares = all.map((day) => day.weight * deviate(day, second, course) ** 2).toSorted((a, b) => a - b);
  const freedom = Math.max(1, days.length - 8);
  const scale = Math.max(1, sum(squares.slice(0, days.length)) / freedom);
  return {
    change: second.change,
    score: Math.sqrt(freedom * Math.log1p(second.gain / (scale * freedom))),
    misfit: sum(squares.map((square) => Math.min(square, MAX_SQUARE * scale))),
    scale,
    weekday: second.weekday,
  };
}

type Regression = { change: number; gain: number; weekday: Float64Array };

function deviate({ day, z }: Day, { change, weekday }: Regression, course: (day: number) => number): number {
  return z - (weekday[day % 7] ?? 0) - change * course(day);
}

function regress(days: readonly Day[], course: (day: number) => number): Regression {
  const [weights, levels, courses] = [new Float64Array(7), new Float64Array(7), new Float64Array(7)];
  const add = (sums: Float64Array, at: number, value: number) => (sums[at] = (sums[at] ?? 0) + value);
  for (const { day, z, weight } of days) {
    add(weights, day % 7, weight);
    add(levels, day % 7, weight * z);
    add(courses, day % 7, weight * course(day));
  }
  const mean = (sums: Float64Array, day: number) => (sums[day % 7] ?? 0) / (weights[day % 7] || 1);
  let xx = 0;
  let xz = 0;
  for (const { day, z, weight } of days) {
    const x = course(day) - mean(courses, day);
    xx += weight * x * x;
    xz += weight * x * (z - mean(levels, day));
  }
  const change = xx > 1e-9 ? xz / xx : 0;
  return {
    change,
    gain: change * xz,
    weekday: levels.map((_, day) => mean(levels, day) - change * mean(courses, day)),
  };
}

/** Whether the last day and all but one are nearer to the new level than to the old one. @param shifts from the old one, by day */
function stays(shifts: readonly number[], level: number): boolean {
  const there = shifts.filter((shift) => shift > level / 2).length;
  return there >= shifts.length - 1 && (shifts.at(-1) ?? 0) > level / 2;
}

/** Whether a rate is nearer to the one before the level than to the level. */
function isBack(now: number, { before, rate }: ReportedState): boolean {
  const distance = (from: number | null) =>
    Math.abs(Math.log((now + ZERO_SHIFT) / ((from ?? now) + ZERO_SHIFT)));
  return distance(before) < distance(rate);
}

/** Kendall's tau: share of pairs whose later value is higher, less that of the others. */
function computeTau(values: readonly number[]): number {
  let excess = 0;
  for (const [i, later] of values.entries())
    for (const earlier of values.slice(0, i)) excess += Math.sign(later - earlier);
  return excess / ((values.length * (values.length - 1)) / 2);
}

function averageRate(days: readonly Pick<Day, 'rate'>[]): number {
  return sum(days.map(({ rate }) => rate)) / Math.max(1, days.length);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function range(from: number, until: number): number[] {
  return Array.from({ length: Math.max(0, until - from + 1) }, (_, i) => from + i);
}

/** The course that fits the days best; the first of equal ones. */
function findBest<T extends Fit>(fits: readonly T[]): T | undefined {
  return fits.toSorted((a, b) => a.misfit - b.misfit)[0];
}
