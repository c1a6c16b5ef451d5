/**
 * Evidence: what the results say, between retrieval and writing. Each item becomes typed pieces that can be quoted
 * verbatim: its title, and the sentences of its text in their order. Counters remain members of the item and are never
 * text, so two responses with the same items yield the same evidence, whatever was counted between them.
 */

import type { Source } from '../../domain/enumerations.ts';
import { splitSentences } from '../../domain/sentences.ts';
import { toCitableLink } from '../citable-link.ts';
import { createSlices } from '../event-loop-turns.ts';
import type { Findings } from '../planning/retrieval.ts';
import { compareText } from '../ranking/result-ranking.ts';
import type { FoundItem } from '../sources/search-source.ts';
import { containsInjection, cutBeforeInjection } from './injection.ts';
import { endSentence, extractSentences, isStatement } from './quotable-sentences.ts';
import { isQuotable, toVisibleLine, toVisibleLines } from './unsafe-markup.ts';
import { LRUCache } from 'lru-cache';

/** A part of an item that can be quoted. */
export type Piece = {
  /** `label`: a title that is no single statement (short, cut, several sentences); it can only name its item. */
  kind: 'title' | 'label' | 'text';
  /** A sentence ends with a mark, so that every reader separates it from the next. */
  text: string;
  /** Its place in the item: 0 for the title, then the sentences in their order. */
  position: number;
};

export type EvidenceItem = {
  source: Source;
  /** As cited. */
  link: string;
  /** In one line, as a label of the item; '' if it cannot be shown, or the source has no titles. */
  title: string;
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
  for (const [source, found] of findings) {
    for (const [i, item] of found.entries()) {
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
  const sentences = LOOSE_SOURCES.has(source)
    ? parseLooseSentences(item.snippet)
    : parseStrictSentences(item.snippet);
  const pieces: Piece[] = sentences.map((text, i) => ({ kind: 'text', text, position: i + 1 }));
  const stated = listTitleSentences(title).map((text, i, all) => {
    return { kind: 'title', text, position: i + 1 - all.length } as const;
  });
  if (stated.length > 0) pieces.unshift(...stated);
  else if (title !== '') pieces.unshift({ kind: 'label', text: title, position: 0 });
  return [
    {
      source,
      link,
      title,
      words: `${item.title} ${toVisibleLine(item.snippet, MAX_SNIPPET_LENGTH)}`,
      tags: (item.snippet.match(HASHTAG) ?? []).join(' ').replace(WITHIN_TAG, ' '),
      pieces,
      place,
      publishedAt: item.publishedAt,
    },
  ];
}

/** Readers split a title of several sentences, so each of them has to say something as a whole. */
function listTitleSentences(title: string): string[] {
  const sentences = isStatement(title) ? splitSentences(title).map((text) => text.trim()) : [];
  return sentences.every(isStatement) ? sentences.map(endSentence) : [];
}

/** A few megabytes at most; fits what ten busy topics find in an hour. */
const MEMO_LIMITS = { most: 4_000, longest: MAX_SNIPPET_LENGTH };
const parseLooseSentences = memoizeByText(MEMO_LIMITS, (text) => parseSentences(text, true));
const parseStrictSentences = memoizeByText(MEMO_LIMITS, (text) => parseSentences(text, false));

/** Text from the first injection on is ignored. */
function parseSentences(text: string, loose: boolean): readonly string[] {
  const sentences = extractSentences(cutBeforeInjection(toVisibleLines(text, MAX_SNIPPET_LENGTH)), loose);
  return sentences.filter(isQuotable).slice(0, MAX_SENTENCES_PER_ITEM).map(endSentence);
}

/** The title in one line, or '' if it cannot be quoted. */
const readQuotableTitle = memoizeByText(MEMO_LIMITS, (title) => {
  const line = toVisibleLine(title, MAX_TITLE_LENGTH);
  return isQuotable(line) && !containsInjection(line) && /\p{L}/u.test(line) ? line : '';
});

/**
 * Memoizes a pure function of a text: recurring searches mostly find the same texts. Evicts the least recently used.
 * @param limits.most maximum number of texts; `longest`: longer texts are not cached, so the product bounds memory
 */
export function memoizeByText<T extends {}>(
  { most, longest }: { most: number; longest: number },
  make: (text: string) => T,
): (text: string) => T {
  const known = new LRUCache<string, T>({ max: most, memoMethod: make });
  return (text) => (text.length > longest ? make(text) : known.memo(text));
}
