/** Finds the items of feeds and watched pages that match a query. */

import { createSlices } from '../../event-loop-turns.ts';
import { containsEveryWord, rankByText } from '../../ranking/text-relevance.ts';
import { extractSite, isWithinDomains, isWithinWindow, listBestWords } from '../provider-query.ts';
import { orderNewest } from '../../ranking/result-selection.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import type { FeedEntry } from './feed-orders.ts';

/** Every word is required: tries fewer if nothing matches. */
const WORD_ATTEMPTS = [3, 2] as const;

/** The entries to search, which of them may be shown, and whether the window ends now. */
type Searched = {
  entries: readonly FeedEntry[];
  isShown: (entry: FeedEntry) => boolean;
  isCurrent: boolean;
};

/**
 * Entries of the window with all of the best words, most relevant first. If there are more than the limit: with those
 * that are the newest, of which ranking chooses.
 * @param searched.isCurrent whether the window ends now: then it includes entries without a time that were there from
 *   the first reading on
 * @param searched.onCut receives how many match, if they are more than the limit
 */
export async function searchEntries(
  { onCut, ...searched }: Searched & { onCut?: (matching: number) => void },
  query: SourceQuery,
): Promise<FoundItem[]> {
  const listed = await listEntries(searched, query);
  const matching = (await matchItems(listed, query)).map((entry) =>
    vouchFor(toFoundItem(entry), searched.isCurrent),
  );
  const ranked = rankByText(matching, query).flatMap((i) => matching[i] ?? []);
  if (ranked.length <= query.limit) return ranked;
  onCut?.(ranked.length);
  const kept = new Set([...ranked.slice(0, query.limit), ...orderNewest(matching).slice(0, query.limit)]);
  return ranked.filter((item) => kept.has(item));
}

/**
 * Entries of the window whatever they say, the newest first; those without a time take every second place.
 * @param searched.onCut receives how many there are, if they are more than the limit
 */
export async function listNewest(
  { onCut, ...searched }: Searched & { onCut?: (matching: number) => void },
  query: SourceQuery,
): Promise<FoundItem[]> {
  const listed = (await listEntries(searched, query)).map((entry) =>
    vouchFor(toFoundItem(entry), searched.isCurrent),
  );
  if (listed.length > query.limit) onCut?.(listed.length);
  return orderNewest(listed).slice(0, query.limit);
}

/** How many entries match that cannot be results, because they have no address. */
export async function countUnlinked(unlinked: readonly FeedEntry[], query: SourceQuery): Promise<number> {
  const inWindow = unlinked.filter(
    ({ publishedAt }) =>
      publishedAt === null || isWithinWindow({ publishedAt: new Date(publishedAt) }, query),
  );
  return (await matchItems(inWindow, query)).length;
}

function vouchFor(item: FoundItem, isCurrent: boolean): FoundItem {
  return item.publishedAt === undefined && isCurrent ? { ...item, periodVouched: true } : item;
}

/**
 * Texts of the window with all of the best words, of which the title of their page may have some; what appeared last
 * comes first. A query of nothing but a site finds all texts of it.
 * @param searched.isCurrent whether the window ends now: then it includes what a page said when it was first read
 */
export async function searchTexts(searched: Searched, query: SourceQuery): Promise<FoundItem[]> {
  const listed = await listEntries(searched, query);
  const { words, site } = extractSite(query.prompt);
  return (site !== undefined && words === '' ? listed : await matchItems(listed, query))
    .slice(0, query.limit)
    .map((entry) => vouchFor(toFoundItem(entry), searched.isCurrent));
}

/**
 * Entries of the window, and of the site and the domains of the query; undated ones are left to the date filter.
 * @param searched.isCurrent then an entry that was first seen by the reading for this very query is of the end of the window
 */
function listEntries({ entries, isShown, isCurrent }: Searched, query: SourceQuery): Promise<FeedEntry[]> {
  const { prompt, domains } = query;
  const until = query.to.toISOString();
  const isLate = ({ publishedAt }: FeedEntry) => isCurrent && publishedAt !== null && publishedAt > until;
  const dated = entries.map((entry) => (isLate(entry) ? { ...entry, publishedAt: until } : entry));
  const { site } = extractSite(prompt);
  const ofSite = { include: site === undefined ? [] : [site.toLowerCase()], exclude: [] };
  return filterInSlices(dated, (entry) => {
    const { link, publishedAt } = entry;
    if (publishedAt !== null && !isWithinWindow({ publishedAt: new Date(publishedAt) }, query)) return false;
    return isWithinDomains(link, ofSite) && isWithinDomains(link, domains ?? ofSite) && isShown(entry);
  });
}

/** Entries with all of the best words. */
async function matchItems(entries: readonly FeedEntry[], query: SourceQuery): Promise<FeedEntry[]> {
  for (const words of listBestWords(query, WORD_ATTEMPTS)) {
    const matching = await filterInSlices(entries, ({ title, text, page = '' }) =>
      containsEveryWord({ title: `${page} ${title}`, snippet: text }, words),
    );
    if (matching.length > 0) return matching;
  }
  return [];
}

/** There may be tens of thousands of entries, and each query searches all. */
async function filterInSlices<T>(items: readonly T[], keep: (item: T) => boolean): Promise<T[]> {
  const slices = createSlices();
  const kept: T[] = [];
  for (const item of items) {
    await slices();
    if (keep(item)) kept.push(item);
  }
  return kept;
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
