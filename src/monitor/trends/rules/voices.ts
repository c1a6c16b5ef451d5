/** Whether many people are behind a spike. Pure. */
import { holdsWith, type Spike } from './spike-detection.ts';

/** Posts of a quarter-hour (ms since 1970) by one author with one text; null if unknown. */
type Voice = { at: number; author: bigint | null; text: string | null; posts: number };

/**
 * Share of the posts of a window, 0 to 1, from which on one author or the copies of one text may be named as its cause. At the threshold, a
 * window is no spike without any one of its posts, whoever wrote it.
 */
export const MIN_CAUSE_SHARE = 0.25;

/** Whether a window remains a spike without its loudest author, and without the copies of one text but the first. */
export function isOfMany(voices: readonly Voice[], spike: Spike): boolean {
  const loudest = findLoudest(voices, spike);
  return loudest.author.holdsWithout && loudest.text.holdsWithout;
}

/**
 * What alone makes a window a spike: its loudest author, or the copies of one text but the first. They are a large share of its posts, and it
 * is none without them. Null for one of many, and where no large share explains why it is none.
 */
export function findCause(voices: readonly Voice[], spike: Spike): 'author' | 'text' | null {
  const loudest = findLoudest(voices, spike);
  const isCause = ({ share, holdsWithout }: Loudest) => !holdsWithout && share >= MIN_CAUSE_SHARE;
  if (isCause(loudest.author)) return 'author';
  return isCause(loudest.text) ? 'text' : null;
}

/** Share of the posts, 0 to 1, and whether the window is a spike without them. */
type Loudest = { share: number; holdsWithout: boolean };

function findLoudest(voices: readonly Voice[], spike: Spike): { author: Loudest; text: Loudest } {
  const { all, byAuthor, byText } = countVoices(voices, spike);
  const judge = (posts: number): Loudest =>
    all === 0
      ? { share: 0, holdsWithout: true }
      : { share: posts / all, holdsWithout: holdsWith(spike, (spike.n * (all - posts)) / all) };
  return {
    author: judge(Math.max(0, ...byAuthor.values())),
    text: judge(Math.max(1, ...byText.values()) - 1),
  };
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
