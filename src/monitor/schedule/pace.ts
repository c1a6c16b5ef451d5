/**
 * The adaptive interval of `--every auto`: what responses say about the rate of a search, and when to ask again. Pure; times are
 * milliseconds since 1970, rates are posts per hour.
 *
 * The rate at a time is an average times a factor of its hour of the day (UTC). A response that reaches back to the last one
 * counts its new posts over the time between. A truncated one measures the rate just as well, over less time: k newest posts
 * without a gap, of which the oldest is s seconds old, are k - 1 in s (Erlang).
 *
 * The next call is due as soon as the expected posts plus a margin fill the chosen part of a response. The constants were chosen
 * with the seeds 1 to 4 of `bench/polling.ts`.
 */
import { DAY, HOUR, MINUTE, SECOND } from '../../domain/time.ts';

/** What responses have shown about the posts of a search. */
export type Pace = {
  /** Posts per hour at an average hour of the day; null until a response shows it. */
  rate: number | null;
  /** Posts and observed hours by hour of the day (UTC), older ones with less weight. */
  hourPosts: readonly number[];
  hourSpans: readonly number[];
  /** How many of the newest posts a response holds; null if unknown. */
  room: number | null;
  /** Posts that were found, and the expected number that were not; of the last days, as `FADE_MS` says. */
  seen: number;
  missed: number;
  /** When the last response was received; null if there was none. */
  learnedAt: number | null;
};

export const NEW_PACE: Pace = {
  rate: null,
  hourPosts: Array.from({ length: 24 }, () => 0),
  hourSpans: Array.from({ length: 24 }, () => 0),
  room: null,
  seen: 0,
  missed: 0,
  learnedAt: null,
};

/** The members of a stored pace that {@link Pace} has. */
type StoredPace = {
  rate: number | null;
  room: number | null;
  hour_posts: readonly number[] | null;
  hour_spans: readonly number[] | null;
  seen: number | null;
  missed: number | null;
  learned_at: Date | null;
};

/** @param row null, or of a search without a derived response: a new pace */
export function toPace(row: StoredPace | null): Pace {
  if (row?.learned_at == null) return NEW_PACE;
  return {
    rate: row.rate,
    room: row.room,
    hourPosts: row.hour_posts ?? NEW_PACE.hourPosts,
    hourSpans: row.hour_spans ?? NEW_PACE.hourSpans,
    seen: row.seen ?? 0,
    missed: row.missed ?? 0,
    learnedAt: row.learned_at.getTime(),
  };
}

/** A response, as far as it concerns the rate. */
export type PacedResponse = {
  at: number;
  /** Until when the previous response observed; null: there is none, or the time between was not watched. */
  since: number | null;
  /** Posts that the search had not found before. */
  newPosts: number;
  /** Publication times of all posts if the response may be truncated, in any order; otherwise null. */
  times: readonly number[] | null;
};

/** The probability of a gap, at a constant rate, at which what follows are older posts, such as popular ones. */
const GAP_CHANCE = 0.001;
/** The average gap is known well enough after this many posts. */
const BLOCK_START = 4;
/** A block of fewer posts does not show a rate. */
const MIN_BLOCK = 3;

/** The newest posts of a response without a gap: their number, and the time of the oldest. Null if there are fewer than 3. */
export function findNewestBlock(
  times: readonly number[],
  at: number,
): { posts: number; oldest: number } | null {
  const newest = times.map((time) => Math.min(time, at)).sort((a, b) => b - a);
  let posts = Math.min(BLOCK_START, newest.length);
  for (; posts < newest.length; posts += 1) {
    const last = newest[posts - 1] ?? at;
    const gap = last - (newest[posts] ?? at);
    // A gap is longer than g times the average of k exponential ones with probability (1 + g / k) ** -k.
    const most = posts * (GAP_CHANCE ** (-1 / posts) - 1);
    if (gap > most * Math.max((at - last) / posts, SECOND)) break;
  }
  const oldest = newest[posts - 1];
  return posts < MIN_BLOCK || oldest === undefined ? null : { posts, oldest };
}

/** At least as many posts as are expected between two responses must be missing for the second one to count as truncated. */
const MIN_MISSING = 3;

