/** Words as numbers: each text is split once for all texts of a completion, and forms of a word are found among all of them. */

import { foldLetters } from '../../lib/folded-words.ts';
import { getOrMake } from '../../lib/get-or-make.ts';
import { splitIndexWords } from '../../model/relevance.ts';
import { cutEnding } from '../ranking/text-relevance.ts';

/** Maps each distinct word to a number. */
export type Vocabulary = {
  read(text: string): number[];
  /** For each of some index words, the numbers of its forms among all words that were read. */
  match(words: readonly string[]): ReadonlySet<number>[];
  size(): number;
};

export function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>();
  const nextNumber = () => numbers.size;
  const numberOf = (word: string) => getOrMake(numbers, toSingular(word), nextNumber);
  return {
    read: (text) => splitIndexWords(text).map(numberOf),
    match: (words) => {
      const known = Array.from(numbers, ([word, number]) => ({ word, number, stem: stripEnding(word) }));
      return words.map((wanted) => {
        if (wanted === '') return new Set<number>();
        const stem = stripEnding(wanted);
        const others = IRREGULAR_FORMS.get(wanted) ?? IRREGULAR_FORMS.get(stem);
        const forms = known.filter((form) => isFormOf(form, stem) || others?.has(form.word) === true);
        const near = forms.length > 0 ? forms : known.filter(({ word }) => isNearForm(word, stem));
        return new Set(near.map(({ number }) => number));
      });
    },
    size: () => numbers.size,
  };
}

/** Words that questions have in one form and answers in another. */
const IRREGULAR_FORMS = new Map(
  `die died dies dying death dead|win won wins winner winning|cost costs costing price priced prices expensive cheaper|price cost costs|rise rose risen rising rises rise increase increased soared higher
  fall fell fallen falling falls drop dropped lower|spread spreading spreads transmission transmitted|ban banned bans banning prohibited|eat ate eaten eating eats|buy bought buying|pay paid pays
  grow grew grown growing grows growth|begin began begun begins start started starts|start begin began begins|decide decided decides decision|lose lost loses losing|write wrote written writes
  strike strikes striking walkout|sterben starb gestorben stirbt tod|gewinnen gewann gewonnen gewinnt sieg|kosten kostet kostete preis preise|steigen stieg gestiegen steigt
  mourir mort morte meurt décès|morir murió muerte falleció|coûter coûte coûtent prix|costar cuesta cuestan precio`
    .split(/[|\n]/u)
    .map((line) => line.trim().split(' '))
    .map(([word = '', ...forms]) => [word, new Set(forms.map(toSingular))]),
);

/** Surfing and surfer to surf: enough to compare a word of the prompt with words of a text. */
function stripEnding(word: string): string {
  const stem = toSingular(word).replace(/(?:ing|ed|er|e)$/, '');
  return stem.length < 4 ? toSingular(word) : stem;
}

/** From this length of a stem on, longer words contain it as a part: harbour in `harbourfestival`. */
const MIN_PREFIX_LENGTH = 5;

function isFormOf({ word, stem }: { word: string; stem: string }, of: string): boolean {
  return stem === of || (of.length >= MIN_PREFIX_LENGTH && word.startsWith(of));
}

/** After decomposition, where a Korean syllable has two letters or three. */
const MIN_NEAR_LENGTH = 4;

/** Forms of other languages, and accents. They may be other words, so only a word that has no closer form has them. */
function isNearForm(word: string, of: string): boolean {
  const beginning = foldLetters(cutEnding(of));
  return beginning.length >= MIN_NEAR_LENGTH && foldLetters(word).startsWith(beginning);
}

/** The S-stemmer (Harman 1991): houses to house, cities to city; glass is unchanged. */
export function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  return word.endsWith('ies') && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}
