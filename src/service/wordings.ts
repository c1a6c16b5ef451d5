/** One prompt in several wordings: sources that want every word find more with fewer. */
import { keywordsOf } from './rank/keywords.ts';
import type { Query } from './source.ts';
import { bestWords } from './sources/asking/words.ts';

export type Wording = Pick<Query, 'prompt' | 'keywords'>;

export type Wordings = {
  /** As the user wrote it. */
  own: Wording;
  /** Fewer of its best keywords, but never one alone; each says something else. At most three. */
  narrower: readonly Wording[];
  /** Its two best keywords, each alone: the last resort. */
  single: readonly Wording[];
};

const TOGETHER = [
  [0, 1, 2],
  [0, 1],
  [0, 2],
];

export function wordingsOf(prompt: string): Wordings {
  const keywords = keywordsOf(prompt);
  const of = (places: readonly number[]): Wording => {
    const chosen = places.flatMap((place) => keywords.slice(place, place + 1));
    const words = bestWords({ prompt, keywords: chosen }, chosen.length);
    return { prompt: words.join(' '), keywords: words };
  };
  const few = keywords.length;
  return {
    own: { prompt, keywords },
    narrower: TOGETHER.filter((places) => Math.max(...places) < few && places.length < few).map(of),
    single: few > 1 ? [of([0]), of([1])] : [],
  };
}
