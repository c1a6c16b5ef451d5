/** Whether a sentence of a model is supported by the items that it cites: words, figures, names, and nothing of its own. */
import { splitIndexWords, hasUnspacedScript } from '../../domain/relevance.ts';
import { createStopWordFilter } from '../planning/keywords.ts';
import type { NumberedItem } from './model-prompt.ts';
import { extractFigures, isNumberWord } from './numeric-figures.ts';
import { listGraveWords, containsNegation, listNames, listTags } from './guarded-words.ts';
import { toSingular } from './passages.ts';

/**
 * The share of a sentence's telling words, those of the query left aside, that its sources must hold. Where it
 * comes from: docs/internals/completions.md, measured by test/service/answer/paraphrases.ts.
 */
const MIN_SUPPORT = 0.5;
/** Nor so many of them in a row that no source holds: the tail of a true sentence is where a false one hides. */
const MAX_OWN_RUN = 4;
/** Of pairs of characters, where no spaces cut words: four characters and what stands around them. */
const MAX_OWN_RUN_UNSPACED = 8;
/** Where one other item holds so much more of a sentence, the wrong one is cited. */
const MAX_ELSEWHERE_MARGIN = 0.25;
/** So many letters of a word are compared: endings differ between a source and what is said of it. */
const ROOT_LENGTH = 5;
/** So many words in a row, as a source has them, are quoted and need no other proof. */
const MIN_QUOTED_WORDS = 4;

/** The items of a question, as they are compared. */
export type Evidence = {
  /** Made when it is first asked for: few items are cited. */
  read(item: NumberedItem): ItemEvidence;
  /** The roots of the words of each item. */
  all: readonly ReadonlySet<string>[];
  /** The roots of the words of the query: they say nothing of what a source says. */
  asked: ReadonlySet<string>;
};

type ItemEvidence = {
  /** Its words in a row, as {@link joinBareWords} gives them. */
  line: string;
  words: ReadonlySet<string>;
  roots: ReadonlySet<string>;
  figures: ReadonlySet<string>;
  tags: readonly string[];
  negates: boolean;
};

export function indexEvidence(items: readonly NumberedItem[], prompt: string): Evidence {
  const readings = new Map<NumberedItem, ItemEvidence>();
  const rootsOf = (words: readonly string[]) => new Set(words.map(truncateToRoot));
  return {
    read(item) {
      const known = readings.get(item);
      if (known !== undefined) return known;
      const text = normalizeText(`${item.text} ${item.date}`);
      const words = splitIndexWords(text);
      const reading: ItemEvidence = {
        line: joinBareWords(text),
        words: new Set(words),
        roots: rootsOf(words),
        // As it stands: the normal form of a fraction is two figures.
        figures: extractFigures(`${item.text} ${item.date}`),
        tags: listTags(text),
        negates: containsNegation(text),
      };
      readings.set(item, reading);
      return reading;
    },
    all: items.map(({ text }) => rootsOf(splitIndexWords(normalizeText(text)))),
    asked: rootsOf(splitIndexWords(normalizeText(prompt))),
  };
}

/** @param sentence one, in one line */
export function isSupported(sentence: string, sources: readonly NumberedItem[], ground: Evidence): boolean {
  const said = normalizeText(sentence);
  const readings = sources.map((source) => ground.read(source));
  // What stands in a source exactly so is said by it.
  const line = joinBareWords(said);
  if (
    splitIndexWords(line).length >= MIN_QUOTED_WORDS &&
    readings.some((reading) => ` ${reading.line} `.includes(` ${line} `))
  )
    return true;
  return sharesEnoughWords(said, readings, ground) && supportsGuardedWords(sentence, readings, ground.asked);
}

function supportsGuardedWords(
  sentence: string,
  readings: readonly ItemEvidence[],
  asked: ReadonlySet<string>,
): boolean {
  const said = normalizeText(sentence);
  const any = (holds: (reading: ItemEvidence) => boolean) => readings.some(holds);
  const isBegun = (start: string) => any(({ words }) => [...words].some((word) => word.startsWith(start)));
  const isTagged = (tag: string) => any(({ tags, words }) => tags.includes(tag) || words.has(tag.slice(1)));
  const isLittle = createStopWordFilter(splitIndexWords(said));
  const isKnown = (word: string) =>
    asked.has(truncateToRoot(word)) || any(({ roots }) => roots.has(truncateToRoot(word)));
  return (
    [...extractFigures(sentence)].every((figure) => any(({ figures }) => figures.has(figure))) &&
    (!containsNegation(said) || any(({ negates }) => negates)) &&
    listTags(said).every(isTagged) &&
    listGraveWords(said).every(isBegun) &&
    listNames(said).every((name) => isLittle(name) || splitIndexWords(name).every(isKnown))
  );
}

/** Of the telling words enough, no long row of others, and no other item many more. */
function sharesEnoughWords(
  said: string,
  readings: readonly ItemEvidence[],
  { all, asked }: Evidence,
): boolean {
  const words = splitIndexWords(said);
  const isLittle = createStopWordFilter(words);
  const telling = words
    .filter((word) => !isLittle(word) && !/^\p{N}/u.test(word) && !isNumberWord(word))
    .map(truncateToRoot)
    .filter((word) => !asked.has(word));
  if (telling.length === 0) return false;
  const held = telling.map((word) => readings.some(({ roots }) => roots.has(word)));
  const support = computeShare(held);
  const tooLong = hasUnspacedScript(said) ? MAX_OWN_RUN_UNSPACED : MAX_OWN_RUN;
  if (support < MIN_SUPPORT || measureLongestRun(held) >= tooLong) return false;
  return all.every(
    (item) => computeShare(telling.map((word) => item.has(word))) - support < MAX_ELSEWHERE_MARGIN,
  );
}

function computeShare(held: readonly boolean[]): number {
  return held.filter(Boolean).length / held.length;
}

/** Of words that nobody holds. */
function measureLongestRun(held: readonly boolean[]): number {
  let longest = 0;
  let run = 0;
  for (const isHeld of held) {
    run = isHeld ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

function normalizeText(text: string): string {
  return text.normalize('NFKC');
}

/** Words alone, so that a comma more is no other sentence. Negations written as signs are words of no script. */
function joinBareWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:['’.,]\p{N}+)*|[-−–+%$€£]/gu) ?? []).join(' ');
}

function truncateToRoot(word: string): string {
  return toSingular(word.toLowerCase()).slice(0, ROOT_LENGTH);
}
