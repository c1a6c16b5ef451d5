/** Converts a query to what providers accept: words, a period, and pages. */

import { parseUrl } from '../../model/links/link.ts';
import { followRedirects } from '../../model/links/link-redirects.ts';
import { cleanText } from '../../lib/text.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import type { AdapterContext } from './adapter.ts';
import { RELATION_WORDS } from '../planning/question-words.ts';
import { SourceDown } from './outage.ts';
import { LIST_FULL } from '../../protocol/extensions.ts';
import type { DomainFilter, FoundItem, SourceNotice, SourceQuery } from './search-source.ts';

/**
 * The best keywords in the user's order: "ai regulation" is not "regulation ai".
 * @param most words, or phrases; a last pair of words is not divided
 */
export function pickBestWords(
  query: Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases'>,
  most: number,
): string[] {
  const text = query.prompt.toLowerCase();
  const place = (keyword: string) => text.indexOf(keyword.split(' ', 1).join(''));
  let words = 0;
  const best = query.keywords.filter((keyword) => {
    const isWithin = words < most;
    words += countWords(keyword, query);
    return isWithin;
  });
  return best.sort((a, b) => place(a) - place(b));
}

function countWords(keyword: string, query: Pick<SourceQuery, 'phrases'>): number {
  return isPhrase(keyword, query) ? 1 : keyword.split(' ').length;
}

/**
 * Lists of the best words, for matching that requires every word, wherever it stands; phrases stay whole. None is empty or repeated.
 * @param attempts numbers of words
 */
export function listBestWords(
  query: Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases'>,
  attempts: readonly number[],
): string[][] {
  // Of a pair, the second word is the thing: "turbines" of "tidal turbines".
  const keywords = query.keywords.flatMap((word) =>
    isPhrase(word, query) ? [word] : word.split(' ').toReversed(),
  );
  const counts = new Set(attempts.map((most) => Math.min(most, keywords.length)));
  const lists = [...counts]
    .filter((most) => most > 0)
    .map((most) => pickBestWords({ ...query, keywords }, most));
  const subjects = listSubjects(keywords);
  if (subjects.length === keywords.length) return lists;
  const last = pickBestWords({ ...query, keywords: subjects }, Math.min(...attempts));
  return lists.some((list) => list.join(' ') === last.join(' ')) ? lists : [...lists, last];
}

/** The keywords without what somebody does with a subject, or how subjects relate; all, if there is nothing else. */
export function listSubjects(keywords: readonly string[]): readonly string[] {
  const subjects = keywords.filter((word) => !RELATION_WORDS.has(word));
  return subjects.length > 0 ? subjects : keywords;
}

/** Whether a keyword of several words must be found as it is. */
export function isPhrase(keyword: string, { phrases }: Pick<SourceQuery, 'phrases'>): boolean {
  return keyword.includes(' ') && (phrases === undefined || phrases.includes(keyword));
}

/** The best keywords in the user's order, as a string: for sources that require every word. */
export function joinBestWords(
  query: Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases'>,
  most: number,
): string {
  return pickBestWords(query, most).join(' ') || shortenPrompt(query.prompt);
}

/** The prompt as one line of at most 400 characters and 50 words, cut between words if possible. */
export function shortenPrompt(prompt: string): string {
  const words = prompt.trim().split(/\s+/u).slice(0, 50).join(' ');
  if (words.length <= 400) return words;
  const cut = words.slice(0, 401).lastIndexOf(' ');
  return cut > 0 ? words.slice(0, cut) : cleanText(words, 400);
}

/** Extracts `site:`, for sources with a separate parameter for it. */
export function extractSite(prompt: string): { words: string; site: string | undefined } {
  const match = /(?:^|\s)site:([\w.-]+)(?=\s|$)/iu.exec(prompt);
  if (match === null) return { words: prompt, site: undefined };
  return { words: prompt.replace(match[0], ' ').trim(), site: match[1] };
}

/** Domains as parameters of a provider; a `site:` of the prompt is the only included domain. */
export function buildDomainParams(
  site: string | undefined,
  { include, exclude }: DomainFilter = { include: [], exclude: [] },
  [included, excluded]: readonly [string, string],
): Record<string, readonly string[]> {
  const only = site === undefined ? include : [site];
  return {
    ...(only.length > 0 && { [included]: only }),
    ...(exclude.length > 0 && { [excluded]: exclude }),
  };
}

/** The shortened prompt with domains as operators (`site:`), for search engines: as many as fit beside it. */
export function shortenWithDomains({ prompt, domains }: Pick<SourceQuery, 'prompt' | 'domains'>): string {
  const words = shortenPrompt(prompt);
  const { include, exclude } = domains ?? { include: [], exclude: [] };
  const join = (included: readonly string[], excluded: readonly string[]) =>
    [
      ...(included.length > 0 ? [included.map((domain) => `site:${domain}`).join(' OR ')] : []),
      words,
      ...excluded.map((domain) => `-site:${domain}`),
    ].join(' ');
  const included = takeWhileShort(include, (some) => join(some, []));
  return join(
    included,
    takeWhileShort(exclude, (some) => join(included, some)),
  );
}

/** The first of a list with which the query need not be shortened. */
function takeWhileShort(
  list: readonly string[],
  build: (some: readonly string[]) => string,
): readonly string[] {
  const tooMany = list.findIndex((_, i) => {
    const built = build(list.slice(0, i + 1));
    return shortenPrompt(built) !== built;
  });
  return tooMany === -1 ? list : list.slice(0, tooMany);
}

