/** Without a search one can only follow hashtags: which ones a prompt asks for, and whose posts are about it. */
import { isUnspaced } from '../../../../relevance/words.ts';
import type { Query } from '../../../source.ts';
import { bestWords } from '../../asking/words.ts';

type Asked = Pick<Query, 'prompt' | 'keywords'>;
/** More words than these are hardly ever one hashtag. */
const JOINED_MAX = 3;

/**
 * One to three hashtags without `#`, the first of which says most: `ai agents` is `aiagents`, `ai`, `agents`.
 * Of a longer prompt its two best words. Empty where no word can be a hashtag: one of digits alone cannot.
 */
export function hashtagsOf(asked: Asked): string[] {
  const { keywords } = asked;
  const joined = bestWords(asked, keywords.length > JOINED_MAX ? 2 : JOINED_MAX).join('');
  const tags = [joined, ...keywords.slice(0, 2)].map(hashtagOf);
  return [...new Set(tags)].filter((tag) => /\D/.test(tag));
}

/**
 * Whether a post under one of these hashtags is about the prompt: `#agents` alone may be about spies. It is
 * when it has the joined hashtag, or when both of the best words occur, be it with another ending.
 */
export function isAbout(post: { text: string; tags: readonly string[] }, asked: Asked): boolean {
  const tags = post.tags.map((tag) => tag.toLowerCase());
  const [joined] = hashtagsOf(asked);
  if (joined !== undefined && tags.includes(joined)) return true;
  const text = post.text.toLowerCase();
  const said = [...tags, ...partsOf(text)];
  const occurs = (word: string) =>
    isUnspaced(word) ? text.includes(word) : said.some((one) => one === word || isFormOf(one, word));
  return asked.keywords
    .slice(0, 2)
    .every((word) => tags.includes(hashtagOf(word)) || partsOf(word).every(occurs));
}

/** Hashtags hold letters, digits and underscores. */
function hashtagOf(words: string): string {
  return words.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '');
}

function partsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** `turbine` and `turbines`; short words have too many neighbours. */
function isFormOf(said: string, word: string): boolean {
  const stem = word.replace(/s$/, '');
  return stem.length > 3 && said.startsWith(stem);
}
