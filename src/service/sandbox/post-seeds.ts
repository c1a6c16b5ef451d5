/**
 * Post seeds: when posts appear and how they develop; everything about a post that can be computed without writing it.
 * Time is divided into hours. The posts of an hour depend only on the topic's key and the hour's number, so any period
 * can be generated independently, and the past never changes.
 */

import { getOrMake } from '../../lib/get-or-make.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { computeRate, findManipulation, listPlanted, type Planted } from './planted-events.ts';
import { drawCascades, listPostTimes, POST_CELL_MS } from './post-times.ts';
import { createDraw, deriveKey, drawLogNormal, drawNormal, type Key } from './random.ts';
import { computeFinalFollowers, drawAuthor } from './simulated-authors.ts';
import type { TopicInWorld } from './simulated-topic.ts';
import { computeLevel } from './usual-volume.ts';
import { LRUCache } from 'lru-cache';

const CELLS_PER_HOUR = HOUR / POST_CELL_MS;
/** A post's id contains its position in a cell of two minutes, in seven bits. */
const MAX_CELL_PLACE = 127;
/** No posts before 2020-01-01. Every later id has 19 digits. */
export const WORLD_START = 1_577_836_800_000;
/** Maximum time between a reply, quote or repost and its original. */
export const REFERENCE_REACH_MS = 12 * HOUR;
/** Half of them are deleted within six hours. */
const DELETED_SHARE = 0.01;
/** Share of posts whose author's clock is fast, by up to five minutes. */
const SKEWED_SHARE = 0.005;
const MAX_SKEW_MS = 5 * MINUTE;
/** Number of recent posts that can be chosen as a reference. */
const RECENT_POSTS = 8;
/** Upper bound for any topic. */
const MAX_HOUR_POSTS = CELLS_PER_HOUR * (MAX_CELL_PLACE + 1);

/** A post before its text is generated. */
export type PostSeed = {
  /** Unique within the topic, in the order of hours. */
  number: number;
  /** Position in its two-minute cell, from 0. */
  place: number;
  /** Time of appearance, in ms since 1970. */
  at: number;
  /** How far the author's clock is fast: `created_at` is `at` plus this. Usually 0. */
  skew: number;
  /** Time of deletion, after which no response contains it. Usually infinite. */
  goneAt: number;
  key: Key;
  author: number;
  /** The intended kind; without a post to refer to, it becomes an original. */
  intendedKind: PostKind;
  role: PostRole;
  /** Posts of a campaign have the text of this key. */
  campaign: Key | undefined;
  /** Final views, and the speed of their growth (1 is normal). */
  views: number;
  haste: number;
};

/** Post seeds of topics, with a cache of recently generated hours. */
export type SeedStore = {
  /** The posts of an hour (hours since 1970), oldest first, deleted ones included. */
  hour(topic: TopicInWorld, number: number): readonly PostSeed[];
  /** Posts with `from <= at <= to`, oldest first, deleted ones included. */
  within(topic: TopicInWorld, from: number, to: number): PostSeed[];
  /** The post that it replies to, quotes, reposts or copies; otherwise undefined. */
  reference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined;
};

/**
 * @param remembered approximate number of posts to cache; each takes 1 to 2 kB with what is derived from it. By default
 * three times as many as one search reads at most.
 */