/** The newest posts, if the response does not reach back to the previous one; otherwise null. */
function findTruncated({ at, since, times }: PacedResponse): { posts: number; oldest: number } | null {
  const block = times === null ? null : findNewestBlock(times, at);
  if (block === null || since === null) return block;
  const gap = (at - block.oldest) / block.posts;
  return block.oldest - since > MIN_MISSING * gap ? block : null;
}

/** Counts fade by half in this time, those by hour of the day and those of missed posts. */
const HOUR_FADE_MS = 14 * DAY;
const FADE_MS = 3 * DAY;
/** Weight of "as at an average hour", in hours, in the factor of an hour of the day. */
const PRIOR_HOURS = 2;
/** Posts after which the rate has mostly been replaced. */
const RATE_MEMORY = 20;
/** The time in which what was measured last fades to the average by two thirds. */
const RELAX_MS = HOUR;
/** Weight of a truncated response in the room. */
const ROOM_WEIGHT = 0.3;
/** A service rarely returns fewer posts when more match, so a smaller response is taken for truncated only if posts are missing. */
const LEAST_ROOM = 10;

/** The pace after a response. */
export function learn(pace: Pace, response: PacedResponse): Pace {
  const { at, newPosts } = response;
  const from = response.since === null ? null : Math.min(response.since, at);
  const block = findTruncated(response);
  const faded = fade(pace, at);
  // A response that is not truncated says nothing if nobody knows since when.
  const seen =
    block !== null
      ? { posts: block.posts - 1, from: block.oldest }
      : from === null
        ? null
        : { posts: newPosts, from };
  if (seen === null) return { ...faded, learnedAt: at };
  const span = Math.max(at - seen.from, SECOND);
  const relative = integrateFactors(faded, at - span, at);
  const rate = learnRate(faded, seen.posts, relative);
  const learned = { ...faded, rate, ...learnHours(faded, seen.posts, at - span, at), learnedAt: at };
  const missed = block !== null && from !== null ? rate * integrateFactors(faded, from, block.oldest) : 0;
  return {
    ...learned,
    room: learnRoom(faded.room, newPosts, { block, confirmed: missed > 0 }),
    seen: faded.seen + newPosts,
    missed: faded.missed + Math.max(0, missed - Math.max(0, newPosts - seen.posts)),
  };
}

function fade(pace: Pace, at: number): Pace {
  const passed = Math.max(0, at - (pace.learnedAt ?? at));
  const ofHours = 0.5 ** (passed / HOUR_FADE_MS);
  const ofPosts = 0.5 ** (passed / FADE_MS);
  return {
    ...pace,
    rate: relax(pace, passed),
    hourPosts: pace.hourPosts.map((posts) => posts * ofHours),
    hourSpans: pace.hourSpans.map((span) => span * ofHours),
    seen: pace.seen * ofPosts,
    missed: pace.missed * ofPosts,
  };
}

function learnRate({ rate: before }: Pace, posts: number, hours: number): number {
  const measured = posts / hours;
  if (before === null) return measured;
  // By what was expected, not by what came: otherwise a search with a post now and then would seem busier than it is.
  const weight = 1 - Math.exp(-(before * hours) / RATE_MEMORY);
  return before + weight * (measured - before);
}

/** The rate after some time: what was measured last fades to the average. */
function relax(
  { rate, ...pace }: Pick<Pace, 'rate' | 'hourPosts' | 'hourSpans'>,
  passedMs: number,
): number | null {
  const average = averageOf(pace);
  if (rate === null || average === 0) return rate;
  return average + (rate - average) * Math.exp(-Math.max(passedMs, 0) / RELAX_MS);
}

/** Without a known hour for each post, posts are attributed to the hours as the factors expect them. */
function learnHours(
  pace: Pace,
  posts: number,
  from: number,
  to: number,
): Pick<Pace, 'hourPosts' | 'hourSpans'> {
  const hourPosts = [...pace.hourPosts];
  const hourSpans = [...pace.hourSpans];
  const whole = integrateFactors(pace, from, to);
  for (const { hour, hours, factor } of listHours(pace, from, to)) {
    hourPosts[hour] = (hourPosts[hour] ?? 0) + (posts * hours * factor) / whole;
    hourSpans[hour] = (hourSpans[hour] ?? 0) + hours;
  }
  return { hourPosts, hourSpans };
}

function learnRoom(
  room: number | null,
  newPosts: number,
  { block, confirmed }: { block: { posts: number } | null; confirmed: boolean },
): number | null {
  if (block === null) return room === null ? null : Math.max(room, newPosts);
  if (room === null) return confirmed ? block.posts : Math.max(block.posts, LEAST_ROOM);
  return confirmed ? room + ROOM_WEIGHT * (block.posts - room) : Math.max(room, block.posts);
}

