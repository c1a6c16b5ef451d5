/**
 * When posts appear, and what each of them will become: the small part of a post that can be known
 * without writing it. Time is cut into hours; what is in an hour depends on the topic's key and the hour's
 * number only, so any window can be made alone, and the past never changes.
 */
import { DAY, HOUR, MINUTE } from '../../engine/clock.ts';
import { authorNumber, followersEver } from './author.ts';
import { type Draw, drawsOf, type Key, logNormal, normal, poisson, subkey } from './random.ts';
import { attentionAt, floodShareAt } from './rate.ts';
import { type Kind, type Role, roleOf } from './role.ts';
import { type Stir, stirsFelt } from './stir.ts';
import type { TopicInWorld } from './topic.ts';

/** The rate is taken as constant for two minutes; a post's id holds its place within them. */
const CELL_MS = 2 * MINUTE;
const CELLS = HOUR / CELL_MS;
/** Ids have seven bits for the place in a cell. */
const CELL_MOST = 127;
/** Before this nothing was ever posted: 2020-01-01. Every id after it has 19 digits. */
export const BEGINNING = 1_577_836_800_000;
/** A reply, quote or repost comes at most this long after what it refers to. */
export const REFERENCE_REACH_MS = 12 * HOUR;
/** One post in a hundred is deleted, half of these within six hours. */
const DELETED_SHARE = 0.01;
/** One in two hundred carries the time of a clock that is fast by up to five minutes. */
const SKEWED_SHARE = 0.005;
const SKEW_MOST_MS = 5 * MINUTE;
/** Among how many of the latest posts somebody chooses what to refer to. */
const LATELY = 8;
/** More posts in one hour than any topic can have. */
const HOUR_MOST = CELLS * (CELL_MOST + 1);

/** A post before it is written. */
export type PostSeed = {
  /** A number that no other post of the topic has, in the order of hours. */
  number: number;
  /** Place in its two minutes, from 0. */
  place: number;
  /** When it appears, in ms since 1970. */
  at: number;
  /** How far its author's clock is ahead: `created_at` says so much more than `at`. Mostly 0. */
  skew: number;
  /** When it is deleted; from then on no answer holds it. Infinite for most. */
  goneAt: number;
  key: Key;
  author: number;
  /** What it wants to be; without anything to refer to it becomes an original. */
  wish: Kind;
  role: Role;
  /** Views it will have in the end, and how fast it gets there (1 is usual). */
  views: number;
  haste: number;
};

/** The posts of topics; remembers the hours that it made lately. */
export type SeedStore = {
  /** The posts of an hour (hours since 1970), oldest first, deleted ones included. */
  hour(topic: TopicInWorld, number: number): readonly PostSeed[];
  /** Posts with `from <= at <= to`, oldest first, deleted ones included. */
  within(topic: TopicInWorld, from: number, to: number): PostSeed[];
  /** What a post replies to, quotes, repeats or copies; undefined for all others. */
  reference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined;
};

/** @param remembered about how many posts to keep in memory; one takes about 200 bytes, its text as much again */
export function createSeedStore(remembered = 150_000): SeedStore {
  const known = new Map<string, Map<number, readonly PostSeed[]>>();
  let held = 0;
  const references = new WeakMap<PostSeed, { seed: PostSeed | undefined }>();

  function hour(topic: TopicInWorld, number: number): readonly PostSeed[] {
    const name = `${topic.key[0]}.${topic.key[1]}`;
    let hours = known.get(name);
    if (hours === undefined) known.set(name, (hours = new Map()));
    const there = hours.get(number);
    if (there !== undefined) return there;
    const made = makeHour(topic, number, stirsFelt(topic, Math.floor((number * HOUR) / DAY)));
    held += made.length + 1;
    if (held > remembered) forget();
    hours.set(number, made);
    return made;
  }

  /** Of each topic the older half of what was made goes, in the order in which it was made. */
  function forget(): void {
    for (const hours of known.values()) {
      let surplus = hours.size >> 1;
      for (const [number, posts] of hours) {
        if (surplus-- <= 0) break;
        held -= posts.length + 1;
        hours.delete(number);
      }
    }
  }

  function within(topic: TopicInWorld, from: number, to: number): PostSeed[] {
    const found: PostSeed[] = [];
    const last = Math.floor(to / HOUR);
    for (let number = Math.floor(Math.max(from, BEGINNING) / HOUR); number <= last; number++) {
      const there = hour(topic, number);
      const end = countUntil(there, to);
      for (let i = countUntil(there, from - 1); i < end; i++) found.push(there[i] as PostSeed); // i < length
    }
    return found;
  }

  function reference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined {
    if (seed.wish === 'original' && seed.role !== 'copy') return undefined;
    let found = references.get(seed);
    if (found === undefined) references.set(seed, (found = { seed: findReference(topic, seed) }));
    return found.seed;
  }

  function findReference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined {
    const draw = drawsOf(subkey(seed.key, 1));
    const lag = Math.min(logNormal(draw, 25 * MINUTE, 1.3), REFERENCE_REACH_MS);
    const latest = seed.at - Math.max(lag, 1_000);
    const oldest = seed.at - REFERENCE_REACH_MS;
    const first = Math.floor(Math.max(oldest, BEGINNING) / HOUR);
    for (let number = Math.floor(latest / HOUR); number >= first; number--) {
      const there = hour(topic, number);
      const end = countUntil(there, latest);
      const last = there.slice(Math.max(end - LATELY, 0), end).filter(({ at }) => at >= oldest);
      if (last.length === 0) continue;
      // Mostly to what is seen most of the last few, at times to any of them.
      const one = draw() < 0.7 ? mostSeen(last) : last[Math.floor(draw() * last.length)];
      // Nobody refers to a repost; they refer to what it repeats.
      return one?.wish === 'repost' ? (reference(topic, one) ?? one) : one;
    }
    return undefined;
  }

  return { hour, within, reference };
}

