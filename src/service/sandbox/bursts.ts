/** Planted bursts as truth: when a report of one is right, and what it is expected to add. Pure. */
import { DAY, HOUR, MINUTE } from '../../engine/clock.ts';
import { usualAt } from './rate.ts';
import {
  added,
  DAYS_AFTER,
  DAYS_BEFORE,
  EXTRA_POSTS,
  SHAPES,
  type Shape,
  type Stir,
  stirOn,
} from './stir.ts';
import type { TopicInWorld } from './topic.ts';

/** A burst worth a report. Times in ms since 1970. */
export type TrueBurst = {
  shape: Shape;
  direction: 'up';
  /**
   * From here on a report is right: the next six hours are expected to hold five posts more than usual, and
   * twice as many as usual. Not before its origin where it comes at once (news, flash).
   */
  onset: number;
  peak: number;
  /** Until here it adds half of the usual rate or more. */
  end: number;
  /** What it adds at its peak, in multiples of the base rate. */
  size: number;
  /** Posts that it adds in all, and in the six hours from its onset: expected values. */
  extraPosts: number;
  extraPostsSixHours: number;
};

const STEP_MS = 10 * MINUTE;
const LOOK_MS = 6 * HOUR;

/** The planted bursts whose onset lies in `from <= onset < to`, in the order of their onsets. */
export function burstsBetween(topic: TopicInWorld, from: number, to: number): TrueBurst[] {
  const bursts: TrueBurst[] = [];
  for (let day = Math.floor(from / DAY) - 1; day <= Math.floor(to / DAY) + DAYS_BEFORE; day++) {
    const stir = stirOn(topic, day);
    const burst = stir?.kind === 'burst' ? burstOf(topic, stir) : undefined;
    if (burst !== undefined && burst.onset >= from && burst.onset < to) bursts.push(burst);
  }
  return bursts.sort((a, b) => a.onset - b.onset);
}

/** Posts an hour that are expected at a time without any stir. */
export function usualPerHour({ topic }: TopicInWorld, at: number): number {
  return (topic.postsPerDay / 24) * usualAt(topic, at);
}

/** Posts that a stir is expected to add within a span. */
function extraWithin({ topic }: TopicInWorld, stir: Stir, from: number, to: number): number {
  return summed((at) => (topic.postsPerDay / 24) * added(stir, at), from, to);
}

/** @returns undefined for a stir that is not worth a report at any time */
export function burstOf(topic: TopicInWorld, stir: Stir): TrueBurst | undefined {
  const { sixHours, peak } = SHAPES[stir.shape];
  // What its best six hours cannot hold, or double, need not be looked for.
  const most = 1.01 * stir.size * sixHours;
  if ((most * topic.topic.postsPerDay) / 24 < EXTRA_POSTS) return undefined;
  if (most < sixHours * (1 - topic.topic.daily.share)) return undefined;
  const instant = stir.shape === 'news' || stir.shape === 'flash';
  const begin = instant ? stir.origin : stir.origin - DAYS_BEFORE * DAY;
  const last = stir.origin + DAYS_AFTER * DAY;
  for (let onset = begin; onset <= (instant ? begin : last); onset += STEP_MS) {
    const extra = extraWithin(topic, stir, onset, onset + LOOK_MS);
    if (extra < EXTRA_POSTS || extra < needed(topic, stir, onset)) continue;
    const usual = (at: number) => usualAt(topic.topic, at);
    let end = last;
    while (end > onset && added(stir, end) < usual(end) / 2) end -= STEP_MS;
    return {
      shape: stir.shape,
      direction: 'up',
      onset,
      peak: stir.origin + peak,
      end,
      size: stir.size,
      extraPosts: extraWithin(topic, stir, begin, last),
      extraPostsSixHours: extra,
    };
  }
  return undefined;
}

/** To double the volume: of six hours for what lasts, of its best hour for what comes at once and goes. */
function needed(topic: TopicInWorld, stir: Stir, onset: number): number {
  const usual = (from: number, to: number) => summed((at) => usualPerHour(topic, at), from, to);
  if (stir.shape === 'scheduled' || stir.shape === 'slow') return usual(onset, onset + LOOK_MS);
  const doubled = extraWithin(topic, stir, onset, onset + HOUR) >= usual(onset, onset + HOUR);
  return doubled ? 0 : Number.POSITIVE_INFINITY;
}

/** The integral over time of something an hour. */
function summed(perHour: (at: number) => number, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += STEP_MS) {
    const step = Math.min(STEP_MS, to - at);
    sum += (perHour(at + step / 2) * step) / HOUR;
  }
  return sum;
}