/** The factor of each hour of the day (UTC), near 1 while little is known. */
function readFactor({ hourPosts, hourSpans }: Pace, hour: number, average: number): number {
  if (average === 0) return 1;
  return ((hourPosts[hour] ?? 0) / average + PRIOR_HOURS) / ((hourSpans[hour] ?? 0) + PRIOR_HOURS);
}

function averageOf({ hourPosts, hourSpans }: Pick<Pace, 'hourPosts' | 'hourSpans'>): number {
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const spans = sum(hourSpans);
  return spans === 0 ? 0 : sum(hourPosts) / spans;
}

/** The hours of the day of a span, in order, with the part of each that is in it. */
function* listHours(
  pace: Pace,
  from: number,
  to: number,
): Generator<{ hour: number; hours: number; factor: number; start: number }> {
  const average = averageOf(pace);
  // A gap of more than a few days has all hours alike.
  for (let start = Math.max(from, to - 7 * DAY); start < to; ) {
    const end = Math.min(to, (Math.floor(start / HOUR) + 1) * HOUR);
    const hour = Math.floor(start / HOUR) % 24;
    yield { hour, hours: (end - start) / HOUR, factor: readFactor(pace, hour, average), start };
    start = end;
  }
}

/** Hours from `from` to `to`, each weighted by its factor; never 0. */
function integrateFactors(pace: Pace, from: number, to: number): number {
  let sum = 0;
  for (const { hours, factor } of listHours(pace, from, to)) sum += hours * factor;
  return Math.max(sum, SECOND / HOUR);
}

/** Bounds of an adaptive interval, and what it may use. */
export type PaceLimits = {
  leastMs: number;
  mostMs: number;
  /** How much of a response may fill up before the next call, by {@link fitFill} where calls are short. */
  fill: number;
};

/** How much of a response fills up, with a margin of {@link MARGIN} standard deviations, if calls are not short. */
export const USUAL_FILL = 0.6;
const MARGIN = 1.7;
/** While the limit of responses is unknown. */
const UNKNOWN_ROOM = 20;
/** While the rate is unknown. */
const FIRST_INTERVAL_MS = 15 * MINUTE;
/** After a truncated response, at most this part of the time that was too long. */
const SOONER = 0.75;

/** The interval while nothing is known. */
export function firstInterval({ leastMs, mostMs }: Pick<PaceLimits, 'leastMs' | 'mostMs'>): number {
  return Math.min(Math.max(FIRST_INTERVAL_MS, leastMs), mostMs);
}

/** Why an interval is what it is. */
export const PACE_REASONS = [
  'learning',
  'rate',
  'truncated',
  'quiet',
  'found',
  'least',
  'most',
  'budget',
] as const;
export type PaceReason = (typeof PACE_REASONS)[number];

/**
 * How long to wait after a response.
 * @param last the response, if the pace was just learned from it
 */
export function chooseInterval(
  pace: Pace,
  at: number,
  { leastMs, mostMs, fill }: PaceLimits,
  last?: PacedResponse,
): { ms: number; reason: PaceReason } {
  const within = (ms: number) => Math.min(Math.max(ms, leastMs), mostMs);
  if (pace.rate === null) return { ms: firstInterval({ leastMs, mostMs }), reason: 'learning' };
  const wanted = findWait(pace, at, fillPosts(pace, fill), mostMs);
  const isTruncated = last !== undefined && findTruncated(last) !== null;
  const tooLong = isTruncated && last.since !== null && fill <= 1 ? at - last.since : null;
  if (tooLong !== null && SOONER * tooLong <= wanted)
    return { ms: within(SOONER * tooLong), reason: SOONER * tooLong <= leastMs ? 'least' : 'truncated' };
  const passed = last?.newPosts === 0 && last.since !== null ? at - last.since : 0;
  if (passed > wanted) return { ms: within(passed), reason: 'quiet' };
  if (wanted <= leastMs) return { ms: leastMs, reason: 'least' };
  if (wanted >= mostMs) return { ms: mostMs, reason: last?.newPosts === 0 ? 'quiet' : 'most' };
  if (fill > USUAL_FILL) return { ms: wanted, reason: 'budget' };
  return { ms: wanted, reason: last?.newPosts === 0 ? 'quiet' : 'rate' };
}