function makeHour(topic: TopicInWorld, number: number, stirs: readonly Stir[]): readonly PostSeed[] {
  const start = number * HOUR;
  if (start < BEGINNING) return [];
  const key = subkey(topic.key, number);
  const draw = drawsOf(key);
  const means: number[] = [];
  let mean = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    const at = start + (cell + 0.5) * CELL_MS;
    mean += (topic.topic.postsPerDay * CELL_MS * attentionAt(topic.topic, at, stirs)) / DAY;
    means.push(mean);
  }
  const count = Math.min(HOUR_MOST, poissonOf(draw, mean));
  const places: number[] = means.map(() => 0);
  const seeds: PostSeed[] = [];
  for (let i = 0; i < count; i++) {
    const wanted = draw() * mean;
    const cell = means.findIndex((sum) => wanted < sum);
    const place = places[cell] ?? 0;
    if (place > CELL_MOST) continue;
    places[cell] = place + 1;
    const at = start + cell * CELL_MS + Math.floor(draw() * CELL_MS);
    const flood = floodShareAt(topic.topic, at, stirs);
    seeds.push(
      makeSeed(topic, { number: number * HOUR_MOST + i, place, at, key: subkey(key, i + 1), flood }),
    );
  }
  return seeds.sort((a, b) => a.at - b.at || a.place - b.place);
}

function makeSeed(
  topic: TopicInWorld,
  one: Pick<PostSeed, 'number' | 'place' | 'at' | 'key'> & { flood: number },
): PostSeed {
  const { flood, ...placed } = one;
  const draw = drawsOf(placed.key);
  const chance = draw();
  const wish = chance < 0.3 ? 'reply' : chance < 0.5 ? 'repost' : chance < 0.55 ? 'quote' : 'original';
  const role = roleOf(placed.key, wish, flood);
  // Spam comes from a handful of accounts.
  const author = role === 'spam' ? Math.floor(draw() * 5) : authorNumber(draw, topic.key);
  // Views: followers, a share of them that looks, and a heavy-tailed fan-out; a repost gets few of its own.
  const share = (wish === 'repost' ? 0.02 : 0.15) * (0.2 + draw());
  const views = 4 + Math.floor(followersEver(author) * share * logNormal(draw, 1, 1.2));
  const haste = Math.exp(0.22 * normal(draw));
  const goneAt = draw() < DELETED_SHARE ? placed.at + logNormal(draw, 6 * HOUR, 1) : Number.POSITIVE_INFINITY;
  const skew = draw() < SKEWED_SHARE ? MINUTE + Math.floor(draw() * (SKEW_MOST_MS - MINUTE)) : 0;
  return { ...placed, skew, goneAt, author, wish, role, views, haste };
}

function mostSeen(seeds: readonly PostSeed[]): PostSeed | undefined {
  let most = seeds[0];
  for (const seed of seeds) if (most !== undefined && seed.views > most.views) most = seed;
  return most;
}

/** How many of a list, oldest first, came at or before a time. */
function countUntil(seeds: readonly PostSeed[], until: number): number {
  let low = 0;
  let high = seeds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seeds[middle]?.at ?? 0) <= until) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Any mean: a sum of small ones. */
function poissonOf(draw: Draw, mean: number): number {
  let count = 0;
  for (let rest = mean; rest > 0; rest -= 50) count += poisson(draw, Math.min(rest, 50), 200);
  return count;
}