export function createSeedStore(remembered = 18_000): SeedStore {
  const known = new Map<string, Map<number, readonly PostSeed[]>>();
  let held = 0;
  const references = new WeakMap<PostSeed, { seed: PostSeed | undefined }>();
  const roots = new LRUCache<string, readonly number[], { topic: TopicInWorld; first: number }>({
    max: 256,
    memoMethod: (_key, _stale, { context: { topic, first } }) => drawRoots(topic, first),
  });

  function hour(topic: TopicInWorld, number: number): readonly PostSeed[] {
    const name = `${topic.key[0]}.${topic.key[1]}`;
    const cached = known.get(name)?.get(number);
    if (cached !== undefined) return cached;
    const posts = createHour(topic, number, (first) =>
      roots.memo(`${name}.${first}`, { context: { topic, first } }),
    );
    held += posts.length + 1;
    if (held > remembered) forget();
    getOrMake(known, name, () => new Map()).set(number, posts);
    return posts;
  }

  /** Evicts the older half of each topic's hours, in order of generation, and its only one. */
  function forget(): void {
    for (const [name, hours] of known) {
      let surplus = (hours.size + 1) >> 1;
      for (const [number, posts] of hours) {
        if (surplus-- <= 0) break;
        held -= posts.length + 1;
        hours.delete(number);
      }
      if (hours.size === 0) known.delete(name);
    }
  }

  function within(topic: TopicInWorld, from: number, to: number): PostSeed[] {
    const matching: PostSeed[] = [];
    const last = Math.floor(to / HOUR);
    for (let number = Math.floor(Math.max(from, WORLD_START) / HOUR); number <= last; number++) {
      const posts = hour(topic, number);
      const end = countPostsUntil(posts, to);
      for (let i = countPostsUntil(posts, from - 1); i < end; i++) matching.push(posts[i] as PostSeed); // i < length
    }
    return matching;
  }

  function reference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined {
    if (seed.intendedKind === 'original' && seed.role !== 'copy') return undefined;
    return getOrMake(references, seed, () => ({ seed: findReference(topic, seed) })).seed;
  }

  function findReference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined {
    const draw = createDraw(deriveKey(seed.key, 1));
    const lag = Math.min(drawLogNormal(draw, 25 * MINUTE, 1.3), REFERENCE_REACH_MS);
    const latest = seed.at - Math.max(lag, 1_000);
    const oldest = seed.at - REFERENCE_REACH_MS;
    const first = Math.floor(Math.max(oldest, WORLD_START) / HOUR);
    for (let number = Math.floor(latest / HOUR); number >= first; number--) {
      const posts = hour(topic, number);
      const end = countPostsUntil(posts, latest);
      const recent = posts.slice(Math.max(end - RECENT_POSTS, 0), end).filter(({ at }) => at >= oldest);
      if (recent.length === 0) continue;
      // Usually the most viewed of the recent posts, sometimes any of them.
      const target = draw() < 0.7 ? findMostSeen(recent) : recent[Math.floor(draw() * recent.length)];
      // Nobody refers to a repost, only to its original.
      return target?.intendedKind === 'repost' ? (reference(topic, target) ?? target) : target;
    }
    return undefined;
  }

  return { hour, within, reference };
}

function createHour(
  topic: TopicInWorld,
  number: number,
  listRoots: (hour: number) => readonly number[],
): readonly PostSeed[] {
  const start = number * HOUR;
  if (start < WORLD_START) return [];
  const key = deriveKey(topic.key, number);
  const planted = listPlanted(topic, Math.floor(start / DAY));
  const seeds: PostSeed[] = [];
  let place = 0;
  let cell = -1;
  for (const [i, at] of listPostTimes(topic.topic.habits, number, listRoots).entries()) {
    if (i >= MAX_HOUR_POSTS) break;
    // A silent source does not pass on what earlier posts bring either.
    if (computeLevel(planted.changes, at) === 0) continue;
    place = Math.floor(at / POST_CELL_MS) === cell ? place + 1 : 0;
    cell = Math.floor(at / POST_CELL_MS);
    if (place > MAX_CELL_PLACE) continue;
    const placed = { number: number * MAX_HOUR_POSTS + i, place, at, key: deriveKey(key, i + 1) };
    seeds.push(createPostSeed(topic, placed, planted));
  }
  return seeds;
}

/** The posts of an hour that nobody else's brought, and what they bring. */
function drawRoots(topic: TopicInWorld, number: number): number[] {
  const { postsPerDay, habits } = topic.topic;
  const planted = listPlanted(topic, Math.floor((number * HOUR) / DAY));
  const perHour = (at: number) => (postsPerDay / 24) * computeRate(topic.topic, at, planted);
  return drawCascades({ key: topic.key, perHour, ...habits }, number);
}

