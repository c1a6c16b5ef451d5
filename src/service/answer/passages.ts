/** What was found, as sentences that can be quoted, their words counted once for all texts of a completion. */
import type { Source } from '../../contract/enumerations.ts';
import { priorOver } from '../../relevance/prior.ts';
import type { Findings } from '../retrieve.ts';
import type { Found } from '../source.ts';
import { isQuotable } from './hostile.ts';
import { runsOf } from './copies.ts';
import { citable } from '../citable.ts';
import { beforeOrder, holdsOrder } from './orders.ts';
import { plainLine, plainLines } from './plain.ts';
import { remembered } from './remembered.ts';
import { sentencesOf } from './sentences.ts';
import { createVocabulary, type Vocabulary } from './words.ts';

export type Passage = {
  text: string;
  source: Source;
  /** As it is cited. */
  link: string;
  /** Of the item; '' where it cannot be quoted. */
  title: string;
  /** Milliseconds since 1970; undefined where the source does not say. */
  at: number | undefined;
  /** Hashes of its runs of words; for comparing with what may be a copy. */
  runs: readonly number[];
  /** Each word once, with its weight: tf-idf, the whole of length 1. */
  terms: readonly number[];
  weights: readonly number[];
  /** How much it is liked for what was asked, for being new and for being noticed; above 0. */
  prior: number;
};

const TEXT_MAX = 1_500;
const TITLE_MAX = 300;
/** Of one item; a long page shall not be the whole of a summary. */
const SENTENCES_MAX = 8;
/** Even a sentence without a word of the prompt may be about it. */
const RELEVANCE_BASE = 0.3;
/** Where people write as they speak: lines without full stops, names without capitals. */
const LOOSE: ReadonlySet<Source> = new Set<Source>(['microblog', 'discussion_board', 'news_forum']);

/** @returns the passages of each source, best item first, as the sources gave them */
export function passagesOf(
  findings: Findings,
  { prompt, at }: { prompt: string; at: Date },
): ReadonlyMap<Source, readonly Passage[]> {
  const vocabulary = createVocabulary();
  const asked = new Set(vocabulary.read(plainLine(prompt, 2_000)));
  const drafts = [...findings].flatMap(([source, found]) =>
    found.flatMap((item) => draftsOf(source, item, vocabulary)),
  );
  const idf = idfOf(drafts, vocabulary.size());
  const like = likingOf(findings, at);
  const passages = new Map<Source, Passage[]>([...findings.keys()].map((source) => [source, []]));
  for (const draft of drafts) {
    weigh(draft.terms, draft.weights, idf);
    const liking = like(draft.source, draft.item);
    draft.prior = (RELEVANCE_BASE + relevanceOf(draft, asked)) * liking;
    passages.get(draft.source)?.push(draft);
  }
  return passages;
}

/** A passage before it is known how rare its words are: their weights are counts. */
type Draft = Omit<Passage, 'weights' | 'prior'> & { item: Found; weights: number[]; prior: number };

/** The sentences of an item; its title where it has none. */
function draftsOf(source: Source, item: Found, vocabulary: Vocabulary): Draft[] {
  const link = citable(item.link);
  if (link === undefined) return [];
  const title = quotableTitle(item.title);
  const sentences = quotableSentences(item.snippet, source);
  const texts = sentences.length > 0 || title === '' ? sentences : [title];
  return texts.map((text) => {
    const words = vocabulary.read(text);
    const terms: number[] = [];
    const weights: number[] = [];
    for (const word of words) {
      const known = terms.indexOf(word);
      if (known === -1) weights[terms.push(word) - 1] = 1;
      else weights[known] = (weights[known] ?? 0) + 1;
    }
    const at = item.publishedAt?.getTime();
    return { item, source, link, title, at, text, terms, weights, runs: runsOf(words), prior: 0 };
  });
}

/** From the first order to a machine on, a text is not read: what follows it serves it. */
function quotableSentences(text: string, source: Source): readonly string[] {
  return LOOSE.has(source) ? looseSentences(text) : strictSentences(text);
}

/** Some megabytes at the most, for what ten busy topics find in an hour. */
const KEPT = { most: 4_000, longest: TEXT_MAX };
const looseSentences = remembered(KEPT, (text) => readSentences(text, true));
const strictSentences = remembered(KEPT, (text) => readSentences(text, false));

function readSentences(text: string, loose: boolean): readonly string[] {
  const said = sentencesOf(beforeOrder(plainLines(text, TEXT_MAX)), loose);
  return said.filter(isQuotable).slice(0, SENTENCES_MAX);
}

/** The title in one line, or '' where it may not be quoted. */
const quotableTitle = remembered(KEPT, (title) => {
  const line = plainLine(title, TITLE_MAX);
  return isQuotable(line) && !holdsOrder(line) && /\p{L}/u.test(line) ? line : '';
});

/** Inverse frequency of each word among the sentences: what nearly all say tells little. */
function idfOf(drafts: readonly Draft[], words: number): Float64Array {
  const holders = new Float64Array(words);
  for (const { terms } of drafts) for (const word of terms) holders[word] = (holders[word] ?? 0) + 1;
  return holders.map((count) => Math.log((1 + drafts.length) / Math.max(1, count)));
}

/** Counts become weights: tf-idf, the whole of length 1. */
function weigh(terms: readonly number[], weights: number[], idf: Float64Array): void {
  let sum = 0;
  for (let i = 0; i < terms.length; i++) {
    const weight = (weights[i] ?? 0) * (idf[terms[i] ?? 0] ?? 0);
    weights[i] = weight;
    sum += weight * weight;
  }
  const length = Math.sqrt(sum) || 1;
  for (let i = 0; i < weights.length; i++) weights[i] = (weights[i] ?? 0) / length;
}

/** The cosine with the words of the prompt, each of them weighed as the sentence weighs it. */
function relevanceOf({ terms, weights }: Draft, asked: ReadonlySet<number>): number {
  let shared = 0;
  for (let i = 0; i < terms.length; i++) if (asked.has(terms[i] ?? -1)) shared += (weights[i] ?? 0) ** 2;
  return Math.sqrt(shared);
}

/** New and noticed, each source by its own measure: points and likes are not the same coin. */
function likingOf(findings: Findings, at: Date): (source: Source, item: Found) => number {
  const all = [...findings.values()].flat();
  const oldest = Math.min(
    at.getTime(),
    ...all.map(({ publishedAt }) => publishedAt?.getTime() ?? at.getTime()),
  );
  const window = { from: new Date(oldest), to: at };
  const priors = new Map(
    [...findings].map(([source, found]) => [source, priorOver(window, Math.max(0, ...found.map(noticed)))]),
  );
  return (source, item) =>
    priors.get(source)?.({ publishedAt: item.publishedAt, engagement: noticed(item) }) ?? 1;
}

function noticed({ engagement, post }: Found): number {
  if (engagement !== undefined || post === undefined) return engagement ?? 0;
  const counters = [post.like_count, post.repost_count, post.reply_count, post.quote_count];
  return counters.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
