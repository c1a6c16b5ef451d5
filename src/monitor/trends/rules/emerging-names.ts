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
const BREAK = /([^\p{L}\p{M}\p{N}'’ -]+)/u;
/** A break after which no sentence begins. */
const WITHIN_SENTENCE = /^[,;(/&]$/u;
const WORDS = /[\p{L}\p{M}'’-]+/gu;
const CAPITALIZED = /^\p{Lu}[\p{L}\p{M}'’-]/u;
/** In a headline each word has a capital letter, which tells nothing about names. */
const MAX_CAPITALIZED = 0.6;
const MIN_WORDS = 5;

/** Counts the names of a day, in steps of one post, so that the event loop is not blocked. */
export function* countDayInSteps(posts: readonly ComparedPost[]): Cooperative<CountedDay> {
  const rowsOfPosts = new Map<ComparedPost, NameRow[]>();
  const usage: Usage = { small: new Set(), within: new Set() };
  for (const post of posts) {
    const text = withoutAddresses(post.text);
    const words = text.match(WORDS) ?? [];
    for (const word of words) if (!CAPITALIZED.test(word)) usage.small.add(word.toLowerCase());
    const rows = isHeadline(words) ? [] : splitRows(text);
    for (const { words: row, begins } of rows) if (!begins) usage.within.add(row.join(' '));
    rowsOfPosts.set(post, rows);
    yield;
  }
  const counted: (NamedPost<EmergingKind> & { post: ComparedPost })[] = [];
  const counts = new NameCounts<EmergingKind>();
  for (const post of posts) {
    const names = new Set<NameKey<EmergingKind>>(readNames(post));
    for (const row of rowsOfPosts.get(post) ?? []) {
      const words = withoutFirstWord(row, usage);
      if (words.length >= MIN_NAME_WORDS && words.length <= MAX_NAME_WORDS)
        names.add(nameKey('name', words.join(' ')));
    }
    const named = { id: post.id, author: post.author, names, post };
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

/** Neighbours with capital letters. @property begins a sentence, whose first word has a capital letter whatever it is */
type NameRow = { words: readonly string[]; begins: boolean };

/** Words that posts of a day write without a capital letter, and rows of names within their sentences. */
type Usage = { small: Set<string>; within: Set<string> };

function isHeadline(words: readonly string[]): boolean {
  const capitalized = words.filter((word) => CAPITALIZED.test(word)).length;
  return words.length >= MIN_WORDS && capitalized > words.length * MAX_CAPITALIZED;
}

/** The longest rows of at least two. */
function splitRows(text: string): NameRow[] {
  const rows: NameRow[] = [];
  let begins = true;
  for (const [i, part] of text.split(BREAK).entries()) {
    if (i % 2 === 1) {
      begins = !WITHIN_SENTENCE.test(part.trim());
      continue;
    }
    let row: string[] = [];
    for (const word of [...part.split(' '), '']) {
      if (CAPITALIZED.test(word)) {
        row.push(word);
        continue;
      }
      if (row.length >= MIN_NAME_WORDS) rows.push({ words: row, begins });
      if (row.length > 0 || word !== '') begins = false;
      row = [];
    }
  }
  return rows;
}

/** Of `Yesterday Ida Ekstad`, the name: a first word that posts of the day write small, unless the whole row is within a sentence, too. */
function withoutFirstWord({ words, begins }: NameRow, { small, within }: Usage): readonly string[] {
  const isPlain = begins && small.has((words[0] ?? '').toLowerCase()) && !within.has(words.join(' '));
  return isPlain ? words.slice(1) : words;
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
