/** MediaWiki encyclopedias (Wikipedia): no key; requires an identifying User-Agent. */
import { pattern, variable, wordOf } from '../../../config/variable.ts';
import { z } from 'zod';
import { retryAfterMs } from '../../../protocol/retry-after.ts';
import { DAY, SECOND } from '../../../lib/time.ts';
import { getOrMake } from '../../../lib/get-or-make.ts';
import { SourceDown } from '../outage.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { toExcerpt, toPlainText, toTitle } from '../parse/plain-text.ts';
import { parseFittingItems, optionalField, parsePayload } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toResult } from '../parse/results.ts';
import { reportIfFull, searchWithFewerWords, stripSigns } from '../provider-query.ts';

/** Every word is required: retries with fewer. */
const WORD_ATTEMPTS = [4, 2] as const;
/** Maximum number of excerpts per response. */
const MAX_PAGE_SIZE = 20;
const MAX_LAG_MS = 5 * SECOND;

const searchPayload = z.object({
  error: optionalField(z.object({ code: z.string() })),
  // Missing if there are no results.
  query: z.object({ pages: z.array(z.unknown()) }).optional(),
});
const articlePage = z.object({
  title: z.string().min(1),
  fullurl: z.string(),
  index: z.number(),
  extract: optionalField(z.string()),
  description: optionalField(z.string()),
});

export const MEDIAWIKI = defineSource({
  facts: {
    name: 'mediawiki',
    source: 'encyclopedia',
    title: 'Encyclopedia (MediaWiki)',
    dates: 'none',
    sample: 'tidal power',
    brings: 'encyclopedia articles',
    terms:
      'One request after the other, by who says who they are (SERVICE_CONTACT); CC BY-SA 4.0: the link is the attribution.',
    pace: { perMinute: 60, burst: 10 },
    serial: true,
    // Sequential requests with several wordings would take too long; it retries with fewer words itself.
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    language: variable('ENCYCLOPEDIA_LANGUAGE', pattern(/^[a-z]{2,12}(-[a-z]{1,12})*$/, 'a language such as en'), 'the language of the encyclopedia', { unset: 'that of the question, or English', typical: 'en' }),
    dates: variable('ENCYCLOPEDIA_DATE_MODE', wordOf('none', 'edited'), 'edited: with a date filter, only articles edited in its range', { default: 'none' }),
  },
  make: (settings, { at }) => mediawiki({ ...settings, at }),
});

/**
 * @param settings.dates `edited`: only articles edited within the window; `none`: ignores the window. Articles have no
 *   publication date, so results are undated either way.
 */
export function mediawiki(settings: {
  /** Default: the language of each question, or English. */
  language?: string | undefined;
  dates: 'none' | 'edited';
  at?: string | undefined;
}): Adapter {
  const { language, dates } = settings;
  const findWiki = (of: string | null | undefined) =>
    settings.at ?? `https://${language ?? of ?? 'en'}.wikipedia.org`;
  const searches = new Map<string, ArticleSearch>();
  const searchAt = (at: string) => getOrMake(searches, at, () => createArticleSearch(at));
  return {
    ...MEDIAWIKI.facts,
    title: `Encyclopedia (MediaWiki at ${new URL(findWiki(null)).host})`,
    async probe(context) {
      await searchAt(findWiki(null))('encyclopedia', 1, context);
    },
    async find(query, context) {
      const search = searchAt(findWiki(query.language));
      const edited = dates === 'edited' ? buildEditedFilter(query, context.clock.now()) : '';
      const limit = Math.min(query.limit, MAX_PAGE_SIZE);
      return searchWithFewerWords(query, WORD_ATTEMPTS, async (words) => {
        const bare = stripSigns(words);
        if (bare === '') return { items: [], isLast: true };
        const items = await search(`${bare}${edited}`, limit, context);
        reportIfFull(context, items, limit);
        return { items, isLast: false };
      });
    },
  };
}

/** Where wikis have their API, below their base URL: as at Wikipedia, or beside their other scripts. */
const API_PATHS = ['w/api.php', 'api.php'];

type ArticleSearch = (words: string, limit: number, context: AdapterContext) => Promise<FoundItem[]>;

/** @param at base URL of the wiki, or the address of its `api.php` */
function createArticleSearch(at: string): ArticleSearch {
  let places = /\/[^/]+\.php$/.test(new URL(at).pathname)
    ? [new URL(at)]
    : API_PATHS.map((path) => buildEndpoint(at, path));
  return async (words, limit, context) => {
    for (const place of places) {
      const url = buildArticleSearch(place, words, limit);
      const reply = await context.ask({ url, reads: [404] });
      if (reply.status === 404) continue;
      const articles = parseArticles(reply, context);
      places = [place];
      return articles;
    }
    const detail = 'no api.php found; set its address in SERVICE_SOURCE_URLS';
    throw new SourceDown('source_failed', { detail });
  };
}

function buildArticleSearch(api: URL, words: string, limit: number): URL {
  const url = new URL(api);
  const params = {
    action: 'query',
    format: 'json',
    formatversion: '2',
    generator: 'search',
    gsrsearch: words,
    gsrlimit: String(limit),
    prop: 'extracts|info|description',
    exintro: '1',
    explaintext: '1',
    exsentences: '3',
    exlimit: 'max',
    inprop: 'url',
    maxlag: String(MAX_LAG_MS / SECOND),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url;
}

function parseArticles(reply: ProviderResponse, context: AdapterContext): FoundItem[] {
  const { error, query } = parsePayload(reply.text, searchPayload);
  if (error !== undefined) throw toOutage(error.code, reply, context);
  return parseFittingItems(query?.pages ?? [], articlePage)
    .sort((a, b) => a.index - b.index)
    .flatMap(toFoundItems);
}

/** Errors have status 200. Only known codes are reported, never the server's messages. */
function toOutage(code: string, { headers }: ProviderResponse, { clock }: AdapterContext): SourceDown {
  const wait = retryAfterMs(headers.get('retry-after'), clock.now());
  if (code === 'maxlag') {
    return new SourceDown('source_busy', { detail: 'database lag', retryAfterMs: wait ?? MAX_LAG_MS });
  }
  if (code === 'ratelimited') return new SourceDown('source_busy', { retryAfterMs: wait ?? undefined });
  return new SourceDown('source_failed', { detail: 'returned an error' });
}

function toFoundItems({ title, fullurl, extract, description }: z.infer<typeof articlePage>): FoundItem[] {
  return toResult(fullurl, () => ({
    source: 'encyclopedia',
    title: toTitle(title),
    snippet: toExcerpt(toPlainText(extract ?? '')),
    summaryDescription: toExcerpt(toPlainText(description ?? '')),
    publishedAt: undefined,
  }));
}

function buildEditedFilter({ from }: SourceQuery, now: Date): string {
  return from === undefined
    ? ''
    : ` lasteditdate:>=now-${Math.ceil((now.getTime() - from.getTime()) / DAY)}d`;
}
