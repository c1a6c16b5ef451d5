/**
 * How well a text fits a query: the parts of BM25 (Robertson and Zaragoza, 2009), in which rare words say more,
 * unlike in `ts_rank`; the prior of a thing for being new and for being noticed; and
 * where words begin and end, in every script.
 */

import { DAY } from './time.ts';

/** How fast more of the same word stops to count, and how much longer documents are held to it. */
const K1 = 1.5;
const B = 0.75;

/**
 * What a word says that stands in `holding` of `documents` documents; above zero for every word, and for
 * counts that lag behind each other too.
 */
export function inverseDocumentFrequency(holding: number, documents: number): number {
  const held = Math.min(Math.max(0, holding), documents);
  return Math.log(1 + (documents - held + 0.5) / (held + 0.5));
}

/** How much a word says in a document where it stands `times` times; lengths in any one unit. */
export function termSaturation(times: number, length: number, averageLength: number): number {
  const long = averageLength > 0 ? length / averageLength : 1;
  return (times * (K1 + 1)) / (times + K1 * (1 - B + B * long));
}

// The prior is bounded, so that it settles what relevance leaves open and never overturns it.
const BASE_WEIGHT = 0.6;
const RECENCY_WEIGHT = 0.25;
const ENGAGEMENT_WEIGHT = 0.15;

/** What the prior does at most: of two things the one that is this many times as relevant stays above. */
export const MAX_PRIOR_RATIO = (BASE_WEIGHT + RECENCY_WEIGHT + ENGAGEMENT_WEIGHT) / BASE_WEIGHT;

/** Over a window, the weight of recency falls to 1/e in this part of it: 8 hours of a day, 10 days of a month. */
const RECENCY_DECAY_SHARE = 1 / 3;
/** The window where none was asked for. */
const DEFAULT_WINDOW_DAYS = 30;
/** Reactions below this many are few, also where nothing found has more. */
const MIN_ENGAGEMENT_SCALE = 100;

export type PriorInput = {
  /** Undefined where it is not known: as old as can be. */
  publishedAt: Date | undefined;
  /** Reactions of any kind; undefined where they are not counted: none. */
  engagement?: number | undefined;
};

/**
 * The prior of things within a window: how much each is worth before anybody asks.
 * @param window what was asked for; without a beginning it is a month
 * @param most the most engagement among the things that are compared: sources count in different sizes
 * @returns a function to a number from 0.6 to 1
 */
export function createPrior({ from, to }: { from: Date | undefined; to: Date }, most: number) {
  const spanMs = from === undefined ? DEFAULT_WINDOW_DAYS * DAY : Math.max(1, to.getTime() - from.getTime());
  const noticed = Math.log1p(Math.max(MIN_ENGAGEMENT_SCALE, most));
  return ({ publishedAt, engagement = 0 }: PriorInput): number => {
    const ageMs = publishedAt === undefined ? Infinity : Math.max(0, to.getTime() - publishedAt.getTime());
    const recency = Math.exp(-ageMs / (spanMs * RECENCY_DECAY_SHARE));
    const notice = Math.min(1, Math.log1p(Math.max(0, engagement)) / noticed);
    return BASE_WEIGHT + RECENCY_WEIGHT * recency + ENGAGEMENT_WEIGHT * notice;
  };
}

/** A run of letters, marks and digits. */
const WORD_RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const HAS_UNSPACED = new RegExp(UNSPACED.source, 'u');

/** Whether a text has parts that spaces do not cut into words. */
export function hasUnspacedScript(text: string): boolean {
  return HAS_UNSPACED.test(text);
}

/**
 * The words of a text in lower case, cut for an index. Where a script has no spaces, every two characters
 * that stand side by side are a word: a dictionary would cut a question otherwise than the text, and
 * otherwise again in its next edition.
 */
export function splitIndexWords(text: string): string[] {
  const words = text.normalize('NFC').toLowerCase().match(WORD_RUN) ?? [];
  if (!hasUnspacedScript(text)) return words;
  return words.flatMap(
    (word) => word.replace(UNSPACED, (run) => ` ${joinCharacterPairs(run)} `).match(/\S+/gu) ?? [],
  );
}

/** A word of a text as an index has it, and where it stands there: from `start` to before `end`, in UTF-16 units. */
export type WordPlace = { word: string; start: number; end: number };

/** The words of {@link splitIndexWords}, in the same order, with their places; the text is in NFC. */
export function locateWords(text: string): WordPlace[] {
  const unspaced = hasUnspacedScript(text);
  return [...text.matchAll(WORD_RUN)].flatMap(({ 0: run, index }) =>
    unspaced ? splitRun(run, index) : [toWordPlace(run, index)],
  );
}

function splitRun(run: string, at: number): WordPlace[] {
  const places: WordPlace[] = [];
  let from = 0;
  for (const { 0: piece, index } of run.matchAll(UNSPACED)) {
    if (index > from) places.push(toWordPlace(run.slice(from, index), at + from));
    const characters = Array.from(piece);
    const short = characters.length < 3;
    let start = at + index;
    for (const [i, character] of (short ? [piece] : characters.slice(0, -1)).entries()) {
      places.push(toWordPlace(short ? piece : `${character}${characters[i + 1] ?? ''}`, start));
      start += character.length;
    }
    from = index + piece.length;
  }
  if (from < run.length) places.push(toWordPlace(run.slice(from), at + from));
  return places;
}

function toWordPlace(run: string, start: number): WordPlace {
  return { word: run.toLowerCase(), start, end: start + run.length };
}

function joinCharacterPairs(run: string): string {
  const characters = Array.from(run);
  if (characters.length < 3) return run;
  return characters
    .slice(1)
    .map((character, i) => `${characters[i]}${character}`)
    .join(' ');
}
