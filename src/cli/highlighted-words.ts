/** The words that a query sought, in bold, and what it could not find. */
import type { ExcerptPiece } from '../model/excerpt.ts';
import type { Terms } from './reply-view.ts';
import { oneLine } from './terminal-text.ts';
import { formatQuantity } from './value-formatting.ts';

/** Paints a cell of a list of what a query selected. */
export function highlightMatched(
  shown: string,
  { matched }: { matched: readonly string[] },
  { page: { colors } }: Terms,
): string {
  return colors.isColorSupported ? highlightWords(matched, colors.bold)(shown) : shown;
}

/** Said of a list of what a query selected. */
export function sayNotIndexed({ beside: { not_indexed: n } }: Terms): string[] {
  if (typeof n !== 'number' || n === 0) return [];
  return [`${formatQuantity(n, 'item')} not indexed yet. Indexing continues; try again.`];
}

/** Highlights matched words in wrapped lines; a word that is split across lines stays plain. */
export function createHighlighter(
  pieces: readonly ExcerptPiece[],
  paint: (text: string) => string,
): (line: string) => string {
  return highlightWords(
    pieces.flatMap(({ text, match }) => (match ? [text] : [])),
    paint,
  );
}

function highlightWords(
  matched: readonly string[],
  paint: (text: string) => string,
): (line: string) => string {
  const words = [...new Set(matched.map(oneLine))];
  if (words.length === 0) return (line) => line;
  // Words contain only letters, marks and digits, so they need no escaping.
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const marked = new RegExp(
    `(?<![\\p{L}\\p{M}\\p{N}])(?:${longestFirst.join('|')})(?![\\p{L}\\p{M}\\p{N}])`,
    'gu',
  );
  return (line) => line.replace(marked, (word) => paint(word));
}
