/** Whether many people are behind a spike. Pure. */
import { holdsWith, type Spike } from './spike-detection.ts';

/** Posts of a quarter-hour (ms since 1970) by one author with one text; null if unknown. */
type Voice = { at: number; author: bigint | null; text: string | null; posts: number };

/** What a window is no spike without: its loudest author, or the copies of one text but the first; null if it holds without both. */
export function findCause(voices: readonly Voice[], spike: Spike): 'author' | 'text' | null {
  const { all, byAuthor, byText } = countVoices(voices, spike);
  const holdsWithout = (posts: number) => all === 0 || holdsWith(spike, (spike.n * (all - posts)) / all);
  if (!holdsWithout(Math.max(0, ...byAuthor.values()))) return 'author';
  return holdsWithout(Math.max(1, ...byText.values()) - 1) ? null : 'text';
}

/** The author with the most posts in a spike; null if no author is known. */
export function findLoudestAuthor(
  voices: readonly Voice[],
  spike: Spike,
): { author: bigint; authorShare: number } | null {
  const { all, byAuthor } = countVoices(voices, spike);
  let top: { author: bigint; authorShare: number } | null = null;
  for (const [author, posts] of byAuthor)
    if (top === null || posts / all > top.authorShare) top = { author, authorShare: posts / all };
  return top;
}

function countVoices(voices: readonly Voice[], { start, end }: Spike) {
  let all = 0;
  const byAuthor = new Map<bigint, number>();
  const byText = new Map<string, number>();
  for (const { at, author, text, posts } of voices) {
    if (at < start || at >= end) continue;
    all += posts;
    if (author !== null) byAuthor.set(author, (byAuthor.get(author) ?? 0) + posts);
    if (text !== null) byText.set(text, (byText.get(text) ?? 0) + posts);
  }
  return { all, byAuthor, byText };
}
