/** Excerpts for search results: the part of a text with the most matches, with the matches marked. */
import { type WordPlace, locateWords } from './relevance.ts';

/** A piece of a text; consecutive pieces form the excerpt. `match`: a word that was searched for. Plain text, not markup. */
export type ExcerptPiece = { text: string; match: boolean };

/** Longer texts are truncated to about five lines of a page. In UTF-16 units. */
const MAX_EXCERPT_LENGTH = 280;
/** Words to search; later ones are not shown. */
const MAX_WORDS = 2_000;
/** Context before the first match. */
const LEAD_LENGTH = 60;
const ELLIPSIS = '…';

/**
 * @param weigh the weight of an index word for the query; 0 if it does not match
 * @returns nothing for an empty text
 */
export function buildExcerpt(original: string, weigh: (word: string) => number): ExcerptPiece[] {
  const text = normalizeExcerptText(original);
  if (text === '') return [];
  const matches = locateWords(text)
    .slice(0, MAX_WORDS)
    .flatMap((place) => {
      const weight = weigh(place.word);
      return weight > 0 ? [{ ...place, weight }] : [];
    });
  const [from, until] = findBestWindow(text, matches);
  return [
    ...(from > 0 ? [{ text: ELLIPSIS, match: false }] : []),
    ...markMatches(text, from, until, matches),
    ...(until < text.length ? [{ text: ELLIPSIS, match: false }] : []),
  ];
}

/** A whole text with its matches marked. */
export function markText(original: string, isMatch: (word: string) => boolean): ExcerptPiece[] {
  const text = original.toWellFormed().normalize('NFC');
  const matches = locateWords(text)
    .slice(0, MAX_WORDS)
    .filter(({ word }) => isMatch(word));
  return markMatches(text, 0, text.length, matches);
}

/** The distinct words of a text that may be passed to `weigh`. */
export function listExcerptWords(text: string): string[] {
  return [
    ...new Set(
      locateWords(normalizeExcerptText(text))
        .slice(0, MAX_WORDS)
        .map(({ word }) => word),
    ),
  ];
}

/** In NFC, as required for splitting words; all white space becomes single spaces. */
function normalizeExcerptText(text: string): string {
  return text.toWellFormed().normalize('NFC').replace(/\s+/gu, ' ').trim();
}

type WeightedPlace = WordPlace & { weight: number };

/** The window with the highest total weight, counting each word once; the first of equals. */
function findBestWindow(text: string, matches: readonly WeightedPlace[]): [from: number, until: number] {
  if (text.length <= MAX_EXCERPT_LENGTH) return [0, text.length];
  let best: { from: number; weight: number } = { from: 0, weight: 0 };
  for (const [i, { start }] of matches.entries()) {
    const from = Math.max(0, start - LEAD_LENGTH);
    const held = new Map<string, number>();
    for (let j = i; j < matches.length; j += 1) {
      const { word, end, weight } = matches[j] ?? { word: '', end: Infinity, weight: 0 };
      if (end > from + MAX_EXCERPT_LENGTH) break;
      held.set(word, weight);
    }
    const weight = [...held.values()].reduce((sum, each) => sum + each, 0);
    if (weight > best.weight) best = { from, weight };
  }
  const latest = Math.max(0, text.length - MAX_EXCERPT_LENGTH);
  const from = Math.min(best.from, latest);
  return [
    findBoundaryAfter(text, from),
    findBoundaryBefore(text, Math.min(text.length, from + MAX_EXCERPT_LENGTH)),
  ];
}

/** Maximum shift of a cut to a word boundary. */
const MAX_CUT_SHIFT = 24;

function findBoundaryAfter(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.indexOf(' ', at);
  return space !== -1 && space - at <= MAX_CUT_SHIFT ? space + 1 : avoidSplitCharacter(text, at);
}

function findBoundaryBefore(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const space = text.lastIndexOf(' ', at);
  return space !== -1 && at - space <= MAX_CUT_SHIFT ? space : avoidSplitCharacter(text, at);
}

/** Never cuts a surrogate pair. */
function avoidSplitCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

function markMatches(
  text: string,
  from: number,
  until: number,
  matches: readonly WordPlace[],
): ExcerptPiece[] {
  const pieces: ExcerptPiece[] = [];
  const add = (start: number, end: number, match: boolean) => {
    const last = pieces.at(-1);
    if (end <= start) return;
    // Matched character pairs overlap; merge them into one piece.
    if (last !== undefined && last.match === match) last.text += text.slice(start, end);
    else pieces.push({ text: text.slice(start, end), match });
  };
  let at = from;
  for (const { start, end } of matches) {
    if (start < from || end > until) continue;
    add(at, Math.max(at, start), false);
    add(Math.max(at, start), end, true);
    at = Math.max(at, end);
  }
  add(at, until, false);
  return pieces;
}
