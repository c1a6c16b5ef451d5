/** The web through the Brave Search API: exact dates, a key, and few requests in a second. */
import { z } from 'zod';
import { MINUTE, SECOND } from '../../../engine/clock.ts';
import { SourceDown } from '../../outage.ts';
import type { Found, Query } from '../../source.ts';
import type { Adapter, Asking } from '../adapter.ts';
import type { Reply } from '../guard/ask.ts';
import { pagesOf, type Page } from '../asking/pages.ts';
import { dayOf } from '../asking/period.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { usedUp } from '../reading/used-up.ts';
import { endpoint } from '../reading/web-address.ts';
import { webResult } from '../reading/web-result.ts';
import { briefly } from '../asking/words.ts';

/** The most of one request. */
const PAGE_MAX = 20;

const answer = z.object({
  query: optional(z.object({ more_results_available: optional(z.boolean()) })),
  // Left out where nothing was found on the web.
  web: z.object({ results: z.array(z.unknown()) }).nullish(),
});
const result = z.object({
  url: z.string(),
  title: optional(z.string()),
  description: optional(z.string()),
  page_age: optional(z.string()),
});
const refusal = z.object({ error: z.object({ code: z.string() }) });

export function brave(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://api.search.brave.com' } = settings;
  return {
    name: 'brave',
    source: 'web',
    title: 'Brave Search API',
    dates: 'exact',
    terms:
      'A key and a plan, with a limit for each second and each month; to keep results takes a plan that allows it.',
    pace: { perMinute: 60, burst: 1 },
    wordings: 'own',
    find(query, asking) {
      // Each page is paid for: no more of them than can hold what was asked for.
      const pages = Math.ceil(query.limit / PAGE_MAX);
      return pagesOf({ pages, items: query.limit }, asking, (page) =>
        findPage({ apiKey, at }, page, query, asking),
      );
    },
  };
}

async function findPage(
  { apiKey, at }: { apiKey: string; at: string },
  page: number,
  query: Query,
  { ask }: Asking,
): Promise<Page<Found>> {
  const url = endpoint(at, 'res/v1/web/search', {
    q: briefly(query.prompt),
    count: String(Math.min(query.limit, PAGE_MAX)),
    offset: String(page),
    text_decorations: 'false',
    ...(query.from === undefined ? {} : { freshness: `${dayOf(query.from)}to${dayOf(query.to)}` }),
  });
  const reply = await ask({ url, headers: { 'x-subscription-token': apiKey }, reads: [402, 422, 429] });
  if (reply.status !== 200) throw refusalOf(reply);
  const { web, query: about } = readAnswer(reply.text, answer);
  const results = web?.results ?? [];
  return {
    items: fitting(results, result).flatMap(({ url: link, title, description, page_age: published }) =>
      webResult({ title, url: link, text: description, published }),
    ),
    isLast: results.length === 0 || about?.more_results_available === false,
  };
}

function refusalOf({ status, headers, text }: Reply): SourceDown {
  if (status === 402) return usedUp('answered 402');
  if (status === 422) {
    const isKey = codeOf(text) === 'SUBSCRIPTION_TOKEN_INVALID';
    return new SourceDown('source_refused', { detail: isKey ? 'the key is not valid' : 'answered 422' });
  }
  const [, monthLimit] = numbersOf(headers, 'x-ratelimit-limit');
  const [, monthLeft] = numbersOf(headers, 'x-ratelimit-remaining');
  // A plan without a limit for the month has a limit of 0 there, of which 0 are left.
  if (monthLeft === 0 && monthLimit !== 0) return usedUp('of this month');
  const secondEndsMs = (numbersOf(headers, 'x-ratelimit-reset')[0] ?? Number.NaN) * SECOND;
  const isSoon = secondEndsMs >= 0 && secondEndsMs <= MINUTE;
  return new SourceDown('source_busy', {
    detail: 'answered 429',
    retryAfterMs: isSoon ? secondEndsMs : SECOND,
  });
}

function codeOf(text: string): string | undefined {
  try {
    return readAnswer(text, refusal).error.code;
  } catch {
    return undefined;
  }
}

/** `X-RateLimit-Remaining: 1, 1000`: of this second, of this month. */
function numbersOf(headers: Reply['headers'], name: string): number[] {
  return (headers.get(name) ?? '').split(',').map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
}
