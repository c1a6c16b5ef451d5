/**
 * How busy a topic is at a time: its base rate, the hour of the day, and bursts of attention. A burst
 * begins by chance (once in a few days), has one of four shapes and a size with a heavy tail.
 */
import { DAY, HOUR } from '../../engine/clock.ts';
import { drawsOf, subkey } from './random.ts';
import type { TopicInWorld } from './topic.ts';

export type Burst = { shape: keyof typeof SHAPES; onset: number; size: number };

/** Attention at a time relative to the onset (ms), 0 to 1. */
const SHAPES = {
  /** A headline: there at once, gone by a power law. */
  news: (ms: number) => (ms < 0 ? 0 : (1 + ms / HOUR) ** -1.2),
  /** An announced event: rises for two days, stops when it is over. */
  scheduled: (ms: number) => (ms < 0 ? Math.exp(ms / (10 * HOUR)) : Math.exp(-ms / HOUR)),
  /** Word of mouth: up and down over some days. */
  slow: (ms: number) => (ms <= 0 ? 0 : Math.exp(-((Math.log(ms / DAY) / 0.7) ** 2) / 2)),
  /** Over within two hours. */
  flash: (ms: number) => (ms < 0 || ms > 2 * HOUR ? 0 : 1 - ms / (2 * HOUR)),
} as const;
const SHAPE_NAMES = ['news', 'scheduled', 'slow', 'flash'] as const;

/** How many days before and after its onset a burst still matters. */
const DAYS_BEFORE = 2;
const DAYS_AFTER = 5;

/** Tells the key of a topic's bursts from the keys of its cells. */
const BURST_PART = 0x62757273;

/** The burst that begins on a day (days since 1970, UTC), if one does. */
export function burstOf({ topic, key }: TopicInWorld, day: number): Burst | undefined {
  const draw = drawsOf(subkey(subkey(key, BURST_PART), day));
  if (draw() >= 1 / topic.bursts.everyDays) return undefined;
  const shape = SHAPE_NAMES[Math.floor(draw() * SHAPE_NAMES.length)] ?? 'news';
  const onset = (day + draw()) * DAY;
  // Pareto with exponent 1.5, cut at the topic's most.
  const size = Math.min(topic.bursts.most, 0.5 * (1 - draw()) ** (-1 / 1.5));
  return { shape, onset, size };
}

/** All bursts that can be felt on a day. */
export function burstsFelt(topic: TopicInWorld, day: number): Burst[] {
  const felt: Burst[] = [];
  for (let d = day - DAYS_AFTER; d <= day + DAYS_BEFORE; d++) {
    const burst = burstOf(topic, d);
    if (burst !== undefined) felt.push(burst);
  }
  return felt;
}

/** The topic's rate at a time, as a multiple of its base rate. */
export function attentionAt({ topic }: TopicInWorld, at: number, bursts: readonly Burst[]): number {
  const hours = (at % DAY) / HOUR - topic.daily.topHour;
  const daily = 1 + topic.daily.share * Math.cos((hours / 24) * 2 * Math.PI);
  let extra = 0;
  for (const burst of bursts) extra += burst.size * SHAPES[burst.shape](at - burst.onset);
  return daily * (1 + Math.min(extra, 2 * topic.bursts.most));
}
