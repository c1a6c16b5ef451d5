/** What the found texts themselves say about how well they fit: one more list, beside those of the sources. */
import { inverseFrequency, saturation } from '../../relevance/bm25.ts';
import { isUnspaced } from '../../relevance/words.ts';
import type { Found } from '../source.ts';

/** More of the same word in one text says nothing more. */
const TIMES_MOST = 4;
/** Words of this length or more fit when all but their last two letters do: `elections` fits `election`. */
const STEMMED_FROM = 6;
/** A whole prompt is looked for as a phrase when it is no longer than this. */
const PHRASE_MOST = 60;
const LETTER = /[\p{L}\p{N}]/u;

/** @returns things by number, those that fit best first; those that fit not at all are left out */
export function agreementList(
  things: readonly Found[],
  { keywords, prompt }: { keywords: readonly string[]; prompt: string },
): number[] {
  const terms = termsOf(keywords, prompt);
  const texts = things.map(({ title, snippet }) =>
    (snippet.startsWith(title) ? snippet : `${title} ${snippet}`).toLowerCase(),
  );
  const averageLength = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const scores = texts.map(() => 0);
  for (const term of terms) {
    const times = texts.map((text) => occurrences(text, term));
    const rare = inverseFrequency(times.filter((n) => n > 0).length, texts.length);
    for (const [i, n] of times.entries()) {
      if (n > 0) scores[i] = (scores[i] ?? 0) + rare * saturation(n, texts[i]?.length ?? 0, averageLength);
    }
  }
  return Array.from(scores.keys())
    .filter((i) => (scores[i] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
}

function termsOf(keywords: readonly string[], prompt: string): string[] {
  const whole = prompt.toLowerCase().replace(/\s+/gu, ' ').trim();
  const terms = keywords.map((word) =>
    word.length >= STEMMED_FROM && !/[\s\p{N}]/u.test(word) && !isUnspaced(word) ? word.slice(0, -2) : word,
  );
  return [...new Set(whole.includes(' ') && whole.length <= PHRASE_MOST ? [...terms, whole] : terms)];
}

/** How often a term begins a word of a text; in scripts without spaces, how often it stands there. */
function occurrences(text: string, term: string): number {
  let count = 0;
  for (
    let at = text.indexOf(term);
    at !== -1 && count < TIMES_MOST;
    at = text.indexOf(term, at + term.length)
  ) {
    const before = text[at - 1];
    if (before === undefined || !LETTER.test(before) || isUnspaced(term)) count += 1;
  }
  return count;
}
