/** Extracts whole sentences that can be quoted verbatim. */
import { hasUnspacedScript } from '../../model/relevance.ts';
import { removeListNumber, splitSentences, unwrapLines } from '../../lib/sentences.ts';
import { hasLetterOrDigit } from '../../lib/text.ts';
import { isBoilerplate } from '../sources/parse/boilerplate.ts';
import { collapseSpaces } from './unsafe-markup.ts';

const MIN_WORDS = 4;
/** What readers of completions take for a statement. */
const MIN_TITLE_WORDS = 3;
const MIN_LENGTH = 20;
/** Scripts without spaces need fewer characters. */
const MIN_LENGTH_UNSPACED = 8;
/** Encyclopedias define in long sentences. */
const MAX_LENGTH = 400;

const SENTENCE_END = /[.!?؟।॥。！？]["'”’»)\]」』）]*$/u;
/** Cut, or the introduction of something that does not follow. */
const UNFINISHED = /(?:…|\.\.|[,;:–—-])["'”’»)\]]*$/u;
const ENDS_IN_HAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]$/u;
const LEADING_MARKS = /^(?:https?:\/\/\S+|[^\p{L}\p{N}"'“„«¿¡($€£@#「『（《【])+/u;
/** What a page calls the text that follows. */
const LABEL = /^(?:abstract|summary|a)\s?:\s*(?=[\p{Lu}\p{N}])/iu;
const LINK = /^https?:\/\/\S/;
const TAG = /^#[\p{L}\p{N}_]+$/u;
const ANY_TAG = /[#＃@][\p{L}\p{M}\p{N}_]+/gu;
/** A repost's author, or those whom a reply addresses; not an account that is the subject of the sentence. */
const ADDRESSEES = /^(?:RT @\w+:\s*|(?:@[\w.-]{1,99}\s+)+(?=[\p{Lu}\p{N}"“]))/u;

/** `place`: the number of pieces of the text before it, whether they can be quoted or not. */
type PlacedSentence = { text: string; place: number };

/**
 * The sentences of a text, and the questions that it asks.
 * @param text from `toVisibleLines`
 * @param loose for posts and comments: a line end also ends a sentence, and sentences can start in lower case
 */
export function extractSentences(text: string, loose = false): PlacedSentence[] {
  const pieces = splitSentences(unwrapLines(text.replace(ADDRESSEES, '')));
  return pieces.flatMap((piece, place) => {
    const sentence = trimSentence(piece);
    const endsLine = piece.endsWith('\n') || place === pieces.length - 1;
    return isSentence(sentence, loose, endsLine) ? [{ text: sentence, place }] : [];
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
  // Hashtags alone say nothing, also where no space separates them from the next.
  if (hasUnspacedScript(text)) return isStatement(text.replace(ANY_TAG, ' ').trim());
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

const ENDS_AS_QUESTION = /[?？؟⁈⁇][!"'”’»)\]」』）]{0,5}$/u;
/** Requests without a question mark. */
const REQUEST =
  /^(?:(?:ask|tell) \p{Lu}{2}\s?[:–-]|(?:hi|hello|hey)\b.{0,30}\b(?:i|we)\b|(?:i'?m|i am|we'?re|we are|i was) (?:looking for|searching for|trying to|wondering|curious|struggling|having (?:trouble|issues|problems))|(?:looking|searching) for\b|(?:just )?(?:wondering|curious)\b|(?:does|do|has|have|is|can|could|would|will|did) (?:any|some)(?:one|body)\b|any(?:one|body) (?:know|knows|here|else|have|has|tried|using)\b|any (?:advice|ideas?|tips|suggestions?|recommendations?|help|thoughts|experience)\b|(?:please|pls) (?:help|advise|recommend|explain)|help needed|need (?:help|advice)|please (?:add|support|build|consider|fix|make|provide|allow)|(?:it )?would be (?:great|nice|good|helpful|cool)|feature request|eli5\b|(?:thanks|thank you) in advance|what (?:am i|should i|do you)|how (?:do|can|should|would) (?:i|we|you)|weiß jemand|hat jemand|kennt jemand|kann (?:mir )?jemand|(?:ich )?suche\b|quelqu['’]un (?:sait|connaît|a)|je cherche|alguien (?:sabe|conoce|tiene|puede)|busco\b|qualcuno (?:sa|conosce|ha)|cerco\b|alguém (?:sabe|conhece|tem|pode)|procuro\b)/iu;

/** Whether a sentence asks: it is no answer to anybody else's question. */
export function isQuestion(sentence: string): boolean {
  return ENDS_AS_QUESTION.test(sentence) || isRequest(sentence);
}

/** Whether a sentence asks others for something: so does all that follows it. */
export function isRequest(sentence: string): boolean {
  return REQUEST.test(sentence);
}

/** "How we built …", "Warum …": a title that promises an answer, and does not give it. */
const PROMISE =
  /^["“„«'‘¿]?(?:how|why|what|which|who|whom|whose|where|wie|warum|wieso|weshalb|was|welche[rsmn]?|wer|wo|comment|pourquoi|quoi|quel(?:le)?s?|où|qui|cómo|por qué|qué|cuál(?:es)?|quién(?:es)?|dónde|come|perché|cosa|quale|quali|chi|dove|como|por que|o que|qual|quais|quem|onde)(?![\p{L}\p{N}'’])/iu;

/** Whether a title asks, or only says what the text is about. */
export function isPromise(title: string): boolean {
  return isQuestion(title) || PROMISE.test(title);
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
  // “English” and „German“: the mark that opens an English quotation closes a German quotation.
  const quoted = count('„') > 0 ? count('„') === count('“') : count('“') === count('”');
  const paired = ['()', '«»', '《》', '【】'].every(
    ([open = '', close = '']) => count(open) === count(close),
  );
  return quoted && paired && count('"') % 2 === 0;
}
