/**
 * What responses say about the rate of a search, for its adaptive interval (`pace-interval.ts`). Pure; times are
 * milliseconds since 1970, rates are posts per hour.
 *
 * The rate at a time is an average times a factor of its hour of the day (UTC). A response that reaches back to the last one
 * counts its new posts over the time between. A truncated one measures the rate just as well, over less time: k newest posts
 * without a gap, of which the oldest is s seconds old, are k - 1 in s (Erlang).
 */
import { findNewestBlock } from '../../model/response-rate.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { PaceRow } from '../../store/runs/pace.ts';

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

/** @param row null, or of a search without a derived response: a new pace */
export function toPace(row: PaceRow | null): Pace {
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

/** A block of fewer posts does not show a rate. */
const MIN_BLOCK = 3;

/** At least as many posts as are expected between two responses must be missing for the second one to count as truncated. */
const MIN_MISSING = 3;

/** The newest posts, if the response does not reach back to the previous one; otherwise null. */
export function findTruncated({ at, since, times }: PacedResponse): { posts: number; oldest: number } | null {
  const newestBlock = times === null ? null : findNewestBlock(times.map((time) => Math.min(time, at)));
  if (newestBlock === null || newestBlock.posts + 1 < MIN_BLOCK) return null;
  const block = { posts: newestBlock.posts + 1, oldest: newestBlock.from - 1 };
  if (since === null) return block;
  const gap = (at - block.oldest) / block.posts;
  return block.oldest - since > MIN_MISSING * gap ? block : null;
}

/** Times in which counts fade by half: counts by hour of the day, and counts of missed posts. */
const HOUR_FADE_MS = 14 * DAY;
const FADE_MS = 3 * DAY;
/** Weight of "as at an average hour", in hours, in the factor of an hour of the day. */
const PRIOR_HOURS = 2;
/** Posts after which the rate has mostly been replaced. */
const RATE_MEMORY = 20;
/** The time in which what was measured last fades to the average by two thirds. */
const RELAX_MS = HOUR;
/** The longest time that a truncated response represents. */
const MAX_STOOD_FOR_MS = 6 * HOUR;
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
  // A response that is not truncated measures nothing if its start is unknown.
  const seen =
    block !== null
      ? { posts: block.posts - 1, from: block.oldest }
      : from === null
        ? null
        : { posts: newPosts, from };
  if (seen === null) return { ...faded, learnedAt: at };
  const span = Math.max(at - seen.from, SECOND);
  const relative = integrateFactors(faded, at - span, at);
  const rate = learnRate(faded, seen.posts, relative, { isTruncated: block !== null && from !== null });
  const stoodFor = from === null ? span : Math.min(at - from, MAX_STOOD_FOR_MS);
  const weight = Math.max(stoodFor / span, 1);
  const learned = { ...faded, rate, ...learnHours(faded, { ...seen, to: at, weight }), learnedAt: at };
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

function learnRate(
  { rate: before }: Pace,
  posts: number,
  hours: number,
  { isTruncated }: { isTruncated: boolean },
): number {
  const measured = posts / hours;
  if (before === null) return measured;
  // By the expected number of posts, not by the observed number: otherwise a search with a post now and then would
  // seem busier than it is. The number of posts in a truncated response does not measure the rate; their span does.
  const evidence = isTruncated ? Math.max(posts, before * hours) : before * hours;
  const weight = 1 - Math.exp(-evidence / RATE_MEMORY);
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

/**
 * Without a known hour for each post, posts are attributed to the hours as the factors expect them.
 * @param seen.weight how often a truncated response counts: it stands for all the time since the previous one. Counted once,
 * quiet hours would weigh more, because they take longer to fill a response, and the average would be too low
 */
function learnHours(
  pace: Pace,
  { posts, from, to, weight }: { posts: number; from: number; to: number; weight: number },
): Pick<Pace, 'hourPosts' | 'hourSpans'> {
  const hourPosts = [...pace.hourPosts];
  const hourSpans = [...pace.hourSpans];
  const whole = integrateFactors(pace, from, to);
  for (const { hour, hours, factor } of listHours(pace, from, to)) {
    hourPosts[hour] = (hourPosts[hour] ?? 0) + (weight * posts * hours * factor) / whole;
    hourSpans[hour] = (hourSpans[hour] ?? 0) + weight * hours;
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

/** The hours of the day of a span, in order, with the part of each that is in it. Of more than a week, the last one, with what its hours stand for. */
function* listHours(
  pace: Pace,
  from: number,
  to: number,
): Generator<{ hour: number; hours: number; factor: number; start: number }> {
  const average = averageOf(pace);
  // Its last week stands for a longer span, which has all hours alike.
  const first = Math.max(from, to - 7 * DAY);
  const weight = (to - from) / (to - first);
  for (let start = first; start < to; ) {
    const end = Math.min(to, (Math.floor(start / HOUR) + 1) * HOUR);
    const hour = Math.floor(start / HOUR) % 24;
    const hours = (weight * (end - start)) / HOUR;
    yield { hour, hours, factor: readFactor(pace, hour, average), start };
    start = end;
  }
}

/** Hours from `from` to `to`, each weighted by its factor; never 0. */
function integrateFactors(pace: Pace, from: number, to: number): number {
  let sum = 0;
  for (const { hours, factor } of listHours(pace, from, to)) sum += hours * factor;
  return Math.max(sum, SECOND / HOUR);
}

/** The expected posts per hour from a time on, hour by hour; none while the rate is unknown. */
export function* listExpected(
  pace: Pace,
  from: number,
  until: number,
): Generator<{ start: number; hours: number; perHour: number }> {
  for (const { start, hours, factor } of listHours(pace, from, until)) {
    const rate = relax(pace, start - from + (hours * HOUR) / 2);
    if (rate === null) return;
    yield { start, hours, perHour: rate * factor };
  }
}

/** The pace as it is on average, without what was measured last. */
export function settle(pace: Pace): Pace {
  return { ...pace, rate: relax(pace, Number.POSITIVE_INFINITY) };
}
