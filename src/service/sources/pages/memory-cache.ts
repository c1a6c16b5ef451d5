/** Keeps pages in memory, for a service without a database. */

import { LRUCache } from 'lru-cache';
import type { CachedPage, PageCache } from '../../ports.ts';

/** Of texts; a page has up to 60,000 characters, usually 5,000. */
const MAX_CHARACTERS = 10_000_000;

export function createMemoryPageCache(): PageCache {
  const pages = new LRUCache<string, CachedPage>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ page }) => page.paragraphs.reduce((sum, { length }) => sum + length, 500),
  });
  return {
    read: async (address) => pages.get(address),
    write: async (address, page) => void pages.set(address, page),
  };
}
