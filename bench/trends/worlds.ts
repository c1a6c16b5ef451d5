/**
 * Streams of posts with known truth: topics of the sandbox, and series of our own, both of the sandbox's factors, events and
 * process of posts. Times are milliseconds since 1970.
 */
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { TOPICS, matchTopic } from '../../src/service/sandbox/built-in-topics.ts';
import {
  computeRate,
  findManipulation,
  listPlanted,
  listPlantedBursts,
  listPlantedOthers,
  type Planted,
  type PlantedBurst,
} from '../../src/service/sandbox/planted-events.ts';
import { drawCascades, listPostTimes, type PostProcess } from '../../src/service/sandbox/post-times.ts';
import { createDraw, deriveKey, hashKey } from '../../src/service/sandbox/random.ts';
import { computeUsualRate, type LongChange, type Rhythm } from '../../src/service/sandbox/usual-volume.ts';
import type { Voice } from '../../src/store/volume/voices.ts';
import { START } from '../stage.ts';
import { promptOf } from '../sandbox/plan.ts';
import { listNeutral, type Watched } from '../sandbox/score.ts';

export type Stream = {
  name: string;
  postsPerDay: number;
  from: number;
  until: number;
  times: Float64Array;
  /** Who wrote a post, and which text, by its index. */
  voiceOf?: (post: number) => Pick<Voice, 'author' | 'text'>;
  bursts: Watched['bursts'];
  neutral: Watched['neutral'];
  /** True posts in the quarter of an hour that begins at a time without bursts; the oracle knows ripples, floods and campaigns. */
  expected: (at: number) => number;
  /** True relative variance of hours beyond chance, and variance of counts relative to their mean. */
  dispersion: number;
  clumping: number;
};

/** How much more than a Poisson process a topic varies. */
function describeVariance({ noise, branching }: Rhythm['habits']): Pick<Stream, 'dispersion' | 'clumping'> {
  return { dispersion: Math.exp(noise ** 2) - 1, clumping: 1 / (1 - branching) ** 2 };
}

const QUARTER_HOURS = 1 / 4;

/** Topics of the sandbox with at least so many posts a day: when posts appear, without writing them. */
export function simulateTopics(seed: string, days: number, atLeast: number): Stream[] {
  const until = START.getTime();
  const from = until - days * DAY;
  return TOPICS.filter(({ postsPerDay }) => postsPerDay >= atLeast).map((topic) => {
    const inWorld = matchTopic(seed, promptOf(topic));
    const plantedByDay = new Map<number, Planted>();
    const plantedAt = (at: number) => {
      const day = Math.floor(at / DAY);
      const planted = plantedByDay.get(day) ?? listPlanted(inWorld, day);
      plantedByDay.set(day, planted);
      return planted;
    };
    const { postsPerDay, habits } = topic;
    const perHour = (at: number) => (postsPerDay / 24) * computeRate(topic, at, plantedAt(at));
    const times = drawTimes({ ...habits, key: inWorld.key, perHour }, from, until);
    return {
      name: `${seed} ${topic.slug}`,
      postsPerDay,
      from,
      until,
      times,
      voiceOf: (post) => {
        const manipulation = findManipulation(topic, times[post] ?? 0, plantedAt(times[post] ?? 0));
        const isPart =
          manipulation !== undefined && createDraw(deriveKey(inWorld.key, post))() < manipulation.share;
        const kind = isPart ? manipulation.event.kind : null;
        return { author: kind === 'flood' ? -1n : BigInt(post), text: kind === 'campaign' ? kind : null };
      },
      bursts: listPlantedBursts(inWorld, from, until),
      neutral: listNeutral(listPlantedOthers(inWorld, from, until)),
      expected: (at) => {
        const { events, changes } = plantedAt(at);
        const known = events.filter(({ kind }) => kind !== 'burst' && kind !== 'ambiguous');
        return (
          (QUARTER_HOURS * postsPerDay * computeRate(topic, at + 7.5 * MINUTE, { events: known, changes })) /
          24
        );
      },
      ...describeVariance(habits),
    };
  });
}

