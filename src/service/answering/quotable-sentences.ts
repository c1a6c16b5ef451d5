/** Extracts whole sentences that can be quoted verbatim. */
import { hasUnspacedScript } from '../../domain/relevance.ts';
import { removeListNumber, splitSentences, unwrapLines } from '../../domain/sentences.ts';
import { hasLetterOrDigit } from '../../domain/text.ts';
import { isBoilerplate } from '../sources/parse/boilerplate.ts';
import { collapseSpaces } from './unsafe-markup.ts';

const MIN_WORDS = 4;
/** What readers of completions take for a statement. */
const MIN_TITLE_WORDS = 3;
const MIN_LENGTH = 20;
/** Scripts without spaces need fewer characters. */
const MIN_LENGTH_UNSPACED = 8;
const MAX_LENGTH = 300;

const SENTENCE_END = /[.!?؟।॥。！？]["'”’»)\]」』）]*$/u;
/** Cut, or the introduction of something that does not follow. */
const UNFINISHED = /(?:…|\.\.|[,;:–—-])["'”’»)\]]*$/u;
const ENDS_IN_HAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]$/u;
const LEADING_MARKS = /^(?:https?:\/\/\S+|[^\p{L}\p{N}"'“„«¿¡($€£@#「『（《【])+/u;
/** What a page calls the text that follows. */
const LABEL = /^(?:abstract|summary|a)\s?:\s*(?=[\p{Lu}\p{N}])/iu;
const LINK = /^https?:\/\/\S/;
const TAG = /^#[\p{L}\p{N}_]+$/u;
/** A repost's author, or those whom a reply addresses; not an account that is the subject of the sentence. */
const ADDRESSEES = /^(?:RT @\w+:\s*|(?:@[\w.-]{1,99}\s+)+(?=[\p{Lu}\p{N}"“]))/u;

/**
 * @param text from `toVisibleLines`
 * @param loose for posts and comments: a line end also ends a sentence, and sentences can start in lower case
 */
export function extractSentences(text: string, loose = false): string[] {
  const pieces = splitSentences(unwrapLines(text.replace(ADDRESSEES, '')));
  return pieces.flatMap((piece, i) => {
    const sentence = trimSentence(piece);
    const endsLine = piece.endsWith('\n') || i === pieces.length - 1;
    return isSentence(sentence, loose, endsLine) ? [sentence] : [];
  });
}

/** Removes leading mentions and trailing links and hashtags; a single tag may be a word. */
function trimSentence(part: string): string {
  const words = removeListNumber(collapseSpaces(part))
    .replace(LEADING_MARKS, '')
    .replace(LABEL, '')
    .split(' ');
  const unlinked = words.slice(0, words.findLastIndex((word) => !LINK.test(word)) + 1);
  const untagged = unlinked.slice(0, Math.max(1, unlinked.findLastIndex((word) => !TAG.test(word)) + 1));
  return (unlinked.length - untagged.length > 1 ? untagged : unlinked).join(' ');
}

function isSentence(text: string, loose: boolean, lineEnds: boolean): boolean {
  if (!SENTENCE_END.test(text) && !(loose && lineEnds)) return false;
  if (!loose && /^\p{Ll}(?!\p{Lu})/u.test(text)) return false;
  if (!isStatement(text) || isBoilerplate(text)) return false;
  if (hasUnspacedScript(text)) return true;
  const words = listWords(text);
  const tags = words.filter((word) => word.startsWith('#') || word.startsWith('@'));
  return text.length >= MIN_LENGTH && words.length >= MIN_WORDS && tags.length * 2 < words.length;
}

/** Whether a line says something as a whole: neither cut nor a fragment. Titles may be shorter than sentences. */
export function isStatement(text: string): boolean {
  if (text.length > MAX_LENGTH || UNFINISHED.test(text) || !isBalanced(text)) return false;
  return hasUnspacedScript(text)
    ? text.length >= MIN_LENGTH_UNSPACED
    : new Set(listWords(text.toLowerCase())).size >= MIN_TITLE_WORDS;
}

function listWords(text: string): string[] {
  return text.split(' ').filter(hasLetterOrDigit);
}

/** The sentence with a mark at its end. */
export function endSentence(text: string): string {
  if (SENTENCE_END.test(text)) return text;
  return `${text}${ENDS_IN_HAN.test(text) ? '。' : '.'}`;
}

/** Unbalanced quotation marks or brackets mean that the sentence is a fragment. */
function isBalanced(text: string): boolean {
  if (!/["“”„()«»《》【】]/.test(text)) return true;
  const count = (mark: string) => text.split(mark).length - 1;
  // “English” and „German“: the mark that opens one closes the other.
  const quoted = count('„') > 0 ? count('„') === count('“') : count('“') === count('”');
  const paired = ['()', '«»', '《》', '【】'].every(
    ([open = '', close = '']) => count(open) === count(close),
  );
  return quoted && paired && count('"') % 2 === 0;
}
