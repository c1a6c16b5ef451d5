/**
 * When posts appear, and what each of them will become: the small part of a post that can be known
 * without writing it. Time is cut into hours; what is in an hour depends on the topic's key and the hour's
 * number only, so any window can be made alone, and the past never changes.
 */

import { DAY, HOUR, MINUTE } from '../../domain/time.ts';
import { computeFloodShare, computeRate, listActiveEvents, type PlantedEvent } from './planted-events.ts';
import {
  createDraw,
  deriveKey,
  type Draw,
  drawLogNormal,
  drawNormal,
  drawPoisson,
  type Key,
} from './random.ts';
import { computeFinalFollowers, drawAuthor } from './simulated-authors.ts';
import type { TopicInWorld } from './simulated-topic.ts';

/** The rate is taken as constant for two minutes; a post's id holds its place within them. */
const POST_CELL_MS = 2 * MINUTE;
const CELLS_PER_HOUR = HOUR / POST_CELL_MS;
/** Ids have seven bits for the place in a cell. */
const MAX_CELL_PLACE = 127;
/** Before this nothing was ever posted: 2020-01-01. Every id after it has 19 digits. */
export const WORLD_START = 1_577_836_800_000;
/** A reply, quote or repost comes at most this long after what it refers to. */
export const REFERENCE_REACH_MS = 12 * HOUR;
/** One post in a hundred is deleted, half of these within six hours. */
const DELETED_SHARE = 0.01;
/** One in two hundred carries the time of a clock that is fast by up to five minutes. */
const SKEWED_SHARE = 0.005;
const MAX_SKEW_MS = 5 * MINUTE;
/** Among how many of the latest posts somebody chooses what to refer to. */
const RECENT_POSTS = 8;
/** More posts in one hour than any topic can have. */
const MAX_HOUR_POSTS = CELLS_PER_HOUR * (MAX_CELL_PLACE + 1);

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
  wish: PostKind;
  role: PostRole;
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
    const made = createHour(topic, number, listActiveEvents(topic, Math.floor((number * HOUR) / DAY)));
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
    for (let number = Math.floor(Math.max(from, WORLD_START) / HOUR); number <= last; number++) {
      const there = hour(topic, number);
      const end = countPostsUntil(there, to);
      for (let i = countPostsUntil(there, from - 1); i < end; i++) found.push(there[i] as PostSeed); // i < length
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
    const draw = createDraw(deriveKey(seed.key, 1));
    const lag = Math.min(drawLogNormal(draw, 25 * MINUTE, 1.3), REFERENCE_REACH_MS);
    const latest = seed.at - Math.max(lag, 1_000);
    const oldest = seed.at - REFERENCE_REACH_MS;
    const first = Math.floor(Math.max(oldest, WORLD_START) / HOUR);
    for (let number = Math.floor(latest / HOUR); number >= first; number--) {
      const there = hour(topic, number);
      const end = countPostsUntil(there, latest);
      const last = there.slice(Math.max(end - RECENT_POSTS, 0), end).filter(({ at }) => at >= oldest);
      if (last.length === 0) continue;
      // Mostly to what is seen most of the last few, at times to any of them.
      const one = draw() < 0.7 ? findMostSeen(last) : last[Math.floor(draw() * last.length)];
      // Nobody refers to a repost; they refer to what it repeats.
      return one?.wish === 'repost' ? (reference(topic, one) ?? one) : one;
    }
    return undefined;
  }

  return { hour, within, reference };
}

function createHour(
  topic: TopicInWorld,
  number: number,
  events: readonly PlantedEvent[],
): readonly PostSeed[] {
  const start = number * HOUR;
  if (start < WORLD_START) return [];
  const key = deriveKey(topic.key, number);
  const draw = createDraw(key);
  const means: number[] = [];
  let mean = 0;
  for (let cell = 0; cell < CELLS_PER_HOUR; cell++) {
    const at = start + (cell + 0.5) * POST_CELL_MS;
    mean += (topic.topic.postsPerDay * POST_CELL_MS * computeRate(topic.topic, at, events)) / DAY;
    means.push(mean);
  }
  const count = Math.min(MAX_HOUR_POSTS, drawLargePoisson(draw, mean));
  const places: number[] = means.map(() => 0);
  const seeds: PostSeed[] = [];
  for (let i = 0; i < count; i++) {
    const wanted = draw() * mean;
    const cell = means.findIndex((sum) => wanted < sum);
    const place = places[cell] ?? 0;
    if (place > MAX_CELL_PLACE) continue;
    places[cell] = place + 1;
    const at = start + cell * POST_CELL_MS + Math.floor(draw() * POST_CELL_MS);
    const flood = computeFloodShare(topic.topic, at, events);
    seeds.push(
      createPostSeed(topic, {
        number: number * MAX_HOUR_POSTS + i,
        place,
        at,
        key: deriveKey(key, i + 1),
        flood,
      }),
    );
  }
  return seeds.sort((a, b) => a.at - b.at || a.place - b.place);
}

