/** The wordings of a prompt that are sent to sources. */

import type { Source } from '../../model/enumerations.ts';
import { pickBestWords } from '../sources/provider-query.ts';
import type { SourceQuery } from '../sources/search-source.ts';
import { type Keyword, type Question, readQuestion } from './keywords.ts';
import { splitHalves } from './question-parts.ts';

/** A wording of a prompt: sources that require every word find more with fewer. */
export type Wording = Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases' | 'language'> & {
  /** Begins after the requested period does; default: the requested period. */
  from?: Date | undefined;
};

/** Wordings that a language model planned, by source. */
export type PlannedWordings = ReadonlyMap<Source, readonly Wording[]>;

export type Wordings = {
  /** As the user wrote it. */
  own: Wording;
  /** The questions of a prompt that asks several; subsets of the best keywords, at least two each. All different; at most three. */
  narrower: readonly Wording[];
  /** The two best keywords, each alone: the last resort. */
  single: readonly Wording[];
  /** Words that no result may have in its title. */
  excluded: Question['excluded'];
};

const NARROWER_PLACES = [
  [0, 1, 2],
  [0, 1],
  [0, 2],
];
const MOST_NARROWER = 3;

export function planWordings(prompt: string): Wordings {
  const { keywords, language, excluded } = readQuestion(prompt);
  const word = (text: string, all: readonly Keyword[]): Wording => ({
    prompt: text,
    keywords: all.map((each) => each.text),
    phrases: all.filter(({ isExact }) => isExact).map((each) => each.text),
    language,
  });
  const of = (places: readonly number[]): Wording => {
    const chosen = places.flatMap((place) => keywords.slice(place, place + 1));
    const ordered = pickBestWords(
      { prompt, keywords: chosen.map(({ text }) => text) },
      Number.POSITIVE_INFINITY,
    );
    const text = ordered.map((each) =>
      chosen.some((keyword) => keyword.isExact && keyword.text === each) ? `"${each}"` : each,
    );
    const inOrder = ordered.flatMap((each) => chosen.filter((keyword) => keyword.text === each));
    return word(text.join(' '), inOrder);
  };
  const count = keywords.length;
  const halves = listHalves(prompt, language, keywords[0]).map((half) =>
    word(half, readQuestion(half).keywords),
  );
  const subsets = NARROWER_PLACES.filter(
    (places) => Math.max(...places) < count && places.length < count,
  ).map(of);
  return {
    own: word(prompt, keywords),
    narrower: [...halves, ...subsets].slice(0, MOST_NARROWER),
    single: count > 1 ? [of([0]), of([1])] : [],
    excluded,
  };
}

/** The questions of a prompt that asks several. A later one that lacks the subject ("and how does it work") gets it. */
function listHalves(prompt: string, language: string | null, subject: Keyword | undefined): string[] {
  const halves = splitHalves(prompt, language);
  if (halves.length < 2 || subject === undefined) return [];
  return halves.map((half) =>
    half.toLowerCase().includes(subject.text)
      ? half
      : `${subject.isExact ? `"${subject.text}"` : subject.text} ${half}`,
  );
}
