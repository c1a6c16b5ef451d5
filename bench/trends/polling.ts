/**
 * Polls a stream of posts as the monitor does, without a database: what each response holds goes through the follower's
 * functions for reach, volume and detection. Times are milliseconds since 1970.
 */
import { DAY, HOUR, MINUTE, QUARTER_MS, SECOND } from '../../src/lib/time.ts';
import { learn, NEW_PACE } from '../../src/monitor/schedule/pace.ts';
import { chooseInterval, firstInterval, USUAL_FILL } from '../../src/monitor/schedule/pace-interval.ts';
import { detectSpike, MAX_SPIKE_AGE_MS, type Spike } from '../../src/monitor/trends/rules/spike-detection.ts';
import type { Series } from '../../src/monitor/trends/rules/time-series.ts';
import { isOfMany } from '../../src/monitor/trends/rules/voices.ts';
import { HISTORY_MS } from '../../src/monitor/trends/rules/history.ts';
import { computeReach, listQuarters, type Reach, startOfQuarter } from '../../src/store/volume/reach.ts';
import type { Voice } from '../../src/store/volume/voices.ts';

/** Bounds of an adaptive interval, as the program's defaults are. */
const ADAPTIVE = { leastMs: 2 * MINUTE, mostMs: 6 * HOUR, fill: USUAL_FILL };
/** Runs do not come when a quarter of an hour begins. */
const PHASE_MS = 7 * MINUTE;
/** As many of the previous run's newest posts in a response show that nothing between is missing. */
const MIN_REPEATED_POSTS = 5;

export type Polled = {
  /** Publication times, ascending. */
  times: ArrayLike<number>;
  from: number;
  until: number;
  /** Between two runs; null: as `--every auto` chooses. */
  everyMs: number | null;
  /** Most posts in a response; the newest come first. */
  limit: number;
  /** Of these, as many are not the newest but random ones of the last day, as where a service adds popular ones. */
  popular?: number;
  /** Who wrote a post, by its index; if unknown, all are different. */
  voiceOf?: (post: number) => Pick<Voice, 'author' | 'text'>;
  /** When nothing is answered: runs fail. */
  outages?: readonly { from: number; until: number }[];
};

export type Outcome = {
  /** When each spike was reported, which is the time of a run. */
  spikes: { at: number; spike: Spike }[];
  runs: number;
  /** Share of the posts that some response held. */
  caught: number;
  /** Everything that was observed. */
  series: Series;
  slots: number[];
};

/** The volume of one search, as in the table. */
class Volume {
  readonly from: number;
  private readonly counts: Float64Array;
  private readonly seconds: Float64Array;
  constructor(from: number, until: number) {
    this.from = startOfQuarter(from) - DAY;
    const length = Math.ceil((until - this.from) / QUARTER_MS) + 1;
    this.counts = new Float64Array(length);
    this.seconds = new Float64Array(length);
  }
  /** Times of posts that no response had before. Responses of one search in order do not overlap. */
  add(reach: Reach, times: readonly number[]): void {
    for (const { at, start, end } of listQuarters(reach)) {
      const i = (at - this.from) / QUARTER_MS;
      this.seconds[i] = (this.seconds[i] ?? 0) + (end - start) / SECOND;
    }
    for (const time of times) {
      if (time < reach.from) continue;
      const i = Math.floor((time - this.from) / QUARTER_MS);
      this.counts[i] = (this.counts[i] ?? 0) + 1;
    }
  }
  between(from: number, until: number): Series {
    const a = Math.max(0, Math.round((from - this.from) / QUARTER_MS));
    const b = Math.round((until - this.from) / QUARTER_MS);
    return {
      from: this.from + a * QUARTER_MS,
      counts: this.counts.subarray(a, b),
      seconds: this.seconds.subarray(a, b),
    };
  }
}

