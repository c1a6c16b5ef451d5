/** Finds the items of feeds and watched pages that match a query. */

import { containsEveryWord, rankByText } from '../../ranking/text-relevance.ts';
import { extractSite, isWithinDomains, pickBestWords } from '../provider-query.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import type { FeedEntry } from './feed-orders.ts';

/** Every word is required: tries fewer if nothing matches. */
const WORD_ATTEMPTS = [3, 2] as const;

/** Entries of the window with all of the best words, most relevant first. */
export function searchEntries(entries: readonly FeedEntry[], query: SourceQuery): FoundItem[] {
  const matching = matchItems(listEntries(entries, query), query).map(toFoundItem);
  return rankByText(matching, query)
    .flatMap((i) => matching[i] ?? [])
    .slice(0, query.limit);
}

/**
 * Texts of the window with all of the best words, of which the title of their page may have some; what appeared last
 * comes first. A query of nothing but a site finds all texts of it.
 * @param isCurrent whether the window ends now: then it includes what a page said when it was first read
 */
export function searchTexts(
  entries: readonly FeedEntry[],
  query: SourceQuery,
  isCurrent: boolean,
): FoundItem[] {
  const listed = listEntries(entries, query);
  const { words, site } = extractSite(query.prompt);
  return (site !== undefined && words === '' ? listed : matchItems(listed, query))
    .slice(0, query.limit)
    .map((entry) => {
      const item = toFoundItem(entry);
      return item.publishedAt === undefined && isCurrent ? { ...item, periodVouched: true } : item;
    });
}

/** Entries of the window, and of the site and the domains of the query; undated ones are left to the date filter. */
function listEntries(entries: readonly FeedEntry[], { from, to, prompt, domains }: SourceQuery): FeedEntry[] {
  const { site } = extractSite(prompt);
  const ofSite = { include: site === undefined ? [] : [site.toLowerCase()], exclude: [] };
  return entries.filter(({ link, publishedAt }) => {
    const at = publishedAt === null ? undefined : new Date(publishedAt);
    if (at !== undefined && ((from !== undefined && at < from) || at > to)) return false;
    return isWithinDomains(link, ofSite) && isWithinDomains(link, domains ?? ofSite);
  });
}

/** Entries with all of the best words. */
function matchItems(entries: readonly FeedEntry[], query: SourceQuery): FeedEntry[] {
  for (const most of WORD_ATTEMPTS) {
    const words = pickBestWords(query, most);
    if (words.length === 0) return [];
    const matching = entries.filter(({ title, text, page = '' }) =>
      containsEveryWord({ title: `${page} ${title}`, snippet: text }, words),
    );
    if (matching.length > 0) return matching;
  }
  return [];
}

function toFoundItem({ title, link, text, publishedAt }: FeedEntry): FoundItem {
  return {
    source: 'web',
    title,
    link,
    snippet: text,
    summaryDescription: '',
    publishedAt: publishedAt === null ? undefined : new Date(publishedAt),
  };
}
