/**
 * Picking sentences: those that say what most others say, and none that says what a picked one said. By
 * the words that many sentences share (centroid), with a bar for near-doubles. Same input, same choice.
 */

export type Passage = { text: string; link: string };

/** Words below this length carry little meaning in the languages we read. */
const WORD_MIN = 4;
const SENTENCE_MIN = 20;
const SENTENCE_MAX = 240;
/** The space behind a sentence; the point of an abbreviation or an initial ends none. */
const SENTENCE_END = /(?<=[.!?。؟])(?<!\b(?:Dr|Prof|Mrs?|Ms|St|No|vs|[A-Z])\.)\s+/u;
/** Two sentences that share more than this part of their words say the same. */
const SAME = 0.5;

/** @param passages best first: earlier ones win ties @param count the most to pick, one of each link */
export function pickSentences(passages: readonly Passage[], count: number): Passage[] {
  const candidates = passages.flatMap(({ text, link }) =>
    sentencesOf(text).map((sentence) => ({ text: sentence, link, words: meaningfulWords(sentence) })),
  );
  const frequency = new Map<string, number>();
  for (const { words } of candidates) {
    for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const weight = (words: ReadonlySet<string>) => {
    let sum = 0;
    for (const word of words) sum += Math.log(1 + (frequency.get(word) ?? 0));
    return sum / Math.sqrt(words.size + 1);
  };
  const ranked = candidates
    .map((one, i) => ({ ...one, weight: weight(one.words) / (1 + i / candidates.length) }))
    .sort((a, b) => b.weight - a.weight);
  const picked: typeof ranked = [];
  for (const one of ranked) {
    if (picked.length >= count) break;
    if (picked.some(({ link, words }) => link === one.link || overlap(words, one.words) > SAME)) continue;
    picked.push(one);
  }
  return picked.map(({ text, link }) => ({ text, link }));
}

/** The whole sentences of a text, without links, hashtags and repost marks; too short or long ones left out. */
export function sentencesOf(text: string): string[] {
  const plain = text
    .replace(/^RT @\w+: /, '')
    .replace(/https?:\/\/\S+|#[\p{L}\p{N}_]+/gu, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return plain
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[.!?。؟]$/.test(sentence))
    .filter(({ length }) => length >= SENTENCE_MIN && length <= SENTENCE_MAX);
}

function meaningfulWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= WORD_MIN));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 1 : common / all;
}
