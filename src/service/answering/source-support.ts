/** Checks whether the cited items support a model's sentence: its words, figures and names. */
import { getOrMake } from '../../lib/get-or-make.ts';
import { splitIndexWords, hasUnspacedScript } from '../../model/relevance.ts';
import { createStopWordFilter } from '../planning/question-words.ts';
import type { CitableItem } from './model-prompt.ts';
import { extractFigures, isNumberWord } from './numeric-figures.ts';
import { listGraveWords, containsNegation, listNames, listTags } from './guarded-words.ts';
import { toSingular } from './vocabulary.ts';

/**
 * Minimum share of a sentence's content words (except those of the query) that its sources must contain. Measured by
 * test/service/answer/paraphrases.ts; see docs/internals/decisions.md.
 */
const MIN_SUPPORT = 0.5;
/** Maximum run of unsupported words: a false claim hides in the tail of a true sentence. */
const MAX_OWN_RUN = 4;
/** In character pairs, for scripts without spaces: four characters and their neighbors. */
const MAX_OWN_RUN_UNSPACED = 8;
/** If another item contains this much more of a sentence, the citation is wrong. */
const MAX_ELSEWHERE_MARGIN = 0.25;
/** Letters compared of each word, since endings differ between a source and its paraphrase. */
const ROOT_LENGTH = 5;
/** A verbatim run of this many words is a quotation and needs no other support. */
const MIN_QUOTED_WORDS = 4;

/** The items of a prompt, prepared for comparison. */
export type Evidence = {
  /** Computed on demand: few items are cited. */
  read(item: CitableItem): ItemEvidence;
  /** Word roots of each item. */
  all: readonly ReadonlySet<string>[];
  /** Word roots of the query; they prove nothing about a source. */
  promptRoots: ReadonlySet<string>;
};

type ItemEvidence = {
  /** Its words joined by {@link joinBareWords}. */
  line: string;
  words: ReadonlySet<string>;
  roots: ReadonlySet<string>;
  figures: ReadonlySet<string>;
  tags: readonly string[];
  negates: boolean;
};

export function indexEvidence(items: readonly CitableItem[], prompt: string): Evidence {
  const readings = new Map<CitableItem, ItemEvidence>();
  const rootsOf = (words: readonly string[]) => new Set(words.map(truncateToRoot));
  return {
    read: (item) =>
      getOrMake(readings, item, () => {
        const text = normalizeText(`${item.text} ${item.date}`);
        const words = splitIndexWords(text);
        return {
          line: joinBareWords(text),
          words: new Set(words),
          roots: rootsOf(words),
          // Not normalized: NFKC turns a fraction into two figures.
          figures: extractFigures(`${item.text} ${item.date}`),
          tags: listTags(text),
          negates: containsNegation(text),
        };
      }),
    all: items.map(({ text }) => rootsOf(splitIndexWords(normalizeText(text)))),
    promptRoots: rootsOf(splitIndexWords(normalizeText(prompt))),
  };
}

/**
 * What words alone say about a sentence. `quoted`: it stands in a source. `supported`: its words, figures and names do. `possible`: its
 * figures, names, accusations and instructions do, and a word beside those of the query, so that a source may say it in other
 * words. `none`: no source can say it.
 */
export type WordSupport = 'quoted' | 'supported' | 'possible' | 'none';

/** @param sentence a single sentence, in one line */
export function judgeByWords(
  sentence: string,
  sources: readonly CitableItem[],
  ground: Evidence,
): WordSupport {
  const text = normalizeText(sentence);
  const readings = sources.map((source) => ground.read(source));
  const line = joinBareWords(text);
  if (
    splitIndexWords(line).length >= MIN_QUOTED_WORDS &&
    readings.some((item) => ` ${item.line} `.includes(` ${line} `))
  )
    return 'quoted';
  if (!supportsGuardedWords(sentence, readings, ground.promptRoots)) return 'none';
  const words = listContentWords(text, ground.promptRoots);
  const supported = words.map((word) => readings.some(({ roots }) => roots.has(word)));
  if (!supported.includes(true)) return 'none';
  const isDenied = containsNegation(text) && !readings.some(({ negates }) => negates);
  const isShared = sharesEnoughWords(words, supported, hasUnspacedScript(text), ground);
  return isShared && !isDenied ? 'supported' : 'possible';
}

function supportsGuardedWords(
  sentence: string,
  readings: readonly ItemEvidence[],
  promptRoots: ReadonlySet<string>,
): boolean {
  const text = normalizeText(sentence);
  const any = (holds: (item: ItemEvidence) => boolean) => readings.some(holds);
  const isWordStart = (start: string) =>
    any(({ words }) => [...words].some((word) => word.startsWith(start)));
  const isTagged = (tag: string) => any(({ tags, words }) => tags.includes(tag) || words.has(tag.slice(1)));
  const isStopWord = createStopWordFilter(splitIndexWords(text));
  const isKnown = (word: string) =>
    promptRoots.has(truncateToRoot(word)) || any(({ roots }) => roots.has(truncateToRoot(word)));
  return (
    [...extractFigures(sentence)].every((figure) => any(({ figures }) => figures.has(figure))) &&
    listTags(text).every(isTagged) &&
    listGraveWords(text).every(isWordStart) &&
    listNames(text).every((name) => isStopWord(name) || splitIndexWords(name).every(isKnown))
  );
}

/** The roots of a sentence's words, without stop words, figures, and words of the query. */
function listContentWords(text: string, promptRoots: ReadonlySet<string>): string[] {
  const words = splitIndexWords(text);
  const isStopWord = createStopWordFilter(words);
  return words
    .filter((word) => !isStopWord(word) && !/^\p{N}/u.test(word) && !isNumberWord(word))
    .map(truncateToRoot)
    .filter((word) => !promptRoots.has(word));
}

/** Enough supported content words, no long unsupported run, and no other item that contains many more. */
function sharesEnoughWords(
  contentWords: readonly string[],
  supported: readonly boolean[],
  isUnspaced: boolean,
  { all }: Evidence,
): boolean {
  const support = computeShare(supported);
  const tooLong = isUnspaced ? MAX_OWN_RUN_UNSPACED : MAX_OWN_RUN;
  if (support < MIN_SUPPORT || measureLongestRun(supported) >= tooLong) return false;
  return all.every(
    (item) => computeShare(contentWords.map((word) => item.has(word))) - support < MAX_ELSEWHERE_MARGIN,
  );
}

function computeShare(supported: readonly boolean[]): number {
  return supported.filter(Boolean).length / supported.length;
}

/** Of unsupported words. */
function measureLongestRun(supported: readonly boolean[]): number {
  let longest = 0;
  let run = 0;
  for (const isSupportedWord of supported) {
    run = isSupportedWord ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

function normalizeText(text: string): string {
  return text.normalize('NFKC');
}

/** Words only, so that punctuation makes no difference. Negation signs count as words. */
function joinBareWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:['’.,]\p{N}+)*|[-−–+%$€£]/gu) ?? []).join(' ');
}

function truncateToRoot(word: string): string {
  return toSingular(word.toLowerCase()).slice(0, ROOT_LENGTH);
}
