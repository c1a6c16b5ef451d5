/** Finds the items of feeds that match a query. */

import { containsEveryWord, rankByText } from '../../ranking/text-relevance.ts';
import { extractSite, isWithinDomains, pickBestWords } from '../provider-query.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import type { FeedEntry } from './feed-orders.ts';

/** Every word is required: tries fewer if nothing matches. */
const WORD_ATTEMPTS = [3, 2] as const;

/** Entries of the window with all of the best words, most relevant first. */
export function searchEntries(entries: readonly FeedEntry[], query: SourceQuery): FoundItem[] {
  return matchItems(listItems(entries, query), query);
}

/** Items of the window; undated ones are left to the date filter. */
function listItems(entries: readonly FeedEntry[], { from, to, prompt, domains }: SourceQuery): FoundItem[] {
  const { site } = extractSite(prompt);
  const ofSite = { include: site === undefined ? [] : [site.toLowerCase()], exclude: [] };
  return entries.flatMap(({ title, link, text, publishedAt }): FoundItem[] => {
    const at = publishedAt === null ? undefined : new Date(publishedAt);
    if (at !== undefined && ((from !== undefined && at < from) || at > to)) return [];
    if (!isWithinDomains(link, ofSite) || !isWithinDomains(link, domains ?? ofSite)) return [];
    return [{ source: 'web', title, link, snippet: text, summaryDescription: '', publishedAt: at }];
  });
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
