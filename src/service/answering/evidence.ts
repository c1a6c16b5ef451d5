/**
 * Evidence: what the results say, between retrieval and writing. Each item becomes typed pieces that can be quoted
 * verbatim: its title, and the sentences of its text in their order. Counters remain members of the item and are never
 * text, so two responses with the same items yield the same evidence, whatever was counted between them.
 */

import type { Source } from '../../model/enumerations.ts';
import { splitSentences } from '../../lib/sentences.ts';
import { toCitableLink } from '../citable-link.ts';
import { memoizeByText } from '../../lib/memoize-by-text.ts';
import { createSlices } from '../event-loop-turns.ts';
import type { Findings } from '../planning/retrieval.ts';
import { compareText } from '../ranking/result-ranking.ts';
import { detectLanguage } from '../planning/question-words.ts';
import type { FoundItem } from '../sources/search-source.ts';
import { findReference, isSubjectOf } from './antecedents.ts';
import { containsInjection, cutBeforeInjection } from './injection.ts';
import {
  endSentence,
  extractSentences,
  isPromise,
  isQuestion,
  isRequest,
  isStatement,
} from './quotable-sentences.ts';
import { isQuotable, toVisibleLine, toVisibleLines } from './unsafe-markup.ts';

/** A part of an item that can be quoted. */
export type Piece = {
  /** `label`: a title that is no statement (short, cut, a question), or what somebody asks; it can only name its item. */
  kind: 'title' | 'label' | 'text';
  /** A sentence ends with a mark, so that every reader separates it from the next. */
  text: string;
  /** Its place in the item: 0 for the title, then the sentences in their order, those that cannot be quoted among them. */
  position: number;
  /** The sentences directly before this sentence that it depends on, in their order: it is quoted only after them. Usually none. */
  before: readonly Pick<Piece, 'text' | 'position' | 'needsTitle'>[];
  /** The sentence depends on the title: it is quoted after the title, or directly after the sentence before it. */
  needsTitle: boolean;
};

export type EvidenceItem = {
  source: Source;
  /** As cited. */
  link: string;
  /** In one line, as a label of the item; '' if it cannot be shown, or the source has no titles. */
  title: string;
  /** The title as it stands in front of a sentence, without an end; '' if it cannot. */
  lead: string;
  /** Title and text, for comparison with the prompt. */
  words: string;
  /** Its hashtags, which say what all of its sentences are about. */
  tags: string;
  pieces: readonly Piece[];
  /** Its place in the list of its source by relevance alone, from 1. */
  place: number;
  /** Publication time; undefined if neither the item nor its source provides it. */
  publishedAt: Date | undefined;
};

const MAX_SNIPPET_LENGTH = 1_500;
const MAX_TITLE_LENGTH = 300;
/** Per item, so that a long page does not fill the whole summary. */
const MAX_SENTENCES_PER_ITEM = 8;
/** Of the first sentence of a page's passage, and between those of two. */
const PAGE_POSITION = 100;
const HASHTAG = /#[\p{L}\p{N}_]+/gu;
/** Between the words of `#HarbourFestival`. */
const WITHIN_TAG = /(?<=\p{Ll})(?=\p{Lu})/gu;
/** Informal sources: lines without full stops, names without capitals. */
const LOOSE_SOURCES: ReadonlySet<Source> = new Set<Source>(['microblog', 'discussion_board', 'news_forum']);

/** Further results of a source are not read: a summary has five sentences. */
const MAX_ITEMS_PER_SOURCE = 40;

/** @returns the items with a citable link, best place first, in an order that does not depend on counters */
export async function readEvidence(findings: Findings): Promise<EvidenceItem[]> {
  const slices = createSlices();
  const all: EvidenceItem[] = [];
  for (const [source, sourceItems] of findings) {
    for (const [i, item] of sourceItems.entries()) {
      const place = item.place ?? i + 1;
      if (place > MAX_ITEMS_PER_SOURCE) continue;
      await slices();
      all.push(...readItem(source, item, place));
    }
  }
  return all.sort((a, b) => a.place - b.place || compareText(a.link, b.link));
}

function readItem(source: Source, item: FoundItem, place: number): EvidenceItem[] {
  const link = toCitableLink(item.link);
  if (link === undefined) return [];
  // The title of a post is made of its text.
  const title = source === 'microblog' ? '' : readQuotableTitle(item.title);
  const isLoose = LOOSE_SOURCES.has(source);
  const text = isLoose ? parseLooseText(item.snippet) : parseStrictText(item.snippet);
  const asks = item.asks === true || (isLoose && (text.asks || isQuestion(title)));
  const lead = toLead(title);
  const sentences = [...text.sentences, ...listPageSentences(item.passages ?? [], text)];
  const pieces = asks ? sentences.map(toLabel) : standSentences(sentences, lead);
  const stated = asks || isPromise(title) ? [] : listTitleSentences(title);
  if (stated.length > 0)
    pieces.unshift(
      ...stated.map((said, i) => alone({ kind: 'title', text: said, position: i + 1 - stated.length })),
    );
  else if (title !== '') pieces.unshift(alone({ kind: 'label', text: title, position: 0 }));
  return [
    {
      source,
      link,
      title,
      lead,
      words: [item.title, ...[item.snippet, ...(item.passages ?? [])].map(toVisibleExcerpt)].join(' '),
      tags: (item.snippet.match(HASHTAG) ?? []).join(' ').replace(WITHIN_TAG, ' '),
      pieces,
      place,
      publishedAt: item.publishedAt,
    },
  ];
}

function alone(piece: Pick<Piece, 'kind' | 'text' | 'position'>): Piece {
  return { ...piece, before: [], needsTitle: false };
}