/** Intervals of AI searches, whose responses show no rate: shorter after a response with a new item, longer after one without. */
const AI_FIRST_MS = HOUR;
const AI_SHORTER = 0.8;
const AI_LONGER = 1.5;

/**
 * How long an AI search waits after a response. As many steps up as down are balanced where two responses of three find
 * something new.
 * @param beforeMs the previous interval; null: there was none
 */
export function chooseAiInterval(
  beforeMs: number | null,
  newItems: number,
  { leastMs, mostMs }: Pick<PaceLimits, 'leastMs' | 'mostMs'>,
): { ms: number; reason: PaceReason } {
  const within = (ms: number) => Math.min(Math.max(ms, leastMs), mostMs);
  if (beforeMs === null) return { ms: within(AI_FIRST_MS), reason: 'learning' };
  const wanted = beforeMs * (newItems > 0 ? AI_SHORTER : AI_LONGER);
  if (wanted <= leastMs) return { ms: leastMs, reason: 'least' };
  if (wanted >= mostMs) return { ms: mostMs, reason: 'most' };
  return { ms: wanted, reason: newItems > 0 ? 'found' : 'quiet' };
}

/** The expected posts at which, with the margin, a part of a response is full. */
function fillPosts({ room }: Pace, fill: number): number {
  return ((Math.sqrt(MARGIN ** 2 + 4 * fill * (room ?? UNKNOWN_ROOM)) - MARGIN) / 2) ** 2;
}

/** The time after which this many posts are expected, at most `mostMs`. */
function findWait(pace: Pace, at: number, posts: number, mostMs: number): number {
  let left = posts;
  for (const { start, hours, factor } of listHours(pace, at, at + Math.min(mostMs, 7 * DAY))) {
    const perHour = (relax(pace, start - at + (hours * HOUR) / 2) ?? 0) * factor;
    if (perHour * hours >= left) return start - at + (left / perHour) * HOUR;
    left -= perHour * hours;
  }
  return mostMs;
}

/** What a plan makes of a day: calls, and the share of posts it finds. */
export type PaceForecast = { callsPerDay: number; caught: number };

/** @returns null while the rate is unknown */
export function forecastAdaptive(pace: Pace, { leastMs, mostMs, fill }: PaceLimits): PaceForecast | null {
  const posts = fillPosts(pace, fill);
  return forecastDay(pace, (perHour) => Math.min(Math.max((posts / perHour) * HOUR, leastMs), mostMs));
}

/** @returns null while the rate is unknown */
export function forecastFixed(pace: Pace, everyMs: number): PaceForecast | null {
  return forecastDay(pace, () => everyMs);
}

function forecastDay(pace: Pace, intervalAt: (perHour: number) => number): PaceForecast | null {
  if (pace.rate === null) return null;
  let calls = 0;
  let posts = 0;
  let caught = 0;
  for (const perHour of listHourlyRates(pace)) {
    const ms = intervalAt(perHour);
    calls += HOUR / ms;
    posts += perHour;
    caught += perHour * shareWithin((perHour * ms) / HOUR, pace.room ?? UNKNOWN_ROOM);
  }
  return { callsPerDay: calls, caught: posts === 0 ? 1 : caught / posts };
}

/** Expected posts in each hour of a day; none while the rate is unknown. */
function listHourlyRates(pace: Pace): number[] {
  if (pace.rate === null) return [];
  const average = averageOf(pace);
  return pace.hourPosts.map((_, hour) => average * readFactor(pace, hour, average));
}

/** Volume of an hour varies by this part of what is usual then, besides chance. */
const HOURLY_NOISE = 0.5;

/** The expected share of posts within the newest `room`, for a normal count with this mean. */
function shareWithin(mean: number, room: number): number {
  if (mean === 0) return 1;
  const deviation = Math.sqrt(mean + (HOURLY_NOISE * mean) ** 2);
  const z = (room - mean) / deviation;
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const beyond = deviation * (density - z * (1 - normalShare(z)));
  return Math.min(1, Math.max(0, 1 - beyond / mean));
}

/** The share of a normal distribution below z, by Abramowitz and Stegun 26.2.17 (error under 1e-7). */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const tail =
    density *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