function createPostSeed(
  topic: TopicInWorld,
  placed: Pick<PostSeed, 'number' | 'place' | 'at' | 'key'>,
  planted: Planted,
): PostSeed {
  const draw = createDraw(placed.key);
  const chance = draw();
  const manipulation = findManipulation(topic.topic, placed.at, planted);
  const event = manipulation !== undefined && draw() < manipulation.share ? manipulation.event : undefined;
  const intendedKind = event === undefined ? kindOf(chance) : 'original';
  const role = event?.kind === 'campaign' ? 'campaign' : event ? 'spam' : drawRole(placed.key, intendedKind);
  const campaign = event?.kind === 'campaign' ? deriveKey(topic.key, event.origin) : undefined;
  // Spam, also that of a flood of posts, comes from five accounts.
  const spammer = event === undefined ? Math.floor(draw() * 5) : Math.floor(event.origin) % 5;
  const author = role === 'spam' ? spammer : drawAuthor(draw, topic.key);
  // Views: followers, the share that sees it, and a heavy-tailed fan-out; a repost gets few of its own.
  const share = (intendedKind === 'repost' ? 0.02 : 0.15) * (0.2 + draw());
  const views = 4 + Math.floor(computeFinalFollowers(author) * share * drawLogNormal(draw, 1, 1.2));
  const haste = Math.exp(0.22 * drawNormal(draw));
  const goneAt =
    draw() < DELETED_SHARE ? placed.at + drawLogNormal(draw, 6 * HOUR, 1) : Number.POSITIVE_INFINITY;
  const skew = draw() < SKEWED_SHARE ? MINUTE + Math.floor(draw() * (MAX_SKEW_MS - MINUTE)) : 0;
  const { number, place, at, key } = placed;
  // Written out: with a spread, V8 makes hidden classes for each post, which take several times the memory of the post.
  return { number, place, at, skew, goneAt, key, author, intendedKind, role, campaign, views, haste };
}

function findMostSeen(seeds: readonly PostSeed[]): PostSeed | undefined {
  let most = seeds[0];
  for (const seed of seeds) if (most !== undefined && seed.views > most.views) most = seed;
  return most;
}

/** Number of posts in a list, oldest first, up to a time. */
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

/** How a post refers to others. */
type PostKind = 'original' | 'reply' | 'repost' | 'quote';

function kindOf(chance: number): PostKind {
  return chance < 0.3 ? 'reply' : chance < 0.5 ? 'repost' : chance < 0.55 ? 'quote' : 'original';
}

/**
 * The purpose of a post; most are simply about their topic.
 * - `plain`, `sarcasm`, `long` (a thousand characters or more): about the topic.
 * - `copy`: repeats another post in nearly the same words, as its own.
 * - `distractor`: shares one word with the topic but is about something else.
 * - `campaign`: many authors post one text, word for word.
 * - `spam`: advertising; a flood of it comes from one author. `injection`: a harmless prompt injection, which a client must not follow.
 */
export type PostRole =
  | 'plain'
  | 'sarcasm'
  | 'long'
  | 'copy'
  | 'distractor'
  | 'spam'
  | 'injection'
  | 'campaign';

const ROLE_SHARES: readonly (readonly [PostRole, number])[] = [
  ['sarcasm', 0.05],
  ['long', 0.012],
  ['copy', 0.05],
  ['distractor', 0.05],
  ['spam', 0.02],
  ['injection', 0.006],
];

/** Replies and quotes are plain; a repost has the role of its original. */
function drawRole(key: Key, intendedKind: PostKind): PostRole {
  if (intendedKind !== 'original') return 'plain';
  let rest = createDraw(deriveKey(key, 4))();
  for (const [role, share] of ROLE_SHARES) {
    rest -= share;
    if (rest < 0) return role;
  }
  return 'plain';
}

/** Whether a search for the topic should return such posts. */
export function isRelevantRole(role: PostRole): boolean {
  return role !== 'distractor' && role !== 'spam' && role !== 'injection' && role !== 'campaign';
}
