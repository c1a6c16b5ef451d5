/** What a prompt is about: which of its words, and of its names, a text contains. */

import { splitIndexWords } from '../../model/relevance.ts';
import { extractSubjectWords, readQuestion } from '../planning/keywords.ts';
import { findRarity } from '../planning/word-rarity.ts';
import { cutBeforeInjection } from './injection.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Whether a text contains a word of the prompt, in any form. */
type Test = (words: readonly number[]) => boolean;

/** @param matches the numbers of the words that match a word of the prompt */
function toTest(matches: ReadonlySet<number>): Test {
  return (words) => words.some((word) => matches.has(word));
}

/** Of a name of at least three words; '' otherwise. */
function readInitials(name: string): string {
  const parts = splitIndexWords(name);
  return parts.length < 3 ? '' : parts.map((part) => part.slice(0, 1)).join('');
}

/** An item with less of the prompt's words is about something else; of a long prompt, with fewer words. */
const ABOUT_SHARE = 0.4;
const ABOUT_WORDS = 2;
/** Words of this weight say how things relate: see `extractSubjectWords`. */
const PREDICATE_WEIGHT = 0.4;

type Subject = {
  /** Whether a text contains each of the things that it names, which predicates are not. */
  things: readonly Test[];
  /** Which share of the prompt's words a text contains, by their weights. */
  measure: (words: readonly number[]) => number;
  /** Whether it is about the prompt at all: enough of its words, and a name of it, if it has one. */
  isAbout: Test;
  /** Which of the prompt's words it contains. */
  name: (words: readonly number[]) => string;
};

export function readSubject(prompt: string, vocabulary: Vocabulary): Subject {
  // What an injection says is no subject.
  const question = readQuestion(cutBeforeInjection(prompt) || prompt);
  const words = extractSubjectWords(question).flatMap(({ word, weight, isName }) =>
    splitIndexWords(word).map((part) => ({ part, weight, isName, of: word })),
  );
  const distinct = [...new Map(words.map((word) => [word.part, word])).values()];
  // "ECB" has all words of the European Central Bank.
  const initials = vocabulary.match(distinct.map(({ of }) => readInitials(of)));
  const tests = vocabulary
    .match(distinct.map(({ part }) => part))
    .map((matches, i) => toTest(new Set([...matches, ...(initials[i] ?? [])])));
  const all = distinct.reduce((sum, { weight }) => sum + weight, 0);
  const rarity = (word: string) => findRarity(word, question.language ?? 'en') ?? word.length;
  const named = [...new Set(distinct.flatMap(({ of, isName }) => (isName ? [of] : [])))].flatMap((name) => {
    const parts = splitIndexWords(name);
    // Of "Marie Curie", the rare word.
    const rarest = parts.reduceRight((a, b) => (rarity(b) > rarity(a) ? b : a), parts.at(-1) ?? '');
    return [rarest, readInitials(name)];
  });
  const nameTests = vocabulary.match(named).map(toTest);
  const weigh = (text: readonly number[]) =>
    distinct.reduce((sum, { weight }, i) => sum + (tests[i]?.(text) === true ? weight : 0), 0);
  return {
    things: tests.filter((_, i) => (distinct[i]?.weight ?? 0) > PREDICATE_WEIGHT),
    measure: (text) => (all === 0 ? 1 : weigh(text) / all),
    isAbout: (text) =>
      weigh(text) >= Math.min(ABOUT_SHARE * all, ABOUT_WORDS) &&
      (nameTests.length === 0 || nameTests.some((test) => test(text))),
    name: (text) => tests.map((test) => (test(text) ? '1' : '0')).join(''),
  };
}

/**
 * Tests whether a text contains a word of the prompt that fewer than half of the results have, but more than one, which
 * may be chance: where most have "Hello World", only `film` separates those about "Hello World film" from the others.
 */
export function createTelling(tests: readonly Test[], texts: readonly (readonly number[])[]): Test {
  const telling = tests.filter((test) => {
    const holders = texts.filter(test).length;
    return holders > 1 && holders < texts.length / 2;
  });
  return (words) => telling.some((test) => test(words));
}