export function poll({
  times,
  from,
  until,
  limit,
  popular = 0,
  voiceOf,
  outages = [],
  ...plan
}: Polled): Outcome {
  const volume = new Volume(from, until);
  const spikes: Outcome['spikes'] = [];
  const slots: number[] = [];
  const seen = new Uint8Array(times.length);
  let newest = 0;
  let lastUntil: number | null = null;
  let mostPosts: number | null = null;
  let previous: number[] = [];
  let caught = 0;
  let judged = 0;
  let pace = NEW_PACE;
  let everyMs = plan.everyMs ?? firstInterval(ADAPTIVE);
  for (let slot = Math.ceil(from / everyMs) * everyMs + PHASE_MS; slot < until; slot += everyMs) {
    while (newest < times.length && (times[newest] ?? 0) < slot) newest += 1;
    if (outages.some((one) => slot >= one.from && slot < one.until)) continue;
    slots.push(slot);
    const response = listResponse(times, newest, { limit, popular, slot });
    // They are near its beginning: a set of everything that a response holds would cost more than detection.
    const repeats = previous.length === MIN_REPEATED_POSTS && previous.every((id) => response.includes(id));
    const isFull = response.length > 0 && response.length >= (mostPosts ?? 0);
    const before = {
      operation: 'microblog',
      dateFilter: null,
      everySeconds: everyMs / SECOND,
      lastUntil,
      isFull,
      repeats,
      resumedAt: null,
      stoppedAt: null,
    } as const;
    const at = response.map((id) => times[id] ?? 0);
    const reach = computeReach(before, { observedAt: slot, posts: response.length, times: at });
    const fresh = response.filter((id) => seen[id] === 0);
    for (const id of fresh) seen[id] = 1;
    caught += fresh.length;
    if (plan.everyMs === null) {
      const mayMiss = isFull && !repeats;
      const last = { at: slot, since: lastUntil, newPosts: fresh.length, times: mayMiss ? at : null };
      pace = learn(pace, last);
      everyMs = Math.round(chooseInterval(pace, slot, ADAPTIVE, last).ms);
    }
    previous = (popular === 0 ? response : response.toSorted((a, b) => b - a)).slice(0, MIN_REPEATED_POSTS);
    if (reach === null) continue;
    volume.add(
      reach,
      fresh.map((id) => times[id] ?? 0),
    );
    mostPosts = Math.max(mostPosts ?? 0, response.length);
    lastUntil = reach.until;
    const end = startOfQuarter(reach.until);
    // Within a quarter of an hour, what is judged changes only by what is found of the time before it.
    if (end === judged && reach.from >= end && !fresh.some((id) => (times[id] ?? 0) < end)) continue;
    judged = end;
    const begin = end - HISTORY_MS - MAX_SPIKE_AGE_MS - Math.max(DAY, everyMs);
    const alerted = spikes.map(({ spike }) => spike.end).filter((one) => one > begin);
    const spike = detectSpike(volume.between(begin, end), {
      sensitivity: 'normal',
      everySeconds: everyMs / SECOND,
      alerted,
      now: slot,
      isEligible: (one) => voiceOf === undefined || isOfMany(listVoices(times, seen, voiceOf, one), one),
    });
    if (spike !== null) spikes.push({ at: slot, spike });
  }
  return {
    spikes,
    runs: slots.length,
    caught: caught / Math.max(1, newest),
    series: volume.between(0, until),
    slots,
  };
}

/** What was found of a spike's posts. */
function listVoices(
  times: ArrayLike<number>,
  seen: Uint8Array,
  voiceOf: NonNullable<Polled['voiceOf']>,
  { start, end }: Spike,
): Voice[] {
  const voices: Voice[] = [];
  for (let id = findFirst(times, start); id < times.length && (times[id] ?? end) < end; id += 1)
    if (seen[id] === 1) voices.push({ at: times[id] ?? start, posts: 1, ...voiceOf(id) });
  return voices;
}

/** The first post that is not before a time. */
function findFirst(times: ArrayLike<number>, from: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? from) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Newest first; a service without posts since the last day returns older ones. */
function listResponse(
  times: ArrayLike<number>,
  newest: number,
  { limit, popular, slot }: { limit: number; popular: number; slot: number },
): number[] {
  const ids: number[] = [];
  const fresh = Math.min(limit, limit - popular);
  const reach = slot - DAY;
  let id = newest - 1;
  for (; id >= 0 && ids.length < fresh && (times[id] ?? 0) >= reach; id -= 1) ids.push(id);
  if (popular === 0) return ids;
  // The same ones stay popular: those whose numbers have the lowest hashes, in their order.
  const most: { id: number; rank: number }[] = [];
  for (; id >= 0 && (times[id] ?? 0) >= reach; id -= 1) {
    const rank = hash(id);
    if (most.length === popular && rank >= (most.at(-1)?.rank ?? 0)) continue;
    most.splice(most.findLastIndex((one) => one.rank <= rank) + 1, 0, { id, rank });
    most.length = Math.min(most.length, popular);
  }
  return [...ids, ...most.map((one) => one.id)];
}

function hash(n: number): number {
  return (Math.imul(n ^ (n >>> 7), 0x9e3779b1) ^ Math.imul(n, 0x85ebca6b)) >>> 0;
}
