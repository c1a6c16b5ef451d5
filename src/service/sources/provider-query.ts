/** From a query to what a provider can be asked: words, a period, and pages. */

import { cleanText } from '../../domain/text.ts';
import { DAY, MINUTE } from '../../domain/time.ts';
import type { AdapterContext } from './adapter.ts';
import { SourceDown } from './outage.ts';
import type { SourceQuery } from './search-source.ts';

/** The best few keywords in the order in which the user wrote them: "ai regulation" is not "regulation ai". */
export function pickBestWords(
  { prompt, keywords }: Pick<SourceQuery, 'prompt' | 'keywords'>,
  most: number,
): string[] {
  const text = prompt.toLowerCase();
  return keywords.slice(0, most).sort((a, b) => text.indexOf(a) - text.indexOf(b));
}

/** The best few words, in the order in which the user wrote them: for sources that want all words to occur. */
export function joinBestWords(query: Pick<SourceQuery, 'prompt' | 'keywords'>, most: number): string {
  return pickBestWords(query, most).join(' ') || shortenPrompt(query.prompt);
}

/** The prompt as one line of at most 400 characters and 50 words, whole words where it can be. */
export function shortenPrompt(prompt: string): string {
  const words = prompt.trim().split(/\s+/u).slice(0, 50).join(' ');
  if (words.length <= 400) return words;
  const cut = words.slice(0, 401).lastIndexOf(' ');
  return cut > 0 ? words.slice(0, cut) : cleanText(words, 400);
}

/** `site:` in a prompt, for sources that take the site as a member of its own and not as a word. */
export function extractSite(prompt: string): { words: string; site: string | undefined } {
  const match = /(?:^|\s)site:([\w.-]+)(?=\s|$)/iu.exec(prompt);
  if (match === null) return { words: prompt, site: undefined };
  return { words: prompt.replace(match[0], ' ').trim(), site: match[1] };
}

/** Words alone, for sources to whose search signs (`:`, `"`, `-`) are orders. */
export function stripSigns(words: string): string {
  return words.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}

/**
 * The best few words and phrases, all of which must occur, in the order of the prompt; empty where it has none.
 * @param asPhrase what stands in quotes, so that it is not read as several words or as an operator
 */
export function joinSearchTerms(
  query: Pick<SourceQuery, 'prompt' | 'keywords'>,
  most: number,
  asPhrase = /\s/u,
): string {
  return pickBestWords(query, most)
    .map((word) => (asPhrase.test(word) ? `"${word.replaceAll('"', ' ')}"` : word))
    .join(' ');
}

/** The last day, week, month and year, as several sources call them; with their lengths in days. */
export const PERIODS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['year', 365],
] as const;

/** What passed between the window's making and the request. */
const PERIOD_GRACE_MS = 10 * MINUTE;

/**
 * The shortest period that reaches back to a window's start, where a source knows none but "the last week".
 * @param periods by name, each with its length in days, the shortest first
 * @returns undefined where none reaches that far, or the window has no start
 */
export function pickShortestPeriod<T extends string>(
  periods: readonly (readonly [name: T, days: number])[],
  from: Date | undefined,
  now: Date,
): T | undefined {
  if (from === undefined) return undefined;
  const backMs = now.getTime() - from.getTime() - PERIOD_GRACE_MS;
  return periods.find(([, days]) => days * DAY >= backMs)?.[0];
}

/** A day in UTC, where a window is asked for in whole days with both ends included. */
export function formatDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

export type ResultPage<T> = { items: readonly T[]; isLast: boolean };

/**
 * The items of all pages, until there are enough or no page follows. Where a later page fails, those before
 * it are given, and `cutShort` reports it.
 * @param limits.pages the most pages; `items` so many are enough, more may be given
 * @param read reads one page; 0 is the first
 * @throws what the first page throws; whatever is no SourceDown (who asked is gone, a mistake of ours)
 */
export async function readPages<T>(
  limits: { pages: number; items: number },
  { cutShort }: Pick<AdapterContext, 'cutShort'>,
  read: (page: number) => Promise<ResultPage<T>>,
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