/** Intervals that people choose. */
const USUAL_INTERVALS_MS = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1_440].map(
  (minutes) => minutes * MINUTE,
);
/** What a sufficient interval finds. */
const SUFFICIENT_SHARE = 0.98;

/** The longest usual interval that finds at least 98 % of the posts; null if none does, or the rate is unknown. */
export function findSufficientInterval(pace: Pace): number | null {
  return (
    USUAL_INTERVALS_MS.findLast((ms) => (forecastFixed(pace, ms)?.caught ?? 0) >= SUFFICIENT_SHARE) ?? null
  );
}

/** More than this expected in a response finds nothing more, but only later. */
const MAX_FILL = 50;
const FILL_STEPS = 20;

/**
 * The least fill with which searches stay within their calls per day, together. All get the same, so that each call goes where
 * the response will be fullest. Searches without a rate are left out: their first response shows it.
 */
export function fitFill(
  searches: readonly { pace: Pace; leastMs: number; mostMs: number }[],
  callsPerDay: number,
): number {
  const days = searches.map(({ pace, ...limits }) => ({ pace, ...limits, rates: listHourlyRates(pace) }));
  const countCalls = (fill: number) =>
    days.reduce((sum, { pace, leastMs, mostMs, rates }) => {
      const within = (ms: number) => Math.min(Math.max(ms, leastMs), mostMs);
      const posts = fillPosts(pace, fill);
      return rates.reduce((calls, perHour) => calls + HOUR / within((posts / perHour) * HOUR), sum);
    }, 0);
  if (countCalls(USUAL_FILL) <= callsPerDay) return USUAL_FILL;
  let [low, high] = [USUAL_FILL, MAX_FILL];
  for (let step = 0; step < FILL_STEPS; step += 1) {
    const middle = Math.sqrt(low * high);
    if (countCalls(middle) <= callsPerDay) high = middle;
    else low = middle;
  }
  return high;
}

/** Calls are planned this far ahead, across midnight. */
const BUDGET_HORIZON_MS = 6 * HOUR;

/**
 * Calls per day at which a limit per UTC day lasts, from now on.
 * @param left calls that are left of today
 */
export function spreadBudget(callsPerDay: number, left: number, now: number): number {
  const today = DAY - (now % DAY);
  const tomorrow = Math.max(0, BUDGET_HORIZON_MS - today) / DAY;
  return (left + callsPerDay * tomorrow) / (Math.max(today, BUDGET_HORIZON_MS) / DAY);
}

/** The part of a search's calls per day that it may make at any time, besides the even rest. */
const BURST_PART = 1 / 8;

/**
 * The budget of a search as one time: until then its calls are spent. Any 24 hours have at most `callsPerDay` calls.
 * @param spentUntil null: no call was made
 * @returns the time after a call at `at`
 */
export function spendCall(spentUntil: number | null, at: number, callsPerDay: number): number {
  return Math.max(spentUntil ?? at, at) + evenly(callsPerDay);
}

/** When the budget allows the next call. */
export function earliestCall(spentUntil: number | null, callsPerDay: number): number {
  return (spentUntil ?? 0) - countBurst(callsPerDay) * evenly(callsPerDay);
}

function countBurst(callsPerDay: number): number {
  return Math.floor(callsPerDay * BURST_PART);
}

function evenly(callsPerDay: number): number {
  return DAY / (callsPerDay - countBurst(callsPerDay));
}

/** Calls per day of an adaptive search if nobody set a limit: those of the fixed plan that it replaces. */
const CALLS_PER_DAY_OF = { hourly: 24, quarterHourly: 96 } as const;

/**
 * The calls of an adaptive search in any 24 hours: as written; if `CALLS_PER_DAY` is set, no limit of its own, because searches
 * share that; otherwise as every 15 minutes, or as hourly if it is an AI search or its service is hosted.
 * @returns null: no limit of its own
 */
export function limitCalls(
  config: { callsPerDay?: number | undefined },
  search: { operation: 'ai' | 'microblog'; service_kind: 'sandbox' | 'own' | 'hosted' },
  schedule: { callsPerDay: number | null },
): number | null {
  if (schedule.callsPerDay !== null) return schedule.callsPerDay;
  if (config.callsPerDay !== undefined) return null;
  const isHourly = search.operation === 'ai' || search.service_kind === 'hosted';
  return isHourly ? CALLS_PER_DAY_OF.hourly : CALLS_PER_DAY_OF.quarterHourly;
}
