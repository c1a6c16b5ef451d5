/**
 * When posts appear: a Poisson process whose rate varies by the hour beyond what is usual, and in which posts bring others.
 * Every hour depends only on the key and its number. Pure; times are milliseconds since 1970.
 */
import { HOUR, MINUTE } from '../../lib/time.ts';
import { createDraw, deriveKey, type Draw, drawNormal, drawPoisson, type Key } from './random.ts';

/** The rate is constant for two minutes. */
export const POST_CELL_MS = 2 * MINUTE;
const CELLS_PER_HOUR = HOUR / POST_CELL_MS;

export type PostProcess = {
  key: Key;
  /** Expected posts per hour at a time, offspring included. */
  perHour: (at: number) => number;
  /** Sigma of log-normal noise, drawn for each hour; its mean is 1. */
  noise: number;
  /** Each post brings so many others on average, below 1: a Hawkes process. */
  branching: number;
};

/** Mean delay of a post after the one that brought it, and how long a cascade can last. */
const OFFSPRING_DELAY_MS = 30 * MINUTE;
const CASCADE_HOURS = 6;

/** Separates the keys of the noise and of the first posts from those of whole posts. */
const NOISE_KEY_PART = 0x6e6f6973;
const ROOTS_KEY_PART = 0x726f6f74;

/**
 * The times of an hour (hours since 1970), ascending.
 * @param listRoots {@link drawCascades} of the process, with a cache: cascades of the hours before reach into this one
 */
export function listPostTimes(
  { branching }: Pick<PostProcess, 'branching'>,
  hour: number,
  listRoots: (hour: number) => readonly number[],
): number[] {
  const [from, until] = [hour * HOUR, (hour + 1) * HOUR];
  const times: number[] = [];
  for (let first = branching > 0 ? hour - CASCADE_HOURS + 1 : hour; first <= hour; first += 1)
    for (const at of listRoots(first)) if (at >= from && at < until) times.push(at);
  return times.sort((a, b) => a - b);
}

/** The posts that appear in an hour without being brought by others, and all that these bring. */
export function drawCascades({ key, perHour, noise, branching }: PostProcess, hour: number): number[] {
  const draw = createDraw(deriveKey(deriveKey(key, ROOTS_KEY_PART), hour));
  const last = (hour + CASCADE_HOURS) * HOUR;
  const times: number[] = [];
  const add = (at: number): void => {
    times.push(Math.floor(at));
    if (branching === 0) return;
    // A geometric number of others, with the mean `branching`.
    while (draw() < branching / (1 + branching)) {
      const next = at - OFFSPRING_DELAY_MS * Math.log(1 - draw());
      if (next < last) add(next);
    }
  };
  for (let cell = 0; cell < CELLS_PER_HOUR; cell += 1) {
    const start = hour * HOUR + cell * POST_CELL_MS;
    const middle = start + POST_CELL_MS / 2;
    const mean = (perHour(middle) * drawNoise(key, noise, middle) * (1 - branching)) / CELLS_PER_HOUR;
    for (let n = drawLargePoisson(draw, mean); n > 0; n -= 1) add(start + draw() * POST_CELL_MS);
  }
  return times;
}

/** The factor of an hour. It does not begin with hours of the clock. */
function drawNoise(key: Key, sigma: number, at: number): number {
  if (sigma === 0) return 1;
  const hour = Math.floor((at + (key[1] % HOUR)) / HOUR);
  const draw = createDraw(deriveKey(deriveKey(key, NOISE_KEY_PART), hour));
  return Math.exp(sigma * drawNormal(draw) - sigma ** 2 / 2);
}

/** For any mean: the sum of several smaller draws. */
function drawLargePoisson(draw: Draw, mean: number): number {
  let count = 0;
  for (let rest = mean; rest > 0; rest -= 50) count += drawPoisson(draw, Math.min(rest, 50), 200);
  return count;
}
