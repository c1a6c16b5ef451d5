/** Whether a sentence of a model is carried by the items that it cites: words, figures, names, and nothing of its own. */
import { indexWords, isUnspaced } from '../../relevance/words.ts';
import { stopWordsOf } from '../rank/stop-words.ts';
import type { Numbered } from './briefing.ts';
import { figuresOf } from './figures.ts';
import { addressesIn, heavyWordsOf, holdsNegation, namesOf, tagsOf } from './held.ts';
import { isNumberWord } from './number-words.ts';
import { singular } from './words.ts';

/**
 * The share of a sentence's telling words, those of the query left aside, that its sources must hold. Where it
 * comes from: docs/completions.md, measured by test/service/answer/paraphrases.ts.
 */
const SUPPORT = 0.5;
/** Nor so many of them in a row that no source holds: the tail of a true sentence is where a false one hides. */
const OWN_RUN = 4;
/** Of pairs of characters, where no spaces cut words: four characters and what stands around them. */
const OWN_RUN_UNSPACED = 8;
/** Where one other item holds so much more of a sentence, the wrong one is cited. */
const ELSEWHERE = 0.25;
/** So many letters of a word are compared: endings differ between a source and what is said of it. */
const ROOT = 5;
/** So many words in a row, as a source has them, are quoted and need no other proof. */
const QUOTED = 4;

/** The items of a question, as they are compared. */
export type Ground = {
  /** Made when it is first asked for: few items are cited. */
  read(item: Numbered): Reading;
  /** The roots of the words of each item. */
  all: readonly ReadonlySet<string>[];
  /** The roots of the words of the query: they say nothing of what a source says. */
  asked: ReadonlySet<string>;
};

type Reading = {
  /** Its words in a row, as `bare` gives them. */
  line: string;
  words: ReadonlySet<string>;
  roots: ReadonlySet<string>;
  figures: ReadonlySet<string>;
  tags: readonly string[];
  negates: boolean;
};

export function groundOf(items: readonly Numbered[], prompt: string): Ground {
  const readings = new Map<Numbered, Reading>();
  const rootsOf = (words: readonly string[]) => new Set(words.map(root));
  return {
    read(item) {
      const known = readings.get(item);
      if (known !== undefined) return known;
      const text = normal(`${item.text} ${item.date}`);
      const words = indexWords(text);
      const reading: Reading = {
        line: bare(text),
        words: new Set(words),
        roots: rootsOf(words),
        // As it stands: the normal form of a fraction is two figures.
        figures: figuresOf(`${item.text} ${item.date}`),
        tags: tagsOf(text),
        negates: holdsNegation(text),
      };
      readings.set(item, reading);
      return reading;
    },
    all: items.map(({ text }) => rootsOf(indexWords(normal(text)))),
    asked: rootsOf(indexWords(normal(prompt))),
  };
}

/** @param sentence one, in one line */
export function isSupported(sentence: string, sources: readonly Numbered[], ground: Ground): boolean {
  const said = normal(sentence);
  const readings = sources.map((source) => ground.read(source));
  // What stands in a source exactly so is said by it.
  const line = bare(said);
  if (indexWords(line).length >= QUOTED && readings.some((one) => ` ${one.line} `.includes(` ${line} `)))
    return true;
  return holdsEnough(said, readings, ground) && holdsWhatMustBeHeld(sentence, readings, ground.asked);
}

function holdsWhatMustBeHeld(
  sentence: string,
  readings: readonly Reading[],
  asked: ReadonlySet<string>,
): boolean {
  const said = normal(sentence);
  const any = (holds: (reading: Reading) => boolean) => readings.some(holds);
  const isBegun = (start: string) => any(({ words }) => [...words].some((word) => word.startsWith(start)));
  const isTagged = (tag: string) => any(({ tags, words }) => tags.includes(tag) || words.has(tag.slice(1)));
  const isLittle = stopWordsOf(indexWords(said));
  const isKnown = (word: string) => asked.has(root(word)) || any(({ roots }) => roots.has(root(word)));
  return (
    [...figuresOf(sentence)].every((figure) => any(({ figures }) => figures.has(figure))) &&
    (!holdsNegation(said) || any(({ negates }) => negates)) &&
    addressesIn(said).every((word) => any(({ words }) => words.has(word))) &&
    tagsOf(said).every(isTagged) &&
    heavyWordsOf(said).every(isBegun) &&
    namesOf(said).every((name) => isLittle(name) || indexWords(name).every(isKnown))
  );
}

/** Of the telling words enough, no long row of others, and no other item many more. */
function holdsEnough(said: string, readings: readonly Reading[], { all, asked }: Ground): boolean {
  const words = indexWords(said);
  const isLittle = stopWordsOf(words);
  const telling = words
    .filter((word) => !isLittle(word) && !/^\p{N}/u.test(word) && !isNumberWord(word))
    .map(root)
    .filter((word) => !asked.has(word));
  if (telling.length === 0) return false;
  const held = telling.map((word) => readings.some(({ roots }) => roots.has(word)));
  const support = shareOf(held);
  const tooLong = isUnspaced(said) ? OWN_RUN_UNSPACED : OWN_RUN;
  if (support < SUPPORT || longestRun(held) >= tooLong) return false;
  return all.every((item) => shareOf(telling.map((word) => item.has(word))) - support < ELSEWHERE);
}

function shareOf(held: readonly boolean[]): number {
  return held.filter(Boolean).length / held.length;
}

/** Of words that nobody holds. */
function longestRun(held: readonly boolean[]): number {
  let longest = 0;
  let run = 0;
  for (const one of held) {
    run = one ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

function normal(text: string): string {
  return text.normalize('NFKC');
}

/** Words alone, so that a comma more is no other sentence. Negations written as signs are words of no script. */
function bare(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:['’.,]\p{N}+)*|[-−–+%$€£]/gu) ?? []).join(' ');
}

function root(word: string): string {
  return singular(word.toLowerCase()).slice(0, ROOT);
}
