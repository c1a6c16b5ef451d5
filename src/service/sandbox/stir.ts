/**
 * What stirs attention for a topic. Stirs begin by chance, one in two to four days. Most are ripples, which
 * no client should report; three of ten are bursts, planted large enough to be worth a report. There is
 * nothing in between, so that what is to be found is known for certain.
 */
import { DAY, HOUR } from '../../engine/clock.ts';
import { type Draw, drawsOf, subkey } from './random.ts';
import type { Topic, TopicInWorld } from './topic.ts';

export type Shape = keyof typeof SHAPES;
export type Stir = {
  kind: 'ripple' | 'flood' | 'burst';
  shape: Shape;
  /** Where the shape's time is nought, in ms since 1970: its beginning, or the announced event itself. */
  origin: number;
  /** What it adds at its height, in multiples of the topic's base rate. */
  size: number;
};

/**
 * Attention at a time relative to the origin (ms), 0 to 1; when it is highest; the integrals, in hours, of
 * its best hour and its best six hours; and how many times the smallest burst the largest one is.
 */
export const SHAPES = {
  /** A headline: there at once, gone by a power law. */
  news: {
    at: (ms: number) => (ms < 0 ? 0 : (1 + ms / HOUR) ** -1.2),
    peak: 0,
    hour: 0.647,
    sixHours: 1.612,
    most: 6,
  },
  /** An announced event: rises for two days, stops when it is over. */
  scheduled: {
    at: (ms: number) => (ms < 0 ? Math.exp(ms / (10 * HOUR)) : Math.exp(-ms / HOUR)),
    peak: 0,
    hour: 0.951,
    sixHours: 4.512,
    most: 2.5,
  },
  /** Word of mouth: up and down over some days. */
  slow: {
    at: (ms: number) => (ms <= 0 ? 0 : Math.exp(-((Math.log(ms / DAY) / 0.7) ** 2) / 2)),
    peak: DAY,
    hour: 0.999,
    sixHours: 5.96,
    most: 1.4,
  },
  /** Over within two hours. */
  flash: {
    at: (ms: number) => (ms < 0 || ms > 2 * HOUR ? 0 : 1 - ms / (2 * HOUR)),
    peak: 0,
    hour: 0.75,
    sixHours: 1,
    most: 6,
  },
} as const;
/** Each as often as it stands here; most of what trends is news (Kwak 2010). */
const DRAWN = ['news', 'news', 'news', 'flash', 'flash', 'scheduled', 'scheduled', 'slow'] as const;

/** How many days before and after its origin a stir still matters. */
export const DAYS_BEFORE = 2;
export const DAYS_AFTER = 5;
/** Days without another burst before one, so that each is a thing of its own. */
const QUIET_DAYS = 4;
const BURST_SHARE = 0.3;
/** The share of ripples that are floods of spam. */
const FLOOD_SHARE = 0.25;
/** A ripple adds this much at most, in multiples of the base rate: nobody's volume doubles by it. */
const RIPPLE_MOST = 0.35;
/** A burst is half as large again as what is worth a report: twice the usual in an hour, and five posts in six. */
const MARGIN = 1.5;
export const EXTRA_POSTS = 5;
/** Posts in two minutes that a burst may add at most: ids have room for 127. */
const CELL_EXTRA_MOST = 50;

/** Tells the key of a topic's stirs from the keys of its posts. */
const STIR_PART = 0x62757273;

/** The stir whose origin lies on a day (days since 1970, UTC), if one does. */
export function stirOn(topic: TopicInWorld, day: number): Stir | undefined {
  const draw = begins(topic, day);
  if (draw === undefined) return undefined;
  const wish = draw();
  const shape = DRAWN[Math.floor(draw() * DRAWN.length)] ?? 'news';
  const origin = (day + draw()) * DAY;
  const pareto = (1 - draw()) ** (-1 / 1.5);
  if (wish < BURST_SHARE && !loudBefore(topic, day)) {
    return { kind: 'burst', shape, origin, size: burstSize(topic.topic, shape, pareto) };
  }
  const flood = draw() < FLOOD_SHARE;
  const size = Math.min(RIPPLE_MOST, 0.08 * pareto);
  return { kind: flood ? 'flood' : 'ripple', shape: flood ? 'flash' : shape, origin, size };
}

/** All stirs that can be felt on a day. */
export function stirsFelt(topic: TopicInWorld, day: number): Stir[] {
  const felt: Stir[] = [];
  for (let d = day - DAYS_AFTER; d <= day + DAYS_BEFORE; d++) {
    const stir = stirOn(topic, d);
    if (stir !== undefined) felt.push(stir);
  }
  return felt;
}

/** What a stir adds at a time, in multiples of the base rate. */
export function added(stir: Stir, at: number): number {
  return stir.size * SHAPES[stir.shape].at(at - stir.origin);
}

function begins(topic: TopicInWorld, day: number): Draw | undefined {
  const draw = drawsOf(subkey(subkey(topic.key, STIR_PART), day));
  const everyDays = 2 + 2 * (topic.key[1] / 2 ** 32);
  return draw() < 1 / everyDays ? draw : undefined;
}

/** Whether a burst wanted to begin in the days before; where two want to, the second stays a ripple. */
function loudBefore(topic: TopicInWorld, day: number): boolean {
  for (let d = day - QUIET_DAYS; d < day; d++) {
    const draw = begins(topic, d);
    if (draw !== undefined && draw() < BURST_SHARE) return true;
  }
  return false;
}

/** With Pareto's tail (exponent 1.5), cut; large enough for the quietest topic to be seen, and not too large for the busiest. */
function burstSize({ postsPerDay, daily }: Topic, shape: Shape, pareto: number): number {
  const { hour, sixHours, most: largest } = SHAPES[shape];
  const doubles = (MARGIN * (1 + daily.share)) / hour;
  const isCounted = (MARGIN * EXTRA_POSTS) / ((postsPerDay / 24) * sixHours);
  const most = (CELL_EXTRA_MOST * 720) / postsPerDay;
  return Math.max(doubles, Math.min(most, Math.max(doubles, isCounted) * Math.min(pareto, largest)));
}
