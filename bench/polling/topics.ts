/** Topics that post at random, and what a search service returns of them. Times are milliseconds since 1970. */
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { PacedResponse } from '../../src/monitor/schedule/pace.ts';
import { seeded } from '../../test/faults/random.ts';

export const TOPICS = 40;
const DAYS = 14;
/** Posts that a service already has at the start. */
const HISTORY_DAYS = 3;
export const START = HISTORY_DAYS * DAY;
export const END = START + DAYS * DAY;

/** What a response holds: the newest posts, and further ones of the last day as the most popular. */
export type Limits = { newest: number; popular: number };

/** Publication times of each topic, ascending: 3 to 3,000 a day, with a daily cycle, hourly noise and bursts. */
export function createWorld(seed: number): number[][] {
  const random = seeded(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: TOPICS }, (_, topic) => {
    const perHour = (3 * 1_000 ** (topic / (TOPICS - 1))) / 24;
    const peak = random() * 24;
    const posts: number[] = [];
    let burst = { until: 0, factor: 1 };
    for (let hour = 0; hour < (DAYS + HISTORY_DAYS) * 24; hour += 1) {
      // About one burst a week, of 2 to 5 times the rate, for two to six hours.
      if (hour >= burst.until && random() < 1 / 168)
        burst = { until: hour + 2 + Math.floor(random() * 5), factor: 2 + random() * 3 };
      const cycle = 1 + 0.6 * Math.cos((2 * Math.PI * (hour - peak)) / 24);
      const noise = Math.exp(0.35 * normal() - 0.35 ** 2 / 2);
      const rate = perHour * cycle * noise * (hour < burst.until ? burst.factor : 1);
      for (let at = -Math.log(1 - random()) / rate; at < 1; at += -Math.log(1 - random()) / rate)
        posts.push((hour + at) * HOUR);
    }
    return posts;
  });
}

/** A topic's posts, and what a service returns of them. */
export class Topic {
  calls = 0;
  found = 0;
  lastAt: number | null = null;
  readonly #posts: readonly number[];
  readonly #limits: Limits;
  readonly #random: () => number;
  readonly #known = new Set<number>();
  /** Posts before the first call. */
  #before = 0;
  #lastNewest = 0;
  #most = 0;

  constructor(posts: readonly number[], limits: Limits, random: () => number) {
    this.#posts = posts;
    this.#limits = limits;
    this.#random = random;
  }

  /** The newest posts, and some of the last day as the most popular. */
  call(at: number): PacedResponse {
    const end = countUntil(this.#posts, at);
    const first = Math.max(0, end - this.#limits.newest);
    const day = countUntil(this.#posts, at - DAY);
    const returned = new Set(Array.from({ length: end - first }, (_, i) => first + i));
    const popular = Math.min(this.#limits.popular, first - day);
    while (returned.size < end - first + popular)
      returned.add(day + Math.floor(this.#random() * (first - day)));
    const before = this.#known.size;
    for (const post of returned) this.#known.add(post);
    // Popular ones do not count: a service that returns none is measured alike.
    if (this.lastAt !== null) this.found += end - Math.max(first, this.#lastNewest);
    else this.#before = end;
    // As `computeReach` decides: full, and without the newest posts of the last response.
    const isFull = returned.size > 0 && returned.size >= this.#most;
    const repeats = this.lastAt !== null && first <= this.#lastNewest - 5;
    const since = this.lastAt;
    this.#most = Math.max(this.#most, returned.size);
    this.#lastNewest = end;
    this.lastAt = at;
    this.calls += 1;
    const times = isFull && !repeats ? [...returned].map((post) => this.#posts[post] ?? at) : null;
    return { at, since, newPosts: this.#known.size - before, times };
  }

  /** Posts of a time, after the first call. */
  countPublished(from: number, until: number): number {
    return countUntil(this.#posts, until) - Math.max(countUntil(this.#posts, from), this.#before);
  }
}

function countUntil(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
