/** Web search with the Brave Search API: exact dates, a key, few requests per second. */
import { anyText, variable } from '../../../config/variable.ts';
import { z } from 'zod';
import { MINUTE, SECOND } from '../../../lib/time.ts';
import { SourceDown } from '../outage.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { formatDay, readPages, type ResultPage, shortenWithDomains } from '../provider-query.ts';
import {
  createQuotaOutage,
  optionalField,
  parseFittingItems,
  parsePayload,
  tryParsePayload,
} from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toWebResult } from '../parse/results.ts';

/** Per request. */
const MAX_PAGE_SIZE = 20;

const searchPayload = z.object({
  query: optionalField(z.object({ more_results_available: optionalField(z.boolean()) })),
  // Missing if there are no web results.
  web: z.object({ results: z.array(z.unknown()) }).nullish(),
});
const resultItem = z.object({
  url: z.string(),
  title: optionalField(z.string()),
  description: optionalField(z.string()),
  page_age: optionalField(z.string()),
});
const errorPayload = z.object({ error: z.object({ code: z.string() }) });

export const BRAVE = defineSource({
  facts: {
    name: 'brave',
    source: 'web',
    title: 'Brave Search API',
    dates: 'exact',
    sample: 'tidal power',
    terms:
      'A key and a plan, with a limit for each second and each month; to keep results takes a plan that allows it.',
    pace: { perMinute: 60, burst: 1 },
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    apiKey: variable('BRAVE_API_KEY', anyText, 'a key of the Brave Search API', { needed: true, secret: 'whole' }),
  },
  make: (settings, { at }) => brave({ ...settings, at }),
});

export function brave(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://api.search.brave.com' } = settings;
  return {
    ...BRAVE.facts,
    find(query, context) {
      // Each page costs money: read no more than needed for the limit.
      const pages = Math.ceil(query.limit / MAX_PAGE_SIZE);
      return readPages({ pages, items: query.limit }, context, (page) =>
        searchPage({ apiKey, at }, page, query, context),
      );
    },
  };
}

async function searchPage(
  { apiKey, at }: { apiKey: string; at: string },
  page: number,
  query: SourceQuery,
  { ask }: AdapterContext,
): Promise<ResultPage<FoundItem>> {
  const url = buildEndpoint(at, 'res/v1/web/search', {
    q: shortenWithDomains(query),
    count: String(Math.min(query.limit, MAX_PAGE_SIZE)),
    offset: String(page),
    text_decorations: 'false',
    ...(query.from === undefined ? {} : { freshness: `${formatDay(query.from)}to${formatDay(query.to)}` }),
  });
  const reply = await ask({ url, headers: { 'x-subscription-token': apiKey }, reads: [402, 422, 429] });
  if (reply.status !== 200) throw toOutage(reply);
  const { web, query: about } = parsePayload(reply.text, searchPayload);
  const results = web?.results ?? [];
  return {
    items: parseFittingItems(results, resultItem).flatMap(
      ({ url: link, title, description, page_age: published }) =>
        toWebResult({
          title,
          url: link,
          text: description,
          published,
          periodOnly: query.from !== undefined,
        }),
    ),
    isLast: results.length === 0 || about?.more_results_available === false,
  };
}

function toOutage({ status, headers, text }: ProviderResponse): SourceDown {
  if (status === 402) return createQuotaOutage('HTTP 402');
  if (status === 422) {
    const isKey = tryParsePayload(text, errorPayload)?.error.code === 'SUBSCRIPTION_TOKEN_INVALID';
    return new SourceDown('source_refused', { detail: isKey ? 'invalid key' : 'HTTP 422' });
  }
  const [, monthLimit] = parseHeaderNumbers(headers, 'x-ratelimit-limit');
  const [, monthLeft] = parseHeaderNumbers(headers, 'x-ratelimit-remaining');
  // Plans without a monthly limit report a limit of 0, with 0 remaining.
  if (monthLeft === 0 && monthLimit !== 0) return createQuotaOutage('of this month');
  const secondEndsMs = (parseHeaderNumbers(headers, 'x-ratelimit-reset')[0] ?? Number.NaN) * SECOND;
  const isSoon = secondEndsMs >= 0 && secondEndsMs <= MINUTE;
  return new SourceDown('source_busy', {
    detail: 'HTTP 429',
    retryAfterMs: isSoon ? secondEndsMs : SECOND,
  });
}

/** `X-RateLimit-Remaining: 1, 1000`: this second, this month. */
function parseHeaderNumbers(headers: ProviderResponse['headers'], name: string): number[] {
  return (headers.get(name) ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
}