/** Ascending. Nothing appears while the rate is zero, nor what earlier posts bring. */
function drawTimes(process: PostProcess, from: number, until: number): Float64Array {
  const roots = new Map<number, number[]>();
  const listRoots = (hour: number) => {
    const known = roots.get(hour) ?? drawCascades(process, hour);
    roots.set(hour, known);
    return known;
  };
  const times: number[] = [];
  for (let hour = Math.floor(from / HOUR); hour < until / HOUR; hour += 1)
    times.push(...listPostTimes(process, hour, listRoots));
  return Float64Array.from(times.filter((at) => at >= from && at < until && process.perHour(at) > 0));
}

/** A series of our own: times are relative to its start, a Monday. */
type OwnSeries = {
  days: number;
  share?: number;
  habits?: Partial<Rhythm['habits']>;
  changes?: readonly LongChange[];
  /** From one time to another, so many times the usual. */
  bursts?: readonly { from: number; until: number; factor: number }[];
};

const OWN_START = Date.UTC(2026, 9, 5);

/** Draws a series with so many posts on an average day. */
export function drawStream(name: string, seed: string, perDay: number): Stream {
  const own = OWN_SERIES[name];
  if (own === undefined) throw new Error(`no such series: ${name}`);
  const { days, share = 0.6, changes = [], bursts = [] } = own;
  const habits = {
    weekend: 1,
    holiday: 1,
    noise: 0,
    branching: 0,
    manipulated: false,
    changes: [],
    ...own.habits,
  };
  const rhythm: Rhythm = { daily: { share, topHour: 14 }, habits };
  const from = OWN_START;
  const until = from + days * DAY;
  const shifted = changes.map((one) => ({ ...one, from: from + one.from, until: from + one.until }));
  const usual = (at: number) => (perDay / 24) * computeUsualRate(rhythm, at, shifted);
  const isDuring = (at: number, one: { from: number; until: number }) =>
    at - from >= one.from && at - from < one.until;
  const process = {
    ...habits,
    key: hashKey(`${seed} ${name} ${perDay}`),
    perHour: (at: number) => usual(at) * (bursts.find((one) => isDuring(at, one))?.factor ?? 1),
  };
  return {
    name,
    postsPerDay: perDay,
    from,
    until,
    times: drawTimes(process, from, until),
    bursts: bursts.map(
      (burst): PlantedBurst => ({
        shape: 'flash',
        direction: 'up',
        onset: from + burst.from,
        peak: from + burst.from,
        end: from + burst.until,
        size: burst.factor - 1,
        extraPosts: Number.NaN,
        extraPostsSixHours: Number.NaN,
      }),
    ),
    neutral: listNeutral([]),
    expected: (at) => usual(at + 7.5 * MINUTE) * QUARTER_HOURS,
    ...describeVariance(habits),
  };
}

const change = (kind: LongChange['kind'], fromDay: number, untilDay: number, factor: number): LongChange => ({
  kind,
  from: fromDay * DAY,
  until: untilDay * DAY,
  factor,
});

/** Series that decide whether somebody is alarmed for nothing, or not alarmed. The clocks go back on day 20. */
export const OWN_SERIES: Readonly<Record<string, OwnSeries>> = {
  quiet: { days: 35 },
  bursts: {
    days: 35,
    bursts: [
      { from: 20.6 * DAY, until: 20.6 * DAY + 4 * HOUR, factor: 8 },
      { from: 28.3 * DAY, until: 28.3 * DAY + 8 * HOUR, factor: 3 },
    ],
  },
  noise: { days: 35, habits: { noise: 0.5 } },
  cascades: { days: 35, habits: { branching: 0.5 } },
  'long cascades': { days: 35, habits: { branching: 0.7 } },
  business: { days: 35, share: 0.95, habits: { weekend: 0.2 } },
  thursdays: { days: 35, habits: { show: { weekday: 4, hour: 20, hours: 2, factor: 8 } } },
  drift: { days: 40, changes: [change('drift', 16, 56, 1.1 ** 20)] },
  level: { days: 35, changes: [change('level', 18.5, 35, 3)] },
  silence: { days: 35, changes: [change('silence', 18, 23, 0)] },
  holidays: { days: 45, changes: [change('level', 18, 28, 0.3)] },
};
