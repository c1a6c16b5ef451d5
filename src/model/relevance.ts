/**
 * Text relevance: BM25 (Robertson and Zaragoza, 2009), which, unlike `ts_rank`, weighs rare words higher; the prior of
 * an item by recency and engagement; and word boundaries in every script.
 */

import { DAY } from '../lib/time.ts';
import { UNSPACED_SCRIPTS } from '../lib/text.ts';

/** Term frequency saturation, and length normalization. */
const K1 = 1.5;
const B = 0.75;

/**
 * Weight of a word that occurs in `holding` of `documents` documents. Always positive, even if the two counts are from
 * different times.
 */
export function inverseDocumentFrequency(holding: number, documents: number): number {
  const held = Math.min(Math.max(0, holding), documents);
  return Math.log(1 + (documents - held + 0.5) / (held + 0.5));
}

/** Weight of a word that occurs `times` times in a document; lengths in any unit. */
export function termSaturation(times: number, length: number, averageLength: number): number {
  const long = averageLength > 0 ? length / averageLength : 1;
  return (times * (K1 + 1)) / (times + K1 * (1 - B + B * long));
}

// The prior is bounded: it breaks near-ties but never overrides relevance.
const BASE_WEIGHT = 0.6;
const RECENCY_WEIGHT = 0.25;
const ENGAGEMENT_WEIGHT = 0.15;

/** Maximum effect of the prior: an item that is this many times as relevant always ranks higher. */
export const MAX_PRIOR_RATIO = (BASE_WEIGHT + RECENCY_WEIGHT + ENGAGEMENT_WEIGHT) / BASE_WEIGHT;

/** Share of the window after which recency falls to 1/e: 8 hours of a day, 10 days of a month. */
const RECENCY_DECAY_SHARE = 1 / 3;
const DEFAULT_WINDOW_DAYS = 30;
/** Lower bound of the engagement scale, if no result has more. */
const MIN_ENGAGEMENT_SCALE = 100;

type PriorInput = {
  /** Undefined if unknown, which counts as oldest. */
  publishedAt: Date | undefined;
  /** Number of reactions; undefined if unknown, which counts as none. */
  engagement?: number | undefined;
};

/**
 * Creates the prior of items within a window, independent of the query.
 * @param window the requested window; a month if it has no start
 * @param most maximum engagement among the compared items, since sources differ in scale
 * @returns a function with results from 0.6 to 1
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

const WORD_RUN = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]+`, 'gu');
const HAS_UNSPACED = new RegExp(UNSPACED.source, 'u');

/** The runs of letters, marks and digits of a text. */
export function splitWordRuns(text: string): string[] {
  return text.match(WORD_RUN) ?? [];
}

/** Whether a text contains scripts without spaces between words. */
export function hasUnspacedScript(text: string): boolean {
  return HAS_UNSPACED.test(text);
}

/**
 * The lower-case words of a text for an index. In scripts without spaces, every pair of adjacent characters is a word:
 * a dictionary would segment a query differently from the text, and change with its next version.
 */
export function splitIndexWords(text: string): string[] {
  const words = splitWordRuns(text.normalize('NFC').toLowerCase());
  if (!hasUnspacedScript(text)) return words;
  return words.flatMap(
    (word) => word.replace(UNSPACED, (run) => ` ${joinCharacterPairs(run)} `).match(/\S+/gu) ?? [],
  );
}

/** A word as in the index, and its position in the text: from `start` to before `end`, in UTF-16 units. */
export type WordPlace = { word: string; start: number; end: number };

/** The words of {@link splitIndexWords}, in the same order, with positions. The text must be in NFC. */
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
