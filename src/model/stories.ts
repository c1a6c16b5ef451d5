/**
 * Which items of a topic are one story. Two items are joined if they were found within {@link STORY_SPAN_MS} of each other, and
 * either have a name in common ({@link nameItem}) or near-equal texts (`story-sketch.ts`). A story is whatever is joined by a chain
 * of such pairs; its id is that of its first member, so it stays when stories merge. It is the same whatever order the items come
 * in. Pure.
 */
import { hash } from 'node:crypto';
import { type DisjointSets, separate } from '../lib/disjoint-sets.ts';
import { DAY } from '../lib/time.ts';
import { areNearEqual, type Sketch, sketchText } from './story-sketch.ts';

/** Items found further apart are not joined directly. */
export const STORY_SPAN_MS = 14 * DAY;
/**
 * Each text is compared with at most so many others that share a band, the nearest earlier ones; and of the items of a day with a
 * name or a band, so many can be found by it. Thousands of texts of one template cost no more per text, and equal texts are joined
 * by their name all the same.
 */
export const MAX_CANDIDATES = 32;

/** A post or link of a topic as its story is decided. */
export type StoryItem = {
  /** Of its first discovery in the topic. */
  id: bigint;
  /** When it was found, in milliseconds. */
  at: number;
  /** Hashes of its names. */
  names: readonly bigint[];
  /** As {@link sketchItem} makes it. */
  sketch: Sketch | null;
  /** The story that it is known to belong to; null if it is in none yet. */
  story: bigint | null;
};

/** What an item is named by. */
export type NamedItem = {
  topicId: bigint;
  /** Its link identity, and those of the posts that it repeats or quotes. */
  keys: readonly string[];
  /** The hash of its folded text. */
  textKey: bigint | null;
  /** Identities of the addresses in its text. */
  addresses: readonly string[];
};

/** The names of an item in its topic, hashed. An address in its text names it only if it is one thing ({@link isSpecific}). */
export function nameItem({ topicId, keys, textKey, addresses }: NamedItem): bigint[] {
  const names = [...keys, ...addresses.filter(isSpecific)].map((key) => `key ${key}`);
  if (textKey !== null) names.push(`text ${textKey}`);
  return [...new Set(names)].map((name) => hash('sha256', `${topicId} ${name}`, 'buffer').readBigInt64BE());
}

/**
 * The sketch of an item's text in its topic: its bands are other numbers in each topic, as its names are, because a look-up by bands
 * alone would find the texts of all topics, which are most where many topics find one template. `b # topic_id` in SQL.
 */
export function sketchItem(topicId: bigint, text: string): Sketch | null {
  const sketch = sketchText(text);
  if (sketch === null) return null;
  const salt = Number(BigInt.asIntN(32, topicId));
  return { ...sketch, bands: sketch.bands.map((band) => band ^ salt) };
}

/**
 * Whether an address names one thing. The front page of a site, and a page of one word such as `/news` or `/somebody`, is linked
 * by people who write about different things.
 */
function isSpecific(key: string): boolean {
  const path = /^https:\/\/[^/]*\/?(.*)$/su.exec(key)?.[1];
  return path === undefined || /[/?#].|\d|[-_].*[-_]/su.test(path);
}

/** How often names and bands can be found already, of items that were found within a day before. */
export type Findable = { names: Map<bigint, number>; bands: Map<string, number> };

/**
 * Which names and texts of an item later items are compared with: those that fewer than {@link MAX_CANDIDATES} items of the day
 * before have. Counts the item.
 */
export function limitFindable(
  { names, sketch }: Pick<StoryItem, 'names' | 'sketch'>,
  found: Findable,
): Pick<StoryItem, 'names' | 'sketch'> {
  const isRare = <K>(counts: Map<K, number>, name: K) => (counts.get(name) ?? 0) < MAX_CANDIDATES;
  const rare = names.filter((name) => isRare(found.names, name));
  const bands = sketch?.bands.map(nameBand) ?? [];
  const isComparable = bands.every((band) => isRare(found.bands, band));
  for (const name of rare) found.names.set(name, (found.names.get(name) ?? 0) + 1);
  if (isComparable) for (const band of bands) found.bands.set(band, (found.bands.get(band) ?? 0) + 1);
  return { names: rare, sketch: isComparable ? sketch : null };
}

/** Items of one story: at least two, or one that is known to belong to a story. */
export type StoryGroup<T> = {
  /** The smallest of its members and of the stories that it joins. */
  id: bigint;
  members: T[];
  /** Stories that members belonged to. */
  joined: bigint[];
};

/** @param items all of one topic @returns groups in the order of their ids; items that nothing joins are in none */
export function groupStories<T extends StoryItem>(items: readonly T[]): StoryGroup<T>[] {
  const ordered = items.toSorted(compareIds);
  const sets = separate(ordered);
  joinNamed(ordered, sets.join);
  joinNearEqual(ordered, sets);
  return sets.list().flatMap((members) => {
    const joined = [...new Set(members.flatMap(({ story }) => story ?? []))];
    if (members.length === 1 && joined.length === 0) return [];
    const ids = [...members.map(({ id }) => id), ...joined];
    return [{ id: ids.reduce((least, id) => (id < least ? id : least)), members, joined }];
  });
}

const compareIds = (a: { id: bigint }, b: { id: bigint }) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

type Join = (left: number, right: number) => void;

/** Joins items of one known story, and items with a name in common. */
function joinNamed(items: readonly StoryItem[], join: Join): void {
  const stories = new Map<bigint, number>();
  const named = new Map<bigint, number[]>();
  items.forEach(({ story, names }, i) => {
    if (story !== null) {
      const first = stories.get(story);
      if (first === undefined) stories.set(story, i);
      else join(first, i);
    }
    for (const name of names) {
      const others = named.get(name);
      if (others === undefined) named.set(name, [i]);
      else others.push(i);
    }
  });
  // In the order of time it suffices to join neighbours: who is near a third is near each item between them.
  for (const members of named.values())
    joinNeighbours(
      members.toSorted((a, b) => atOf(items, a) - atOf(items, b)),
      items,
      join,
    );
}

function joinNeighbours(members: readonly number[], items: readonly StoryItem[], join: Join): void {
  members.forEach((member, n) => {
    const before = members[n - 1];
    if (before !== undefined && areWithinSpan(items, before, member)) join(before, member);
  });
}

const atOf = (items: readonly StoryItem[], i: number) => items[i]?.at ?? 0;
const areWithinSpan = (items: readonly StoryItem[], left: number, right: number) =>
  Math.abs(atOf(items, left) - atOf(items, right)) <= STORY_SPAN_MS;

const nameBand = (value: number, band: number) => `${band} ${value}`;

/** Joins items with near-equal texts: each with its nearest earlier ones of each band. */
function joinNearEqual<T extends StoryItem>(items: readonly T[], { find, join }: DisjointSets<T>): void {
  const bands = new Map<string, number[]>();
  items.forEach(({ sketch }, i) => {
    if (sketch === null) return;
    sketch.bands.map(nameBand).forEach((name) => {
      const others = bands.get(name);
      if (others === undefined) {
        bands.set(name, [i]);
        return;
      }
      for (const other of others.slice(-MAX_CANDIDATES)) {
        const near = items[other]?.sketch;
        if (near === null || near === undefined || find(other) === find(i)) continue;
        if (areWithinSpan(items, other, i) && areNearEqual(near, sketch)) join(other, i);
      }
      others.push(i);
    });
  });
}
