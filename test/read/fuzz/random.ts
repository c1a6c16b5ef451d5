/** Chance that can be had again: the same seed gives the same answers, on any machine. */
export type Chance = {
  /** A whole number from 0 to below `n`. */
  below(n: number): number;
  /** One of them. */
  of<T>(things: readonly T[]): T;
  /** True once in so many times. */
  onceIn(times: number): boolean;
};

/** Mulberry32, begun at a place that both numbers decide. */
export function chanceOf(seed: number, n: number): Chance {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    of: (things) => {
      const thing = things[below(things.length)];
      if (thing === undefined) throw new Error('nothing to choose from');
      return thing;
    },
    onceIn: (times) => below(times) === 0,
  };
}
