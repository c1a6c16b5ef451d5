/** What a topic began to speak of on each day: names that distinguish the posts of a day from those of the week before. Pure. */
import type { Cooperative } from '../../../lib/cooperative.ts';
import { splitFoldedWords } from '../../../lib/folded-words.ts';
import type { EmergingKind } from '../../../model/closed-lists.ts';
import {
  type CountedName,
  findDistinctNames,
  NameCounts,
  nameKey,
  type NamedPost,
  type NameKey,
  readNames,
  withoutAddresses,
} from './distinct-names.ts';
import type { ComparedPost } from './spike-reason.ts';

/** The posts of a day, with their names counted. */
export type CountedDay = {
  counts: NameCounts<EmergingKind>;
  posts: readonly (NamedPost<EmergingKind> & { post: ComparedPost })[];
};

/** A name, and the earliest post of its day with it. */
export type EmergingName = CountedName<EmergingKind> & { first: ComparedPost };

/** Days before a day, with which it is compared. */
export const COMPARED_DAYS = 7;
const MAX_NAMES = 20;

/** Words in a row that begin with a capital letter: somebody, or something with a name. More are a title. */
const MIN_NAME_WORDS = 2;
const MAX_NAME_WORDS = 4;
/** What ends a row of words. */
const BREAK = /[^\p{L}\p{M}\p{N}'’ -]/u;
const WORDS = /[\p{L}\p{M}'’-]+/gu;
const CAPITALIZED = /^\p{Lu}[\p{L}\p{M}'’-]/u;
/** In a headline each word has a capital letter, which tells nothing about names. */
const MAX_CAPITALIZED = 0.6;
const MIN_WORDS = 5;

/** Counts the names of a day, in steps of one post, so that the event loop is not blocked. */
export function* countDayInSteps(posts: readonly ComparedPost[]): Cooperative<CountedDay> {
  const counted: (NamedPost<EmergingKind> & { post: ComparedPost })[] = [];
  const counts = new NameCounts<EmergingKind>();
  for (const post of posts) {
    const named = { id: post.id, author: post.author, names: withProperNames(post), post };
    counts.add(named);
    counted.push(named);
    yield;
  }
  return { counts, posts: counted };
}

/** @param before the days before it that were observed, at least one @returns the largest difference first */
export function findEmerging(day: CountedDay, before: readonly Pick<CountedDay, 'counts'>[]): EmergingName[] {
  const names = findDistinctNames(
    day.counts,
    before.map(({ counts }) => counts),
  );
  return withoutCompanions(withoutParts(names), day.counts)
    .slice(0, MAX_NAMES)
    .map((name) => ({ ...name, first: findFirst(day.posts, nameKey(name.kind, name.name)) }));
}

function withProperNames(post: ComparedPost): ReadonlySet<NameKey<EmergingKind>> {
  const names = new Set<NameKey<EmergingKind>>(readNames(post));
  const text = withoutAddresses(post.text);
  const words = text.match(WORDS) ?? [];
  const capitalized = words.filter((word) => CAPITALIZED.test(word)).length;
  if (words.length >= MIN_WORDS && capitalized > words.length * MAX_CAPITALIZED) return names;
  for (const part of text.split(BREAK))
    for (const row of splitRows(part.split(' ')))
      if (row.length >= MIN_NAME_WORDS && row.length <= MAX_NAME_WORDS)
        names.add(nameKey('name', row.join(' ')));
  return names;
}

/** The longest rows of neighbours with capital letters. */
function splitRows(words: readonly string[]): string[][] {
  const rows: string[][] = [[]];
  for (const word of words) {
    if (CAPITALIZED.test(word)) rows.at(-1)?.push(word);
    else rows.push([]);
  }
  return rows;
}

/** Leaves out words of a name that few others use: "Ida Ekstad" says it. */
function withoutParts(found: readonly CountedName<EmergingKind>[]): CountedName<EmergingKind>[] {
  const named = found
    .filter(({ kind }) => kind === 'name')
    .map(({ name, authors }) => ({ words: splitFoldedWords(name), authors }));
  return found.filter(
    ({ kind, name, authors }) =>
      kind !== 'word' ||
      !named.some((whole) => whole.words.includes(name) && authors <= whole.authors * MOSTLY_THE_NAME),
  );
}

/** A word that is used by so many times the authors of the name is more than a part of the name. */
const MOSTLY_THE_NAME = 1.5;

/** Of names that the same authors use, as words of one text that many repeat, keeps the first, or what is a name. */
function withoutCompanions(
  found: readonly CountedName<EmergingKind>[],
  { authors }: NameCounts<EmergingKind>,
): CountedName<EmergingKind>[] {
  const whoUse = ({ kind, name }: CountedName<EmergingKind>) =>
    [...(authors.get(nameKey(kind, name)) ?? [])].toSorted().join(' ');
  const kept = new Map<string, CountedName<EmergingKind>>();
  for (const name of found) {
    const who = whoUse(name);
    const known = kept.get(who);
    if (known === undefined || (name.kind === 'name' && known.kind === 'word')) kept.set(who, name);
  }
  const stays = new Set(kept.values());
  return found.filter((name) => stays.has(name));
}

function findFirst(posts: CountedDay['posts'], key: NameKey<EmergingKind>): ComparedPost {
  const having = posts.flatMap(({ names, post }) => (names.has(key) ? [post] : []));
  return having.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.id < a.id) ? b : a));
}
