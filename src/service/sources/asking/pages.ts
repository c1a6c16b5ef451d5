/** Page after page, and what came before the one that failed. */
import { SourceDown } from '../../outage.ts';
import type { Asking } from '../adapter.ts';

export type Page<T> = { items: readonly T[]; isLast: boolean };

/**
 * The items of all pages, until there are enough or no page follows. Where a later page fails, those before
 * it are given, and the frame is told.
 * @param limits.pages the most pages; `items` so many are enough, more may be given
 * @param read reads one page; 0 is the first
 * @throws what the first page throws; whatever is no SourceDown (who asked is gone, a mistake of ours)
 */
export async function pagesOf<T>(
  limits: { pages: number; items: number },
  { cutShort }: Pick<Asking, 'cutShort'>,
  read: (page: number) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; page < limits.pages && all.length < limits.items; page += 1) {
    try {
      const { items, isLast } = await read(page);
      all.push(...items);
      if (isLast) break;
    } catch (error) {
      if (page === 0 || !(error instanceof SourceDown)) throw error;
      cutShort(error);
      break;
    }
  }
  return all;
}
