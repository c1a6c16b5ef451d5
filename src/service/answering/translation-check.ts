/**
 * Whether a text can be the translation of another, by what survives every translation: figures, addresses, @names, names in Latin
 * letters, the length, and the script of the language. Whether it says the same is not decided here.
 */
import { baseLanguage } from '../../model/translating.ts';
import { detectLanguage, isStopWord } from '../planning/question-words.ts';
import { containsInjection } from './injection.ts';
import { extractFigures } from './numeric-figures.ts';
import { containsAddress, containsHost, containsMarkup, isEncoded } from './unsafe-markup.ts';

/** Web addresses; of ASCII, since other scripts have no space after one. */
const ADDRESS = /(?:https?:\/\/|www\.)[\x21-\x7e]{1,2000}/giu;
const END_OF_ADDRESS = /[.,;:!?'")\]]{1,10}$/u;
const MENTION = /(?<![\p{L}\p{N}@])@[A-Za-z0-9_][A-Za-z0-9_.-]{0,60}/gu;
const HASHTAG = /#[\p{L}\p{N}_]{1,100}/gu;
const LETTER = /\p{L}/gu;

const listAddresses = (text: string): string[] =>
  (text.match(ADDRESS) ?? []).map((address) => address.replace(END_OF_ADDRESS, ''));
const listMentions = (text: string): string[] =>
  (text.match(MENTION) ?? []).map((name) => name.replace(END_OF_ADDRESS, '').toLowerCase());
const withoutAddresses = (text: string): string => text.replace(ADDRESS, ' ').replace(MENTION, ' ');

/** Whether a text has more to translate than addresses, @names, hashtags and signs. */
export function hasWords(text: string): boolean {
  return (withoutAddresses(text).replace(HASHTAG, ' ').match(LETTER) ?? []).length >= 2;
}

/** Whether two texts have the same letters and digits. */
export function sayTheSame(one: string, other: string): boolean {
  return toLetters(one) === toLetters(other);
}

const toLetters = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** What models write beside or instead of a translation. */
const ABOUT_ITSELF =
  /^(?:(?:i['’]?m|i am|we are) (?:sorry|unable|not able)|sorry\b|i (?:can['’]?t|cannot|can not|won['’]?t|do not|don['’]?t)\b.{0,60}\b(?:translat|assist|help|comply|provide|content)|as an ai\b|(?:sure|certainly|of course)\b[!,.]|(?:here (?:is|are)|here['’]s) (?:the|your|a) translat|(?:the )?translation\b.{0,30}:)/iu;

/** @param text one line of a model @param original what the model read */
export function canTranslate(text: string, original: string, language: string): boolean {
  return (
    hasWords(text) &&
    canBeIn(text, language) &&
    isOfLength(text, original) &&
    keepsAddresses(text, original) &&
    keepsFigures(withoutAddresses(text), withoutAddresses(original)) &&
    keepsNames(text, original) &&
    (!containsMarkup(text) || containsMarkup(original)) &&
    (!isEncoded(withoutAddresses(text)) || isEncoded(withoutAddresses(original))) &&
    !containsInjection(text) &&
    !ABOUT_ITSELF.test(text)
  );
}

function keepsAddresses(text: string, original: string): boolean {
  const hasAll = (list: (given: string) => string[]) => {
    const [of, to] = [new Set(list(original)), new Set(list(text))];
    return of.size === to.size && [...of].every((each) => to.has(each));
  };
  const [rest, before] = [withoutAddresses(text), withoutAddresses(original)];
  return (
    hasAll(listAddresses) &&
    hasAll(listMentions) &&
    (!containsAddress(rest) || containsAddress(before)) &&
    (!containsHost(rest) || containsHost(before))
  );
}

/** Figures that may be written in words in the other language: numbers of days and less. */
const MAX_IN_WORDS = 31;
/** Months of Chinese, Japanese and Korean, which others name. */
const MONTH = /\p{Nd}{1,2}(?= ?[月월])/gu;
const CHINESE_NUMERAL = /[一二三四五六七八九十百千万萬億亿兆]/u;

/** Each figure in digits is kept, and none is new. Both may differ in scale words that only one of the languages has here. */
function keepsFigures(text: string, original: string): boolean {
  const given = original.replace(MONTH, ' ');
  const [all, inWords] = [extractFigures(given), extractFigures(given.replace(/\p{Nd}/gu, ' '))];
  const [digits, said, saidDigits] = [listDigits(given), extractFigures(text), listDigits(text)];
  const inDigits = [...all].filter((figure) => /^\d/.test(figure) && !inWords.has(figure));
  const isKept = inDigits.every((figure) => said.has(figure)) || isSubset(digits, saidDigits);
  if (!isKept) return false;
  if (CHINESE_NUMERAL.test(original)) return true;
  const known = new Set([...extractFigures(original), ...listDigits(original)]);
  const isNew = (figure: string) =>
    /^\d/.test(figure) && !known.has(figure) && !(Number(figure) <= MAX_IN_WORDS);
  return ![...said].some(isNew) || ![...saidDigits].some(isNew);
}

/** Each run of digits, of any script, without signs between them. */
function listDigits(text: string): Set<string> {
  const runs = text.normalize('NFKC').match(/\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*/gu) ?? [];
  return new Set(runs.flatMap((run) => [...extractFigures(run)]));
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((each) => whole.has(each));
}

/** Names in Latin letters within another script; anywhere, those that no language inflects: `OpenAI`, `iPhone`, `GPT-5`. */
const LATIN_NAME = /(?<![\p{L}\p{N}])\p{Script=Latin}[\p{Script=Latin}\p{N}]{2,40}/gu;
const MIXED_CASE = /\p{Ll}\p{Lu}/u;

function keepsNames(text: string, original: string): boolean {
  const plain = withoutAddresses(original).replace(HASHTAG, ' ');
  const isForeign = !isWrittenIn(plain, 'en');
  const lower = text.toLowerCase();
  return (plain.match(LATIN_NAME) ?? [])
    .filter((name) => (isForeign && /^\p{Lu}/u.test(name)) || MIXED_CASE.test(name))
    .every((name) => lower.includes(name.toLowerCase()));
}

/** A character of a script of syllables or words says as much as about three letters. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LETTERS_PER_DENSE = 3;

/** Between a third and three times of what the original says, with room for short texts. */
function isOfLength(text: string, original: string): boolean {
  const measure = (given: string) => {
    const plain = withoutAddresses(given);
    return plain.length + (LETTERS_PER_DENSE - 1) * (plain.match(DENSE) ?? []).length;
  };
  const [length, expected] = [measure(text), measure(original)];
  return length <= 3 * expected + 30 && 3 * length + 10 >= expected;
}

/** Languages that their frequent words tell apart. */
const KNOWN = new Set(['de', 'en', 'es', 'fr', 'it', 'pt']);
const EAST_ASIAN = new Set(['zh', 'ja', 'ko']);
/** Single letters are units and names. */
const WORD = /[\p{L}\p{M}]{2,}/gu;
/** Frequent words, and their share of all words, that a sentence has and a name or quotation within another language does not. */
const MIN_FREQUENT = 2;
const MIN_FREQUENT_SHARE = 0.2;

/** The language of a text, ISO 639-1, if its script or several of its words say so; null if they do not. */
function findClearLanguage(text: string): string | null {
  const plain = withoutAddresses(text).replace(HASHTAG, ' ').toLowerCase();
  const isDense =
    (plain.match(DENSE) ?? []).length >= MIN_SHARE_OF_SCRIPT * (plain.match(LETTER) ?? []).length;
  const words = (isDense ? plain : plain.replace(DENSE, ' ')).match(WORD) ?? [];
  const language = detectLanguage(words);
  if (language === null || (isDense && EAST_ASIAN.has(language))) return language;
  const frequent = words.filter((word) => isStopWord(word, language)).length;
  const isClear = frequent >= MIN_FREQUENT && frequent >= MIN_FREQUENT_SHARE * words.length;
  return isClear && KNOWN.has(language) ? language : null;
}

/** Whether a text is clearly in a language, so that it needs no translation. */
export function isClearlyIn(text: string, language: string): boolean {
  return findClearLanguage(text) === baseLanguage(language);
}

/** Whether nothing speaks against a text being in a language. */
export function canBeIn(text: string, language: string): boolean {
  const found = KNOWN.has(baseLanguage(language)) ? findClearLanguage(text) : null;
  return isWrittenIn(text, language) && (found === null || found === baseLanguage(language));
}

const MIN_SHARE_OF_SCRIPT = 0.6;
/** Several scripts of a language, by the code of ISO 15924 that stands for them. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Han'],
  Hant: ['Han'],
  Jpan: ['Han', 'Hiragana', 'Katakana'],
  Kore: ['Hangul', 'Han'],
};

/** Whether most letters are of the script of a language; true for a script that is not known. */
function isWrittenIn(text: string, language: string): boolean {
  const plain = withoutAddresses(text).replace(HASHTAG, ' ');
  const letters = plain.match(LETTER) ?? [];
  const { script = 'Latn' } = new Intl.Locale(language).maximize();
  const names = SCRIPTS[script] ?? [script];
  try {
    const own = new RegExp(`[${names.map((name) => `\\p{Script=${name}}`).join('')}]`, 'u');
    return letters.filter((letter) => own.test(letter)).length >= MIN_SHARE_OF_SCRIPT * letters.length;
  } catch {
    return true;
  }
}
