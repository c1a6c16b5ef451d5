/**
 * News articles of the whole world through GDELT's index (DOC 2.0): no key, one request every five seconds. It has titles
 * only, and the time at which it saw an article, in steps of 15 minutes.
 */

import { z } from 'zod';
import { MINUTE } from '../../../lib/time.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import { parseFittingItems, parsePayload } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toWebResult } from '../parse/results.ts';
import {
  extractSite,
  formatDigits,
  joinSearchTerms,
  listSubjects,
  reportIfFull,
  stripSigns,
} from '../provider-query.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';

/** Every word is required, anywhere in the article. */
const MAX_WORDS = 3;
/** Shorter ones are refused, except in scripts without spaces. */
const MIN_WORD_LENGTH = 3;
const MAX_RECORDS = 250;

/** An empty result has no list. */
const listPayload = z.object({ articles: z.array(z.unknown()).default([]) });
const article = z.object({
  url: z.string().min(1),
  title: z.string(),
  /** `20240615T170000Z` */
  seendate: z.string().regex(/^\d{8}T\d{6}Z$/),
});
type Article = z.infer<typeof article>;

export const GDELT = defineSource({
  facts: {
    name: 'gdelt',
    source: 'web',
    title: 'GDELT (news index)',
    dates: 'exact',
    sample: 'climate',
    brings: 'news articles in 65 languages',
    covers: 'news',
    terms: 'One request in five seconds; free for any use with a citation of and a link to gdeltproject.org.',
    pace: { perMinute: 11, burst: 1 },
    everyMs: 5_100,
    wordings: 'own',
    pauseMs: MINUTE,
    // The index is updated every 15 minutes.
    ttlMs: 15 * MINUTE,
  },
  variables: {},
  make: (_, { at }) => gdelt({ at }),
});

export function gdelt(settings: { at?: string | undefined } = {}): Adapter {
  const { at = 'https://api.gdeltproject.org' } = settings;
  return {
    ...GDELT.facts,
    async probe(context) {
      await listArticles(at, { query: 'news', maxrecords: '1', timespan: '1d' }, context);
    },
    async find(query, context) {
      const words = buildSearchQuery(query);
      if (words === '') return [];
      const most = Math.min(query.limit * 2, MAX_RECORDS);
      const params = {
        query: words,
        maxrecords: String(most),
        sort: query.from === undefined ? 'hybridrel' : 'datedesc',
        ...(query.from && {
          startdatetime: formatDigits(query.from, 14),
          enddatetime: formatDigits(query.to, 14),
        }),
      };
      const articles = await listArticles(at, params, context);
      reportIfFull(context, articles, most);
      return articles.flatMap(toFoundItems);
    },
  };
}

function buildSearchQuery(query: SourceQuery): string {
  const keywords = listSubjects(query.keywords)
    .map(stripSigns)
    .filter((word) => word.length >= MIN_WORD_LENGTH);
  const phrases = query.phrases?.map(stripSigns);
  const terms = joinSearchTerms({ prompt: query.prompt, keywords, phrases }, MAX_WORDS);
  const { site } = extractSite(query.prompt);
  return terms === '' || site === undefined ? terms : `${terms} domain:${site}`;
}

async function listArticles(
  at: string,
  params: Record<string, string>,
  { ask }: AdapterContext,
): Promise<Article[]> {
  const url = buildEndpoint(at, 'api/v2/doc/doc', { mode: 'artlist', format: 'json', ...params });
  const { text } = await ask({ url });
  assertNoNotice(text);
  return parseFittingItems(parsePayload(repairJson(text), listPayload).articles, article);
}

/** It refuses with a sentence instead of JSON, often with status 200. */
function assertNoNotice(text: string): void {
  if (/^please limit requests/i.test(text)) throw new SourceDown('source_busy', { detail: 'HTTP 200' });
  if (/^[A-Z][\w',.:()\s-]{5,500}$/.test(text.trim()))
    throw new SourceDown('source_refused', { detail: 'it does not accept these words' });
}

/** Titles are inserted as they are: with control characters, and backslashes that escape nothing. */
function repairJson(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replace(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|\\/g, (mark) => (mark === '\\' ? '\\\\' : mark));
}

function toFoundItems({ url, title, seendate }: Article): FoundItem[] {
  const [, date = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(seendate) ?? [];
  const published = `${date.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')}T${time.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3')}Z`;
  return toWebResult({ title, url, text: undefined, published, periodOnly: false });
}
