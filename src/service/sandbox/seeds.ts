/**
 * When posts appear, and what each of them will become: the small part of a post that can be known
 * without writing it. Time is cut into cells of two minutes; what is in a cell depends on the topic's key
 * and the cell's number only, so any window can be made alone, and the past never changes.
 */
import { DAY, MINUTE } from '../../engine/clock.ts';
import { authorNumber, followersEver } from './author.ts';
import { drawsOf, type Key, logNormal, normal, poisson, subkey } from './random.ts';
import { attentionAt, type Burst, burstsFelt } from './rate.ts';
import type { TopicInWorld } from './topic.ts';

export const CELL_MS = 2 * MINUTE;
/** Ids have seven bits for the place in a cell. */
const CELL_MOST = 127;
/** Before this nothing was ever posted: 2020-01-01. Every id after it has 19 digits. */
export const BEGINNING = 1_577_836_800_000;
/** A reply, quote or repost comes at most this long after what it refers to. */
export const REFERENCE_REACH_MS = 12 * 60 * MINUTE;
const REFERENCE_CELLS = REFERENCE_REACH_MS / CELL_MS;

export type Kind = 'original' | 'reply' | 'repost' | 'quote';

/** A post before it is written. */
export type PostSeed = {
  cell: number;
  /** Place in its cell, from 0. */
  place: number;
  /** When it appears, in ms since 1970. */
  at: number;
  key: Key;
  author: number;
  /** What it wants to be; without anything to refer to it becomes an original. */
  wish: Kind;
  /** Views it will have in the end, and how fast it gets there (1 is usual). */
  views: number;
  haste: number;
};

/** A number that no other post of the topic has; a seed that is made again is another object. */
export function numberOf({ cell, place }: PostSeed): number {
  return cell * (CELL_MOST + 1) + place;
}

/** The posts of topics by cell; remembers the cells it made lately. */
export type SeedStore = {
  cell(topic: TopicInWorld, cell: number): readonly PostSeed[];
  /** What a post replies to, quotes or repeats; undefined for originals. */
  reference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined;
};

/** @param remembered how many cells to keep; a cell of a busy topic takes about 1 kB */
export function createSeedStore(remembered = 20_000): SeedStore {
  const cells = new Map<string, readonly PostSeed[]>();
  const days = new Map<string, readonly Burst[]>();
  const references = new WeakMap<PostSeed, { seed: PostSeed | undefined }>();

  function bursts(topic: TopicInWorld, day: number): readonly Burst[] {
    return recall(days, `${topic.key[0]}.${topic.key[1]}.${day}`, 2_000, () => burstsFelt(topic, day));
  }

  function cell(topic: TopicInWorld, number: number): readonly PostSeed[] {
    return recall(cells, `${topic.key[0]}.${topic.key[1]}.${number}`, remembered, () =>
      makeCell(topic, number, bursts(topic, Math.floor((number * CELL_MS) / DAY))),
    );
  }

  function reference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined {
    if (seed.wish === 'original') return undefined;
    let known = references.get(seed);
    if (known === undefined) {
      known = { seed: findReference(topic, seed) };
      references.set(seed, known);
    }
    return known.seed;
  }

  function findReference(topic: TopicInWorld, seed: PostSeed): PostSeed | undefined {
    const draw = drawsOf(subkey(seed.key, 1));
    const lag = Math.min(logNormal(draw, 25 * MINUTE, 1.3), REFERENCE_REACH_MS);
    const first = Math.min(Math.floor((seed.at - lag) / CELL_MS), seed.cell - 1);
    for (let number = first; number > seed.cell - REFERENCE_CELLS; number--) {
      const there = cell(topic, number);
      if (there.length === 0) continue;
      // Mostly to what is seen most in those two minutes, at times to anything.
      const seen = draw() < 0.7 ? mostSeen(there) : there[Math.floor(draw() * there.length)];
      // Nobody refers to a repost; they refer to what it repeats.
      return seen?.wish === 'repost' ? (reference(topic, seen) ?? seen) : seen;
    }
    return undefined;
  }

  return { cell, reference };
}

function makeCell(topic: TopicInWorld, cell: number, bursts: readonly Burst[]): readonly PostSeed[] {
  const start = cell * CELL_MS;
  if (start < BEGINNING) return [];
  const key = subkey(topic.key, cell);
  const draw = drawsOf(key);
  const attention = attentionAt(topic, start + CELL_MS / 2, bursts);
  const count = poisson(draw, (topic.topic.postsPerDay * CELL_MS * attention) / DAY, CELL_MOST);
  if (count === 0) return [];
  const seeds: PostSeed[] = [];
  for (let place = 0; place < count; place++)
    seeds.push(makeSeed(topic, cell, place, subkey(key, place + 1)));
  return seeds;
}

function makeSeed(topic: TopicInWorld, cell: number, place: number, key: Key): PostSeed {
  const draw = drawsOf(key);
  const at = cell * CELL_MS + Math.floor(draw() * CELL_MS);
  const chance = draw();
  const wish = chance < 0.3 ? 'reply' : chance < 0.5 ? 'repost' : chance < 0.55 ? 'quote' : 'original';
  const author = authorNumber(draw, topic.key);
  // Views: followers, a share of them that looks, and a heavy-tailed fan-out; a repost gets few of its own.
  const share = (wish === 'repost' ? 0.02 : 0.15) * (0.2 + draw());
  const views = 4 + Math.floor(followersEver(author) * share * logNormal(draw, 1, 1.2));
  return { cell, place, at, key, author, wish, views, haste: Math.exp(0.22 * normal(draw)) };
}

function mostSeen(seeds: readonly PostSeed[]): PostSeed | undefined {
  let most = seeds[0];
  for (const seed of seeds) if (most !== undefined && seed.views > most.views) most = seed;
  return most;
}

/** Looks a value up or makes it; the oldest entries go when there are too many. */
function recall<T>(known: Map<string, T>, name: string, most: number, make: () => T): T {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make();
  if (known.size >= most) for (const oldest of firstKeys(known, most >> 4)) known.delete(oldest);
  known.set(name, made);
  return made;
}

function firstKeys<T>(map: Map<string, T>, count: number): string[] {
  const keys: string[] = [];
  for (const key of map.keys()) {
    if (keys.length >= count) break;
    keys.push(key);
  }
  return keys;
}
