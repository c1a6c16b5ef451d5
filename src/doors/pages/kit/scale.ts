/** Where things stand on a chart: pure. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../engine/clock.ts';
import { offsetAt } from '../../../monitor/schedule/zone.ts';
import { dayOf, timeOfDay, timeToSecond } from './zone.ts';

/**
 * The round number at which an axis ends: 1, 2, 3, 4, 5, 6, 8 or 10 times a power of ten. Its half is a whole number
 * too, for what is counted has no fractions.
 */
export function roundTop(most: number): number {
  if (!(most > 0)) return 2;
  if (most <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= most) ?? 10;
  const top = step * power;
  return top < 10 && top % 2 === 1 ? top + 1 : top;
}

const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  91 * DAY,
];
/** 5 January 1970 was a Monday: steps of weeks begin on one. */
const MONDAY = 4 * DAY;
const MOST_TICKS = 7;

export type Tick = { at: number; words: string };

/** Moments to name below a chart, round ones in its zone, seven at most; no two in turn have the same words. */
export function ticksOf(from: number, until: number, zone: string): Tick[] {
  const step = STEPS.find((one) => (until - from) / one <= MOST_TICKS) ?? (until - from) / MOST_TICKS;
  const timeOf = step < MINUTE ? timeToSecond : timeOfDay;
  const shift = step >= 7 * DAY ? MONDAY : 0;
  const ticks: Tick[] = [];
  const begin = from + offsetAt(zone, from);
  for (let local = Math.ceil((begin - shift) / step) * step + shift; ; local += step) {
    const at = local - offsetAt(zone, local - offsetAt(zone, from));
    if (at > until) return ticks;
    const say = step >= DAY || local % DAY === 0 ? dayOf : timeOf;
    ticks.push({ at, words: say(new Date(at), zone) });
  }
}

/** Share of a span as SVG says it: `12.3%`. */
export function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 10_000) / 100}%`;
}