/** Whether a link is of the domains, each with its subdomains; of a redirecting link, whether its target is. */
export function isWithinDomains(link: string, { include, exclude }: DomainFilter): boolean {
  if (include.length + exclude.length === 0) return true;
  const url = parseUrl(link);
  const host = url === undefined ? '' : followRedirects(url).hostname;
  const isOf = (domain: string) => host === domain || host.endsWith(`.${domain}`);
  return (include.length === 0 || include.some(isOf)) && !exclude.some(isOf);
}

/** Removes symbols (`:`, `"`, `-`), for sources that treat them as operators. */
export function stripSigns(words: string): string {
  return words.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}

/**
 * The best words and phrases, all required, in the order of the prompt; empty if it has none.
 * @param isQuoted words to quote, so that they are not read as several words or an operator
 */
export function joinSearchTerms(
  query: Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases'>,
  most: number,
  isQuoted = /\s/u,
): string {
  return pickBestWords(query, most)
    .flatMap((word) => (isPhrase(word, query) ? [word] : word.split(' ')))
    .map((word) => (isQuoted.test(word) ? `"${word.replaceAll('"', ' ')}"` : word))
    .join(' ');
}

/** Periods that several sources support, with their lengths in days. */
export const PERIODS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['year', 365],
] as const;

/** Time that may pass between computing the window and the request. */
const WINDOW_GRACE_MS = 10 * MINUTE;

/** Whether a window ends now; otherwise it is one of the past. */
export function endsNow(to: Date, now: Date): boolean {
  return now.getTime() - to.getTime() <= WINDOW_GRACE_MS;
}

/**
 * The shortest period that covers a window's start, for sources that only support periods.
 * @param periods names with lengths in days, shortest first
 * @returns undefined if no period is long enough, or the window has no start
 */
export function pickShortestPeriod<T extends string>(
  periods: readonly (readonly [name: T, days: number])[],
  from: Date | undefined,
  now: Date,
): T | undefined {
  if (from === undefined) return undefined;
  const backMs = now.getTime() - from.getTime() - WINDOW_GRACE_MS;
  return periods.find(([, days]) => days * DAY >= backMs)?.[0];
}

/** `2026-11-21T12:00:00Z`. */
export function formatSecond(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** `20261121120000`, or fewer of these digits, in UTC. */
export function formatDigits(date: Date, digits: 12 | 14): string {
  return date.toISOString().replace(/\D/g, '').slice(0, digits);
}

/** A UTC date, for windows in whole days, ends inclusive. */
export function formatDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export type ResultPage<T> = { items: readonly T[]; isLast: boolean };

export const FULL: SourceNotice = { code: LIST_FULL, message: 'returned a full list: more may match' };

/** Reports that more may match, if a provider returned as many items as it was asked for. */
export function reportIfFull(
  { report }: Pick<AdapterContext, 'report'>,
  { length }: ArrayLike<unknown>,
  requested: number,
): void {
  if (length >= requested) report(FULL);
}

/**
 * Reads pages until there are enough items or no more pages. If a later page fails, returns the earlier ones and calls
 * `cutShort`; if it stops before the last, `report`.
 * @param limits.pages maximum number of pages; `items`: stop at this many, may return more
 * @param read reads one page; 0 is the first
 * @throws the error of the first page; any error other than SourceDown (the client disconnected, a bug)
 */
export async function readPages<T>(
  limits: { pages: number; items: number },
  { cutShort, report }: Pick<AdapterContext, 'cutShort' | 'report'>,
  read: (page: number) => Promise<ResultPage<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; page < limits.pages && all.length < limits.items; page += 1) {
    try {
      const { items, isLast } = await read(page);
      all.push(...items);
      if (isLast) return all;
    } catch (error) {
      if (page === 0 || !(error instanceof SourceDown)) throw error;
      cutShort(error);
      return all;
    }
  }
  report(FULL);
  return all;
}

/**
 * Searches with the best words, and with fewer while nothing is found, at last without "banned" and "costs": for sources
 * that require every word.
 * @param attempts numbers of words
 * @param search `isLast` if no further attempt is allowed
 */
export async function searchWithFewerWords<T>(
  query: Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases'>,
  attempts: readonly number[],
  search: (words: string) => Promise<ResultPage<T>>,
): Promise<readonly T[]> {
  const least = Math.min(...attempts);
  const counts = query.keywords.length <= least ? attempts.slice(0, 1) : attempts;
  // The same words are not sent twice.
  const wordings = new Set(counts.map((most) => joinBestWords(query, most)));
  const keywords = listSubjects(query.keywords);
  if (keywords.length < query.keywords.length) wordings.add(joinBestWords({ ...query, keywords }, least));
  for (const words of wordings) {
    const { items, isLast } = await search(words);
    if (items.length > 0 || isLast) return items;
  }
  return [];
}

/** Whether an item has a time of the window, for sources whose own periods are wider. */
export function isWithinWindow(
  { publishedAt: at }: Pick<FoundItem, 'publishedAt'>,
  { from, to }: Pick<SourceQuery, 'from' | 'to'>,
): boolean {
  return at !== undefined && (from === undefined || at >= from) && at <= to;
}
