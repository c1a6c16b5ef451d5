import type { SearchRow } from '../../../store/reads/searches.ts';

/** In place of numbers that such searches never have. */
export const NO_POSTS = 'no posts to count: AI searches find links';

/**
 * Whether these are AI searches alone that found no post: some services name posts among their links, most do not.
 * @param counts of posts, by whatever time and search; null was not observed
 */
export function linksOnly(
  searches: readonly Pick<SearchRow, 'operation'>[],
  counts: readonly (number | null)[],
): boolean {
  const ai = searches.length > 0 && searches.every(({ operation }) => operation === 'ai');
  return ai && counts.every((posts) => posts === null || posts === 0);
}
