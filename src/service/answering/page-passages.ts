/** The passages of a page that are about a prompt: what its text adds to the excerpt of a source. */

import { splitSentences } from '../../lib/sentences.ts';
import { rankByText } from '../ranking/text-relevance.ts';
import type { Wording } from '../planning/wordings.ts';
import type { PageText } from '../sources/pages/page-orders.ts';
import { containsInjection } from './injection.ts';

/** Of a page, those that match best. */
const MAX_SENTENCES = 8;
/** Of all sentences, from the start of the page. */
const MAX_READ = 800;
const MAX_LENGTH = 2_500;

type Sentence = { paragraph: number; text: string };

/**
 * Passages in the order of the page: sentences that match the prompt best, each with the one before it in its paragraph,
 * which may name what it is about. Consecutive ones are one passage. What follows a prompt injection is not read.
 */
export function selectPassages({ title, paragraphs }: PageText, wording: Wording): string[] {
  const sentences = listSentences(paragraphs);
  const matching = rankByText(
    sentences.map(({ text }) => ({ title: '', snippet: text })),
    wording,
  );
  const chosen = new Set<number>();
  let length = 0;
  for (const i of matching.slice(0, MAX_SENTENCES)) {
    const isContinued = sentences[i - 1]?.paragraph === sentences[i]?.paragraph;
    for (const place of isContinued ? [i - 1, i] : [i]) {
      if (chosen.has(place)) continue;
      length += sentences[place]?.text.length ?? 0;
      if (length > MAX_LENGTH) return joinNeighbors(sentences, chosen);
      chosen.add(place);
    }
  }
  // A title says what all of its page is about: without a match, the first sentence is the one that defines it.
  if (chosen.size === 0 && sentences.length > 0 && matchesTitle(title, wording)) chosen.add(0);
  return joinNeighbors(sentences, chosen);
}

function matchesTitle(title: string, wording: Wording): boolean {
  return rankByText([{ title, snippet: '' }], wording).length > 0;
}

function listSentences(paragraphs: readonly string[]): Sentence[] {
  const end = paragraphs.findIndex(containsInjection);
  const read = end === -1 ? paragraphs : paragraphs.slice(0, end);
  return read
    .flatMap((text, paragraph) => splitSentences(text).map((each) => ({ paragraph, text: each.trim() })))
    .filter(({ text }) => text !== '')
    .slice(0, MAX_READ);
}

function joinNeighbors(sentences: readonly Sentence[], chosen: ReadonlySet<number>): string[] {
  const passages: string[] = [];
  let last: number | undefined;
  for (const i of [...chosen].sort((a, b) => a - b)) {
    const { text, paragraph } = sentences[i] ?? { text: '', paragraph: -1 };
    const follows = last === i - 1 && sentences[last]?.paragraph === paragraph;
    if (follows) passages.push(`${passages.pop()} ${text}`);
    else passages.push(text);
    last = i;
  }
  return passages;
}
