/** Finds the items of feeds that match a query. */

import { containsEveryWord, rankByText } from '../../ranking/text-relevance.ts';
import { extractSite, pickBestWords } from '../provider-query.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import type { FeedEntry } from './feed-orders.ts';

/** Every word is required: tries fewer if nothing matches. */
const WORD_ATTEMPTS = [3, 2] as const;

/** Entries of the window with all of the best words, most relevant first. */
export function searchEntries(entries: readonly FeedEntry[], query: SourceQuery): FoundItem[] {
  return matchItems(listItems(entries, query), query);
}

/** Items of the window; undated ones are left to the date filter. */
function listItems(entries: readonly FeedEntry[], { from, to, prompt }: SourceQuery): FoundItem[] {
  const { site } = extractSite(prompt);
  return entries.flatMap(({ title, link, text, publishedAt }): FoundItem[] => {
    const at = publishedAt === null ? undefined : new Date(publishedAt);
    if (at !== undefined && ((from !== undefined && at < from) || at > to)) return [];
    if (site !== undefined && !isOfSite(link, site)) return [];
    return [{ source: 'web', title, link, snippet: text, summaryDescription: '', publishedAt: at }];
  });
}

function isOfSite(link: string, site: string): boolean {
  const { hostname } = new URL(link);
  const wanted = site.toLowerCase();
  return hostname === wanted || hostname.endsWith(`.${wanted}`);
}

/** Items with all of the best words, most relevant first. */
function matchItems(items: readonly FoundItem[], query: SourceQuery): FoundItem[] {
  for (const most of WORD_ATTEMPTS) {
    const words = pickBestWords(query, most);
    if (words.length === 0) return [];
    const matching = items.filter((item) => containsEveryWord(item, words));
    if (matching.length > 0)
      return rankByText(matching, query)
        .flatMap((i) => matching[i] ?? [])
        .slice(0, query.limit);
  }
  return [];
}
