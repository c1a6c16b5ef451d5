/** How busy a topic is at a time: its base rate, the hour of the day, and what stirs it. */
import { DAY, HOUR } from '../../engine/clock.ts';
import { added, type Stir } from './stir.ts';
import type { Topic } from './topic.ts';

/** The usual rate at a time, as a multiple of the base rate: the daily cycle alone. */
export function usualAt({ daily }: Topic, at: number): number {
  const hours = (at % DAY) / HOUR - daily.topHour;
  return 1 + daily.share * Math.cos((hours / 24) * 2 * Math.PI);
}

/** The rate at a time, as a multiple of the base rate. What is talked about is talked about at night too. */
export function attentionAt(topic: Topic, at: number, stirs: readonly Stir[]): number {
  let attention = usualAt(topic, at);
  for (const stir of stirs) attention += added(stir, at);
  return attention;
}

/** The share of the posts at a time that belong to a flood of spam. */
export function floodShareAt(topic: Topic, at: number, stirs: readonly Stir[]): number {
  let flood = 0;
  for (const stir of stirs) if (stir.kind === 'flood') flood += added(stir, at);
  return flood === 0 ? 0 : flood / attentionAt(topic, at, stirs);
}
