/** Makes a query of words only: what a language model writes may contain operators, which each source would read in its own way. */

import { WORD } from './prompt-words.ts';

const MAX_WORDS = 12;
const MAX_LENGTH = 120;
/** `site:example.org`, `lang:de`, `"…"~3`; `-word` and `NOT word`, with the word that they exclude. */
const OPERATOR =
  /(?<![\p{L}\p{N}])[\p{L}_]+:\S+|(?<=^|[\s(])[-!](?=[\p{L}\p{N}"(])(?:"[^"]*"?|\S+)|(?<![\p{L}\p{N}_])NOT\s+(?:"[^"]*"?|\S+)/gu;
const BETWEEN = new Set(['AND', 'OR', 'NOT', 'NEAR', 'ADJ', 'XOR', 'TO']);

/** @returns the words of a query in their order, at most twelve; '' if it has none */
export function toPlainQuery(text: string): string {
  const words = (text.normalize('NFC').replace(OPERATOR, ' ').match(WORD) ?? [])
    .filter((word) => !BETWEEN.has(word))
    .map((word) => word.replace(/^[#@]+/u, ''))
    .slice(0, MAX_WORDS);
  while (words.join(' ').length > MAX_LENGTH) words.pop();
  return words.join(' ');
}
