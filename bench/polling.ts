/**
 * How many posts fixed and adaptive intervals find with the same number of calls: docs/internals/scheduling.md says what the
 * figures mean. Uses the rule of the program (`src/monitor/schedule/pace.ts`). Ends with 1 where the mean over all seeds misses a target.
 *
 *   npm run -s bench:polling -- [--seeds 1,2,3]
 */
import { parseArgs } from 'node:util';
import { DAY, HOUR, MINUTE } from '../src/domain/time.ts';
import { chooseInterval, USUAL_FILL } from '../src/monitor/schedule/pace-interval.ts';
import { fitFill, spreadBudget } from '../src/monitor/schedule/call-budget.ts';
import { learn, NEW_PACE, type PacedResponse } from '../src/monitor/schedule/pace.ts';
import { seeded } from '../test/faults/random.ts';
import { aligned } from './report.ts';

const TOPICS = 40;
const DAYS = 14;
/** Posts that a service already has at the start. */
const HISTORY_DAYS = 3;
const START = HISTORY_DAYS * DAY;
const END = START + DAYS * DAY;
const CALLS_PER_DAY = 960;
const LIMITS = { leastMs: 2 * MINUTE, mostMs: 6 * HOUR };
/** How often the fill is fitted to the calls that are left of the day, as the follower does. */
const FIT_MS = 15 * MINUTE;
/** Newest posts per response, further popular ones, and the share of posts that must be found. */
const CASES = [
  { newest: 24, popular: 16, target: 0.88 },
  { newest: 40, popular: 0, target: 0.98 },
] as const;
/** The constants of the rule were chosen with the first four; the others are only measured. */
const CHOSEN_SEEDS = [1, 2, 3, 4];
const FRESH_SEEDS = [101, 102, 103, 104];

type Limits = { newest: number; popular: number };

/** Publication times of each topic, ascending: 3 to 3,000 a day, with a daily cycle, hourly noise and bursts. */
function createWorld(seed: number): number[][] {
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
class Topic {
  calls = 0;
  lastAt: number | null = null;
  readonly #posts: readonly number[];
  readonly #limits: Limits;
  readonly #random: () => number;
  readonly #known = new Set<number>();
  found = 0;
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

  /** Posts after the first call. */
  get published(): number {
    return countUntil(this.#posts, END) - this.#before;
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

type Figures = { caught: number; callsPerDay: number };

function summarize(topics: readonly Topic[]): Figures {
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return {
    caught: sum(topics.map((topic) => topic.found)) / sum(topics.map((topic) => topic.published)),
    callsPerDay: sum(topics.map((topic) => topic.calls)) / DAYS,
  };
}

function pollFixed(world: readonly number[][], limits: Limits, everyMs: number): Figures {
  const random = seeded(1);
  const topics = world.map((posts) => new Topic(posts, limits, random));
  for (const [i, topic] of topics.entries())
    for (let at = START + (everyMs * i) / TOPICS; at < END; at += everyMs) topic.call(at);
  return summarize(topics);
}

/** @param callsPerDay for all topics; null: as many as the rule wants */
function pollAdaptively(world: readonly number[][], limits: Limits, callsPerDay: number | null): Figures {
  const random = seeded(1);
  const searches = world.map((posts, i) => ({
    topic: new Topic(posts, limits, random),
    pace: NEW_PACE,
    dueAt: START + (HOUR * i) / TOPICS,
  }));
  let fill = USUAL_FILL;
  let fittedAt = Number.NEGATIVE_INFINITY;
  let today = { day: 0, calls: 0 };
  for (;;) {
    const next = searches.reduce((a, b) => (b.dueAt < a.dueAt ? b : a));
    const at = next.dueAt;
    if (at >= END) break;
    const day = Math.floor(at / DAY);
    if (day !== today.day) today = { day, calls: 0 };
    if (callsPerDay !== null && today.calls >= callsPerDay) {
      next.dueAt = (day + 1) * DAY;
      continue;
    }
    if (callsPerDay !== null && at - fittedAt >= FIT_MS) {
      const paces = searches.map(({ pace }) => ({ pace, ...LIMITS }));
      fill = fitFill(paces, spreadBudget(callsPerDay, callsPerDay - today.calls, at));
      fittedAt = at;
    }
    today.calls += 1;
    const response = next.topic.call(at);
    next.pace = learn(next.pace, response);
    next.dueAt = at + chooseInterval(next.pace, at, { ...LIMITS, fill }, response).ms;
  }
  return summarize(searches.map(({ topic }) => topic));
}

const { values } = parseArgs({ options: { seeds: { type: 'string' } } });
const seeds = values.seeds?.split(',').map(Number) ?? [...CHOSEN_SEEDS, ...FRESH_SEEDS];
const percent = ({ caught }: Figures) => `${(caught * 100).toFixed(1)} %`;
const lines = [
  [
    'seed',
    'newest',
    'hourly (960)',
    'every 15 min (3,840)',
    `adaptive (${CALLS_PER_DAY})`,
    'calls',
    'target',
    '',
    'as it likes',
    'calls',
  ],
];
const found = new Map<(typeof CASES)[number], number[]>();
for (const seed of seeds) {
  const world = createWorld(seed);
  for (const one of CASES) {
    const { target, ...limits } = one;
    const adaptive = pollAdaptively(world, limits, CALLS_PER_DAY);
    const free = pollAdaptively(world, limits, null);
    const isMet = adaptive.caught >= target && adaptive.callsPerDay <= CALLS_PER_DAY;
    found.set(one, [...(found.get(one) ?? []), adaptive.caught]);
    lines.push([
      `${seed}${CHOSEN_SEEDS.includes(seed) ? ' *' : ''}`,
      `${limits.newest} of ${limits.newest + limits.popular}`,
      percent(pollFixed(world, limits, HOUR)),
      percent(pollFixed(world, limits, 15 * MINUTE)),
      percent(adaptive),
      adaptive.callsPerDay.toFixed(0),
      `${target * 100} %`,
      isMet ? '✓' : '✗',
      percent(free),
      free.callsPerDay.toFixed(0),
    ]);
  }
}
process.stdout.write(`${aligned(lines)}\n`);
for (const [{ newest, target }, shares] of found) {
  const mean = shares.reduce((a, b) => a + b, 0) / shares.length;
  process.stdout.write(
    `mean with ${newest} newest: ${(mean * 100).toFixed(1)} %, target ${target * 100} % ${mean >= target ? '✓' : '✗'}\n`,
  );
  if (mean < target) process.exitCode = 1;
}
