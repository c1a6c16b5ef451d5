/** Parses the plan of a response, which our own service sends on request. Bounded, because any service may send anything. */
import type { AskedSource, OpenedPages } from '../../model/asked-source.ts';
import { isPlain } from '../../lib/json-values.ts';
import { readCounter, readText, readWord } from './wire-values.ts';

const MAX_SOURCES = 100;
const MAX_QUERIES = 10;
const MAX_QUERY_LENGTH = 300;

/** @returns null if the response does not say */
export function parsePlan(plan: unknown): AskedSource[] | null {
  if (!isPlain(plan) || !Array.isArray(plan.sources)) return null;
  return plan.sources.slice(0, MAX_SOURCES).flatMap((entry: unknown) => {
    if (!isPlain(entry)) return [];
    const { source, tool, queries, state, results, ms, code, message } = entry;
    const name = readWord(source, 100);
    if (name === null || (state !== 'asked' && state !== 'answered' && state !== 'failed')) return [];
    return [
      {
        source: name,
        tool: readWord(tool, 100) ?? '',
        queries: (Array.isArray(queries) ? queries.slice(0, MAX_QUERIES) : []).flatMap(
          (words: unknown) => readText(words, MAX_QUERY_LENGTH) ?? [],
        ),
        state,
        results: readCounter(results) ?? 0,
        ms: readCounter(ms),
        code: readWord(code, 100),
        message: readText(message, MAX_QUERY_LENGTH),
      },
    ];
  });
}

const MAX_PAGES = 50;
const MAX_ADDRESS_LENGTH = 2_048;

/** @returns null if none was opened, or the response does not say */
export function parseOpenedPages(plan: unknown): OpenedPages | null {
  if (!isPlain(plan) || !isPlain(plan.pages) || !Array.isArray(plan.pages.opened)) return null;
  const { limit_ms, ms, most, opened } = plan.pages;
  return {
    limit_ms: readCounter(limit_ms) ?? 0,
    ms: readCounter(ms) ?? 0,
    most: readCounter(most) ?? 0,
    opened: opened.slice(0, MAX_PAGES).flatMap((page: unknown) => {
      const url = isPlain(page) ? readWord(page.url, MAX_ADDRESS_LENGTH) : null;
      if (!isPlain(page) || url === null) return [];
      return [
        {
          url,
          why: readText(page.why, MAX_QUERY_LENGTH),
          published_date: readWord(page.published_date, 100),
          author: readText(page.author, 200),
          language: readWord(page.language, 50),
        },
      ];
    }),
  };
}
