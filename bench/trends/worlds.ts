/** Streams of posts with known truth: topics of the sandbox, and series of our own. Times are milliseconds since 1970. */
import { DAY, HOUR, MINUTE } from '../../src/domain/time.ts';
import { TOPICS, matchTopic } from '../../src/service/sandbox/built-in-topics.ts';
import { computeUsualPerHour, listPlantedBursts } from '../../src/service/sandbox/planted-events.ts';
import { createSeedStore } from '../../src/service/sandbox/post-seeds.ts';
import { createDraw, drawNormal, hashKey } from '../../src/service/sandbox/random.ts';
import { START } from '../stage.ts';
import { promptOf } from '../sandbox/plan.ts';
import type { Watched } from '../sandbox/score.ts';

export type Stream = {
  name: string;
  postsPerDay: number;
  from: number;
  until: number;
  times: Float64Array;
  bursts: Watched['bursts'];
  /** True usual posts in the quarter of an hour that begins at a time. */
  expected: (at: number) => number;
};

const QUARTER_HOURS = 1 / 4;

/** Topics of the sandbox with at least so many posts a day. */
export function simulateTopics(seed: string, days: number, atLeast: number): Stream[] {
  const until = START.getTime();
  const from = until - days * DAY;
  return TOPICS.filter(({ postsPerDay }) => postsPerDay >= atLeast).map((topic) => {
    const inWorld = matchTopic(seed, promptOf(topic));
    const store = createSeedStore(10_000);
    const times: number[] = [];
    for (let day = from; day < until; day += DAY)
      for (const { at } of store.within(inWorld, day, day + DAY - 1)) times.push(at);
    return {
      name: `${seed} ${topic.slug}`,
      postsPerDay: topic.postsPerDay,
      from,
      until,
      times: Float64Array.from(times).sort(),
      bursts: listPlantedBursts(inWorld, from, until),
      expected: (at) => computeUsualPerHour(inWorld, at + 7.5 * MINUTE) * QUARTER_HOURS,
    };
  });
}

type Shape = {
  /** Days, and posts on an average day. */
  days: number;
  perDay: number;
  /** Rate at a time after the start, in multiples of the average; without noise. */
  rate: (ms: number) => number;
  /** Sigma of log-normal noise, drawn for each hour; its mean is one. */
  noise?: number;
  /** Each post brings so many others on average, within half an hour or so. */
  branching?: number;
  bursts?: readonly { from: number; until: number }[];
};

/** Amplitude of the daily cycle of our own series. */
const DAILY = 0.6;
export const daily = (ms: number): number => 1 + DAILY * Math.cos(((ms % DAY) / DAY - 0.6) * 2 * Math.PI);

export function drawStream(name: string, seed: string, shape: Shape): Stream {
  const draw = createDraw(hashKey(`${seed} ${name}`));
  const from = Date.UTC(2026, 8, 7);
  const until = from + shape.days * DAY;
  const { noise = 0, branching = 0 } = shape;
  const perMinute = shape.perDay / 1_440;
  const times: number[] = [];
  let hourly = 1;
  for (let at = 0; at < shape.days * DAY; at += MINUTE) {
    if (at % HOUR === 0) hourly = Math.exp(noise * drawNormal(draw) - noise ** 2 / 2);
    const mean = perMinute * shape.rate(at) * hourly * (1 - branching);
    // Waiting times, because a minute may have hundreds.
    for (let t = -Math.log(1 - draw()) / mean; t < 1; t += -Math.log(1 - draw()) / mean)
      addWithOffspring(from + at + t * MINUTE);
  }
  function addWithOffspring(at: number): void {
    times.push(at);
    // A geometric number of others, with the mean `branching`.
    while (draw() < branching / (1 + branching)) addWithOffspring(at - 30 * MINUTE * Math.log(1 - draw()));
  }
  return {
    name,
    postsPerDay: shape.perDay,
    from,
    until,
    times: Float64Array.from(times.filter((at) => at < until)).sort(),
    bursts: (shape.bursts ?? []).map(({ from: onset, until: end }) => ({
      shape: 'flash',
      direction: 'up',
      onset: from + onset,
      peak: from + onset,
      end: from + end,
      size: 0,
      extraPosts: 0,
      extraPostsSixHours: 0,
    })),
    expected: (at) => perMinute * 15 * shape.rate(at - from),
  };
}

const between = (ms: number, from: number, until: number) => ms >= from && ms < until;
const isThursdayShow = (ms: number) =>
  Math.floor(ms / DAY) % 7 === 3 && between(ms % DAY, 20 * HOUR, 22 * HOUR);

/** Series that decide whether somebody is alarmed for nothing, or not alarmed. 35 days, from a Monday. */
export const OWN_SERIES: Readonly<Record<string, Omit<Shape, 'perDay'>>> = {
  quiet: { days: 35, rate: daily },
  bursts: {
    days: 35,
    rate: (ms) =>
      daily(ms) *
      (between(ms, 20.6 * DAY, 20.6 * DAY + 4 * HOUR) ? 8 : 1) *
      (between(ms, 28.3 * DAY, 28.3 * DAY + 8 * HOUR) ? 3 : 1),
    bursts: [
      { from: 20.6 * DAY, until: 20.6 * DAY + 4 * HOUR },
      { from: 28.3 * DAY, until: 28.3 * DAY + 8 * HOUR },
    ],
  },
  noise: { days: 35, rate: daily, noise: 0.5 },
  cascades: { days: 35, rate: daily, branching: 0.5 },
  business: {
    days: 35,
    rate: (ms) =>
      (Math.floor(ms / DAY) % 7 > 4 ? 0.2 : 1) * (between(ms % DAY, 8 * HOUR, 18 * HOUR) ? 2.4 : 0.02),
  },
  thursdays: { days: 35, rate: (ms) => daily(ms) * (isThursdayShow(ms) ? 8 : 1) },
  drift: {
    days: 40,
    rate: (ms) => daily(ms) * 1.1 ** Math.max(0, Math.min(20, ms / DAY - 16)),
  },
  level: { days: 35, rate: (ms) => daily(ms) * (ms > 18.5 * DAY ? 3 : 1) },
  silence: { days: 35, rate: (ms) => (between(ms, 18 * DAY, 23 * DAY) ? 1e-9 : daily(ms)) },
  holidays: { days: 45, rate: (ms) => daily(ms) * (between(ms, 18 * DAY, 28 * DAY) ? 0.3 : 1) },
  clock: { days: 35, rate: (ms) => daily(ms > 18 * DAY ? ms + HOUR : ms) ** 3 / 1.54 },
};
