/**
 * Randomness as a pure function of a key. Every entity of the simulation (a post, an author, a burst) has its own key
 * and stream, so each can be generated independently, in any order, with the same result. There is no shared stream.
 */

import { mixBits } from '../../lib/mix-bits.ts';

/** 64 bits as two unsigned 32-bit halves, which JavaScript handles fast. */
export type Key = readonly [high: number, low: number];

/** The next number of a stream, uniform in [0, 1). */
export type Draw = () => number;

/** The key of a text: two FNV-1a hashes with different starts. */
export function hashKey(text: string): Key {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca77);
  }
  return [mixBits(high) >>> 0, mixBits(low) >>> 0];
}

/** Derives the key of a part: cell 17 of this topic, post 3 of this cell. */
export function deriveKey([high, low]: Key, part: number): Key {
  const first = mixBits(low ^ Math.imul(part | 0, 0x9e3779b1));
  const second = mixBits(high ^ first ^ Math.imul(Math.floor(part / 2 ** 32) + 1, 0x85ebca6b));
  return [second >>> 0, mixBits(first + second + 0x632be5ab) >>> 0];
}

/** The stream of a key: xoroshiro64**, by Blackman and Vigna. */
export function createDraw([high, low]: Key): Draw {
  let s0 = high | 0;
  let s1 = low | 1; // never all zero
  return () => {
    const mixed = Math.imul(rotateBits(Math.imul(s0, 0x9e3779bb), 5), 5) >>> 0;
    s1 ^= s0;
    s0 = rotateBits(s0, 26) ^ s1 ^ (s1 << 9);
    s1 = rotateBits(s1, 13);
    return mixed / 2 ** 32;
  };
}

function rotateBits(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** A draw from the standard normal distribution (Box and Muller). */
export function drawNormal(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

/** A draw from a log-normal distribution, given by its median and the sigma of its logarithm. */
export function drawLogNormal(draw: Draw, median: number, sigma: number): number {
  return median * Math.exp(sigma * drawNormal(draw));
}

/** Number of events of a Poisson process, by inversion of one uniform draw; `mean` well below 100. */
export function drawPoisson(draw: Draw, mean: number, most: number): number {
  let chance = Math.exp(-mean);
  let rest = draw() - chance;
  let count = 0;
  while (rest >= 0 && count < most) {
    count += 1;
    chance *= mean / count;
    rest -= chance;
  }
  return count;
}

/** A uniformly chosen element. */
export function pickOne<T>(draw: Draw, list: readonly T[]): T {
  const chosen = list[Math.floor(draw() * list.length)];
  if (chosen === undefined) throw new RangeError('pick: the list is empty');
  return chosen;
}