function toLabel({ text, position }: ParsedSentence): Piece {
  return alone({ kind: 'label', text, position });
}

/** A sentence of more than two before it would be half of the summary. */
const MAX_BEFORE = 2;

/**
 * The sentences with what they depend on. A sentence whose pronoun stands for the title ("Sihwa is a plant. It …", or the first
 * of a text) needs the title. Any other dependent sentence needs the sentences before it, back to a sentence that stands alone.
 * Without either, a dependent sentence is left out, and so is every question.
 */
function standSentences(sentences: readonly ParsedSentence[], lead: string): Piece[] {
  const pieces: Piece[] = [];
  let subject: string | null = null;
  let follows: ParsedSentence | undefined;
  for (const sentence of sentences) {
    const { text, position, reference } = sentence;
    const isNext = follows !== undefined && follows.position === position - 1;
    const isOfTitle: boolean =
      lead !== '' &&
      reference !== null &&
      (position === 1 || (isNext && (subject === '' || (subject !== null && subject === reference))));
    if (reference === null) subject = isSubjectOf(lead, text) ? '' : null;
    else subject = isOfTitle && reference !== '' ? reference : null;
    const known = pieces.at(-1);
    const before =
      reference !== null && !isOfTitle && isNext && known?.position === position - 1
        ? [...known.before, { text: known.text, position: known.position, needsTitle: known.needsTitle }]
        : [];
    const stands = reference === null || isOfTitle || (before.length > 0 && before.length <= MAX_BEFORE);
    if (stands && !isQuestion(text))
      pieces.push({ kind: 'text', text, position, before, needsTitle: isOfTitle });
    follows = sentence;
  }
  return pieces;
}

/** A longer title in front of a sentence would hide it. */
const MAX_LEAD_LENGTH = 120;
/** What pages add to their titles: " - Wikipedia", " | BBC News". */
const SITE_SUFFIX = / [|–—-] [^|–—-]{2,40}$/u;

function toLead(title: string): string {
  const lead = title.replace(SITE_SUFFIX, '').replace(/(?<![\s.…?!:;,。？！])[\s.…?!:;,。？！]+$/u, '');
  return lead.length <= MAX_LEAD_LENGTH && splitSentences(lead).length === 1 ? lead : '';
}

/** Behind those of the excerpt; between two passages of a page, others are missing, so that none hangs on another. */
function listPageSentences(passages: readonly string[], { sentences }: ParsedText): ParsedSentence[] {
  const known = new Set(sentences.map(({ text }) => text));
  return passages.flatMap((passage, i) =>
    parseStrictText(passage)
      .sentences.filter(({ text }) => !known.has(text))
      .map((sentence) => ({ ...sentence, position: PAGE_POSITION * (i + 1) + sentence.position })),
  );
}

function toVisibleExcerpt(text: string): string {
  return toVisibleLine(text, MAX_SNIPPET_LENGTH);
}

/** Readers split a title of several sentences, so each of them has to say something as a whole. */
function listTitleSentences(title: string): string[] {
  const sentences = isStatement(title) ? splitSentences(title).map((text) => text.trim()) : [];
  return sentences.every(isStatement) ? sentences.map(endSentence) : [];
}

/** `reference`: see {@link findReference}. `position`: from 1. */
type ParsedSentence = { text: string; position: number; reference: string | null };
/** `asks`: it ends with a question, or begins with a request. */
type ParsedText = { sentences: readonly ParsedSentence[]; asks: boolean };

/** A few megabytes at most; fits what ten busy topics find in an hour. */
const MEMO_LIMITS = { most: 4_000, longest: MAX_SNIPPET_LENGTH };
const parseLooseText = memoizeByText(MEMO_LIMITS, (text) => parseText(text, true));
const parseStrictText = memoizeByText(MEMO_LIMITS, (text) => parseText(text, false));

const TAG_OR_LINK = /^(?:[#@][\p{L}\p{N}_]+|https?:\/\/\S+|[^\p{L}\p{N}?？؟]+)$/u;

/** A text without the hashtags, links and signs at its end. */
function cutTrailingTags(text: string): string {
  const words = text.split(/\s/u).filter((word) => word !== '');
  return words.slice(0, words.findLastIndex((word) => !TAG_OR_LINK.test(word)) + 1).join(' ');
}

/** Enough to know the language of a text. */
const MAX_LANGUAGE_WORDS = 40;

/** Text from the first injection on is ignored. */
function parseText(text: string, loose: boolean): ParsedText {
  const visible = cutBeforeInjection(toVisibleLines(text, MAX_SNIPPET_LENGTH));
  const extracted = extractSentences(visible, loose);
  const words = visible.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const language = detectLanguage(words.slice(0, MAX_LANGUAGE_WORDS));
  const sentences = extracted
    .filter(({ text: sentence }) => isQuotable(sentence))
    .slice(0, MAX_SENTENCES_PER_ITEM)
    .map(({ text: sentence, place }) => ({
      text: endSentence(sentence),
      position: place + 1,
      reference: findReference(sentence, language),
    }));
  // "Is it safe? The agency says so." answers its own question.
  const asks = isRequest(extracted.at(0)?.text ?? '') || isQuestion(cutTrailingTags(visible));
  return { sentences, asks };
}

/** The title in one line, or '' if it cannot be quoted. */
const readQuotableTitle = memoizeByText(MEMO_LIMITS, (title) => {
  const line = toVisibleLine(title, MAX_TITLE_LENGTH);
  return isQuotable(line) && !containsInjection(line) && /\p{L}/u.test(line) ? line : '';
});