function createPostSeed(
  topic: TopicInWorld,
  cellPost: Pick<PostSeed, 'number' | 'place' | 'at' | 'key'> & { flood: number },
): PostSeed {
  const { flood, ...placed } = cellPost;
  const draw = createDraw(placed.key);
  const chance = draw();
  const wish = chance < 0.3 ? 'reply' : chance < 0.5 ? 'repost' : chance < 0.55 ? 'quote' : 'original';
  const role = drawRole(placed.key, wish, flood);
  // Spam comes from a handful of accounts.
  const author = role === 'spam' ? Math.floor(draw() * 5) : drawAuthor(draw, topic.key);
  // Views: followers, a share of them that looks, and a heavy-tailed fan-out; a repost gets few of its own.
  const share = (wish === 'repost' ? 0.02 : 0.15) * (0.2 + draw());
  const views = 4 + Math.floor(computeFinalFollowers(author) * share * drawLogNormal(draw, 1, 1.2));
  const haste = Math.exp(0.22 * drawNormal(draw));
  const goneAt =
    draw() < DELETED_SHARE ? placed.at + drawLogNormal(draw, 6 * HOUR, 1) : Number.POSITIVE_INFINITY;
  const skew = draw() < SKEWED_SHARE ? MINUTE + Math.floor(draw() * (MAX_SKEW_MS - MINUTE)) : 0;
  return { ...placed, skew, goneAt, author, wish, role, views, haste };
}

function findMostSeen(seeds: readonly PostSeed[]): PostSeed | undefined {
  let most = seeds[0];
  for (const seed of seeds) if (most !== undefined && seed.views > most.views) most = seed;
  return most;
}

/** How many of a list, oldest first, came at or before a time. */
function countPostsUntil(seeds: readonly PostSeed[], until: number): number {
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
function drawLargePoisson(draw: Draw, mean: number): number {
  let count = 0;
  for (let rest = mean; rest > 0; rest -= 50) count += drawPoisson(draw, Math.min(rest, 50), 200);
  return count;
}

/** How a post stands to others. */
type PostKind = 'original' | 'reply' | 'repost' | 'quote';

/**
 * What a post is for; most only talk about their topic.
 * - `plain`: about the topic. `sarcasm`, `long` (a thousand characters and more): about it all the same.
 * - `copy`: says what another post said, in nearly the same words, as its own.
 * - `distractor`: shares one word with the topic and is about something else.
 * - `spam`: wants to sell. `injection`: speaks to whatever machine reads it; harmless, a client must not obey.
 */
export type PostRole = 'plain' | 'sarcasm' | 'long' | 'copy' | 'distractor' | 'spam' | 'injection';

const ROLE_SHARES: readonly (readonly [PostRole, number])[] = [
  ['sarcasm', 0.05],
  ['long', 0.012],
  ['copy', 0.05],
  ['distractor', 0.05],
  ['spam', 0.02],
  ['injection', 0.006],
];

/** Replies and quotes are plain, a repost has the role of what it repeats. */
function drawRole(key: Key, wish: PostKind, floodShare: number): PostRole {
  if (wish !== 'original') return 'plain';
  const draw = createDraw(deriveKey(key, 4));
  if (draw() < floodShare) return 'spam';
  let rest = draw();
  for (const [role, share] of ROLE_SHARES) {
    rest -= share;
    if (rest < 0) return role;
  }
  return 'plain';
}

/** Whether somebody who asked for the topic wants to see it. */
export function isRelevantRole(role: PostRole): boolean {
  return role !== 'distractor' && role !== 'spam' && role !== 'injection';
}
