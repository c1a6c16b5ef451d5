/** Keywords of a prompt: its names, neighbors that belong together, and rare words, without the stop words of its language. */

import { hasUnspacedScript } from '../../model/relevance.ts';
import { memoizeByText } from '../../lib/memoize-by-text.ts';
import { INVISIBLES } from '../../lib/text.ts';
import { MAX_PROMPT_LENGTH } from '../../protocol/specification.ts';
import {
  ASKING_WORDS,
  detectLanguage,
  isQuestionWord,
  isStopWord,
  PREDICATES,
  RELATION_WORDS,
} from './question-words.ts';
import { NAME_BONUS, readTokens, toBoundedLowerCase, type Token, WORD } from './prompt-words.ts';
import { removeExcluded } from './question-parts.ts';
import { findRarity, MAX_RARITY } from './word-rarity.ts';

const MAX_KEYWORDS = 12;
/** A name of more words is a title, or a shouted sentence. */
const MAX_NAME_WORDS = 5;

const QUOTED_PHRASE = /["“”„«»「」『』]([^"“”„«»「」『』]{2,80})["“”„«»「」『』]/gu;
/** Search operators: `site:x`, `-word`, `AND`, `NOT word`. */
const SEARCH_OPERATOR =
  /(?<![\p{L}\p{N}_])(?:(?:site|from|to|lang|language|since|until|before|after|filter|intitle|inurl|filetype|has|type):\S+|NOT\s+\S+|AND|OR|NOT)(?![\p{L}\p{N}_])|(?<=^|\s)-(?=[\p{L}\p{N}])\S+/gu;
/** Inside words: a soft hyphen, a zero-width space. */
const WITHOUT_WIDTH = new RegExp(String.raw`[\u00ad${INVISIBLES}]`, 'gu');
/** "How old", "wie hoch": what is asked for, not what it is about. */
const ASKED_DEGREE =
  /(?<!\p{L})(?:how (?:old|tall|fast|high|deep|heavy|wide|hot|cold|large|big|far|long|often|soon|strong|hard|expensive|dangerous|safe)|wie (?:alt|groß|schnell|hoch|tief|schwer|breit|heiß|kalt|weit|lange?|oft|stark|teuer|gefährlich)|hoe (?:oud|groot|snel|hoog|diep|zwaar|ver|lang|vaak|duur))(?!\p{L})/giu;
/** Up to two words after "which". */
const ASKED_KIND =
  /(?:^|[.,;]\s)[¿\s]*(?:which|what|welche[rsmn]?|quel(?:le)?s?|qué|cuáles|quali|quale|quais|qual|welke)\s+(\p{L}+(?:\s\p{L}+)?)/iu;
const URL_SCHEME = /https?:\/\/(?:www\.)?/giu;

/**
 * Reads a prompt. Its keywords are its most significant words, best first, in lower case, distinct, at most 12: quoted phrases, then names of several
 * words and pairs of neighbors ("bird flu"), each as one keyword, and single words; names, tags and rare words before frequent
 * ones, words of asking last. Excludes stop words unless there is nothing else. Every step of an answer asks for it.
 */
export const readQuestion = memoizeByText({ most: 100, longest: MAX_PROMPT_LENGTH }, parseQuestion);

function parseQuestion(prompt: string): Question {
  const text = cleanPrompt(prompt);
  const language = detectPromptLanguage(text);
  const phrases = [...listQuotedPhrases(text)].map((phrase) => ({
    text: phrase,
    isExact: phrase.includes(' '),
    isName: true,
  }));
  const plain = text.replace(QUOTED_PHRASE, ' . ').replace(ASKED_DEGREE, ' . ');
  const { text: kept, excluded } = removeExcluded(plain, language);
  const ranked = rankTerms(kept.replace(SEARCH_OPERATOR, ' . '));
  const terms = [...phrases, ...ranked];
  // Only search operators: use their words.
  const all = terms.length > 0 ? terms : rankTerms(text);
  const distinct = new Map(all.toReversed().map((term) => [term.text, term]));
  const kind = ASKED_KIND.exec(plain)?.[1]?.toLowerCase() ?? '';
  const keywords = all
    .filter((term) => distinct.get(term.text) === term)
    .slice(0, MAX_KEYWORDS)
    .map((term) => ({ ...term, isKind: kind.startsWith(term.text) }));
  return { keywords, language, excluded };
}

/** `weight`: up to 1, less for frequent words and for what somebody does with a subject. `isName`: of a name. */
type SubjectWord = { word: string; weight: number; isName: boolean };

/** A word of relation says less about what a text is about: "effects", "spreading". */
const RELATION_WEIGHT = 0.4;
const LEAST_WEIGHT = 0.3;

/** The words that name the subject, best first; without words of the question such as "latest news", unless there are no others. */
export function extractSubjectWords({
  keywords,
  language,
}: Pick<Question, 'keywords' | 'language'>): readonly SubjectWord[] {
  const weigh = (word: string, { isName, isKind }: Keyword) => {
    if (RELATION_WORDS.has(word) || isKind === true) return RELATION_WEIGHT;
    const rarity = isName ? null : findRarity(word, language ?? 'en');
    return rarity === null ? 1 : Math.max(LEAST_WEIGHT, rarity / MAX_RARITY);
  };
  const words = keywords.flatMap((keyword) =>
    (keyword.isExact ? [keyword.text] : keyword.text.split(' ')).map((word) => ({
      word,
      weight: weigh(word, keyword),
      isName: keyword.isName,
    })),
  );
  const subject = words.filter(({ word }) => !ASKING_WORDS.has(word));
  return subject.length > 0 ? subject : words;
}

/** Phrases that the user put between quotation marks, in lower case: they must be found as they are. */
function listQuotedPhrases(prompt: string): ReadonlySet<string> {
  const phrases = Array.from(prompt.matchAll(QUOTED_PHRASE), ([, inside = '']) =>
    toBoundedLowerCase(inside.match(WORD)?.join(' ') ?? ''),
  );
  return new Set(phrases.filter((phrase) => phrase !== ''));
}

function detectPromptLanguage(text: string): string | null {
  return detectLanguage(text.toLowerCase().match(WORD) ?? []);
}

function cleanPrompt(prompt: string): string {
  return prompt.normalize('NFC').replace(WITHOUT_WIDTH, '').replace(URL_SCHEME, ' ');
}

/**
 * `isExact`: several words that must be found as they are. `isName`: quoted, or capitalized where no sentence begins.
 * `isKind`: of what the question asks for, as "countries" in "which countries".
 */
type Term = { text: string; weight: number; isExact: boolean; isName: boolean; isKind?: boolean };

export type Keyword = Pick<Term, 'text' | 'isExact' | 'isName' | 'isKind'>;

/** What a prompt asks for. */
export type Question = {
  keywords: readonly Keyword[];
  /** ISO 639-1; null if its words do not tell. */
  language: string | null;
  /** Words, in lower case, that results must not have in their titles: `-word`, `NOT word`, "not the game", "except Berlin". */
  excluded: readonly string[];
};

/** What the first word counts more, and words of relation less, in the logarithm of ranks. */
const LEAD_BONUS = 1.5;
const RELATION_MALUS = 4;

/** Best first. */
function rankTerms(text: string): Term[] {
  const tokens = readTokens(text);
  const language = detectLanguage(tokens.map((token) => token.text));
  // "Go" and "IT" are names where others would be lower-case.
  const isEmpty = ({ text: word, isNamed, isShouted }: Token) =>
    isStopWord(word, language) ? !isShouted : !isNamed && isQuestionWord(word, language);
  const runs = splitRuns(tokens, isEmpty);
  const terms = (runs.length > 0 ? runs : splitRuns(tokens, () => false)).flatMap((run) =>
    splitVerb(run, language).flatMap((part) => weighRun(part, language)),
  );
  // People begin with the subject.
  const lead = terms.find(({ text: words }) => !RELATION_WORDS.has(words) && !ASKING_WORDS.has(words));
  if (lead !== undefined) lead.weight += LEAD_BONUS;
  return terms.toSorted((a, b) => b.weight - a.weight);
}

/** Runs of neighbors that are all significant. Words of asking and of relation stand alone. */
function splitRuns(tokens: readonly Token[], isEmpty: (token: Token) => boolean): Token[][] {
  const runs: Token[][] = [];
  let isOpen = false;
  let isJoining = false;
  for (const token of tokens) {
    const { text, isNext } = token;
    if (isEmpty(token)) {
      isJoining = isOpen && isNext && text === 'à';
      isOpen = false;
      continue;
    }
    const isAlone = ASKING_WORDS.has(text) || PREDICATES.has(text);
    if (isJoining && isNext && !token.isNamed) runs.at(-1)?.push({ ...token, isJoined: true });
    else if (isOpen && isNext && !isAlone) runs.at(-1)?.push(token);
    else runs.push([token]);
    isOpen = !isAlone;
    isJoining = false;
  }
  return runs;
}

const NUMBER = /^\p{Nd}+(?:[.-]\p{Nd}+)*$/u;
const YEAR = /^(?:19|20)\d\d$/;
const PARTICIPLE = /^\p{L}{3,}ing$/u;

/** In "is bird flu spreading", the participle is no part of the subject; in "vertical farming", it is. */
function splitVerb(run: readonly Token[], language: string | null): (readonly Token[])[] {
  const last = run.at(-1);
  if (language !== 'en' || run.length < 3 || last === undefined || !PARTICIPLE.test(last.text)) return [run];
  return [run.slice(0, -1), [last]];
}

/** The names, pairs and single words of a run. Its single words keep together. */
function weighRun(run: readonly Token[], language: string | null): Term[] {
  const terms = joinNeighbors(run, language).map((joined) => weighTerm(joined, language));
  const singles = terms.filter(({ text }) => !text.includes(' '));
  const best = Math.max(...singles.map(({ weight }) => weight));
  const isOne = singles.length === terms.length && terms.length > 2;
  return isOne
    ? terms.toSorted((a, b) => b.weight - a.weight).map((term) => ({ ...term, weight: best }))
    : terms;
}

/** Neighbors that are one term: a name of several words; two words. Others stay single words. */
function joinNeighbors(run: readonly Token[], language: string | null): (readonly Token[])[] {
  const continues = (token: Token | undefined) =>
    token !== undefined && (token.isNamed || NUMBER.test(token.text));
  const from = run.findIndex(({ isCapitalized }, i) => isCapitalized && continues(run[i + 1]));
  if (from !== -1) {
    let to = from + 2;
    while (continues(run[to]) && to - from < MAX_NAME_WORDS) to += 1;
    if (YEAR.test(run[to - 1]?.text ?? '')) to -= 1;
    const around = [run.slice(0, from), run.slice(to)].map((part) => joinNeighbors(part, language));
    return [...(around[0] ?? []), run.slice(from, to), ...(around[1] ?? [])];
  }
  const isPair = language === 'en' || language === 'de' || language === null;
  const [first, second, third] = run;
  if (run.length === 2 && (second?.isJoined === true || (isPair && first?.isNamed === second?.isNamed)))
    return [run];
  // "climate change effects": the word of relation is no part of the subject.
  if (isPair && run.length === 3 && third !== undefined && RELATION_WORDS.has(third.text))
    return [run.slice(0, 2), [third]];
  return run.map((token) => [token]);
}

function weighTerm(tokens: readonly Token[], language: string | null): Term {
  const weights = tokens.map(({ text, bonus }) => bonus + weighWord(text, language));
  const joined = tokens.map(({ text }) => text).join(' ');
  const isSubject = tokens.length > 1 || !RELATION_WORDS.has(joined);
  const isName = tokens.length > 1 && tokens[0]?.isCapitalized === true;
  if (isName) return { text: joined, weight: MAX_RARITY + NAME_BONUS, isExact: true, isName };
  return {
    text: joined,
    weight: Math.max(...weights) - (isSubject ? 0 : RELATION_MALUS),
    isExact: false,
    isName: tokens.some(({ isNamed }) => isNamed),
  };
}

/** From -8 to {@link MAX_RARITY}. Without a list of the language, long words are taken for rare ones. */
function weighWord(word: string, language: string | null): number {
  if (ASKING_WORDS.has(word)) return -8;
  // A few words without a stop word are a search, mostly in English.
  const rarity = findRarity(word, language ?? 'en');
  if (rarity !== null) return rarity;
  return MAX_RARITY * Math.min(1, (word.length * (hasUnspacedScript(word) ? 3 : 1)) / 12);
}
