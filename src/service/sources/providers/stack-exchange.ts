/** Questions on Stack Overflow and other sites of Stack Exchange: no key, exact dates, 300 requests a day. */

import { z } from 'zod';
import { anyText, list, variable } from '../../../config/variable.ts';
import { HOUR, MINUTE, SECOND } from '../../../lib/time.ts';
import { readWaitMs } from '../../../protocol/retry-after.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import {
  optionalField,
  parseFittingItems,
  parsePayload,
  sumReactions,
  tryParsePayload,
} from '../parse/payload.ts';
import { toExcerpt, toPlainLines, toTitle } from '../parse/plain-text.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toResult } from '../parse/results.ts';
import { reportIfFull, searchWithFewerWords } from '../provider-query.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';

const MAX_PAGE_SIZE = 100;
/** Its search requires every word: retries with fewer. */
const WORD_ATTEMPTS = [3, 2] as const;
/** Each takes requests of the day's quota. */
const MAX_SITES = 5;
const QUOTA = { keyless: 300, keyed: 10_000 };

const searchPayload = z.object({
  items: z.array(z.unknown()),
  /** Seconds until the next request of this kind is allowed. */
  backoff: optionalField(z.int().positive()),
  quota_remaining: optionalField(z.int()),
});
const question = z.object({
  title: z.string().min(1),
  link: z.string(),
  body: optionalField(z.string()),
  creation_date: z.int().nonnegative().max(8_640_000_000),
  score: z.int(),
  answer_count: z.int(),
});
type Question = z.infer<typeof question>;
const errorPayload = z.object({ error_name: z.string(), error_message: z.string() });

const sites = list
  .refine(
    (names) =>
      names.length > 0 && names.length <= MAX_SITES && names.every((name) => /^[a-z\d.-]{2,60}$/.test(name)),
  )
  .describe(`one to ${MAX_SITES} sites such as stackoverflow or unix, comma-separated`);

export const STACK_EXCHANGE = defineSource({
  facts: {
    name: 'stack-exchange',
    source: 'discussion_board',
    title: 'Stack Exchange',
    dates: 'exact',
    sample: 'python',
    terms:
      '300 requests a day from one address, 10,000 with a key; pauses that it asks for are kept; texts are CC BY-SA.',
    pace: { perMinute: 30, burst: 10 },
    wordings: 'own',
    ttlMs: 15 * MINUTE,
  },
  // biome-ignore format: one row for each
  variables: {
    sites: variable('STACK_EXCHANGE_SITES', sites, 'sites of Stack Exchange to search; each takes requests of the quota', { default: 'stackoverflow' }),
    key: variable('STACK_EXCHANGE_KEY', anyText, 'key that raises the quota of Stack Exchange', { secret: 'whole' }),
  },
  make: (values, { at }) => stackExchange({ ...values, at }),
});

/** @param settings.at another base URL: a mirror, a proxy */
export function stackExchange(settings: {
  sites: readonly string[];
  key?: string | undefined;
  at?: string | undefined;
}): Adapter {
  const { at = 'https://api.stackexchange.com', key } = settings;
  const [first = ''] = settings.sites;
  const search = (params: Record<string, string>, context: AdapterContext) =>
    searchQuestions(
      buildEndpoint(at, '2.3/search/advanced', { ...params, ...(key !== undefined && { key }) }),
      context,
    );

  const searchSite = (site: string, query: SourceQuery, context: AdapterContext) =>
    searchWithFewerWords(query, WORD_ATTEMPTS, async (words) => {
      const most = Math.min(query.limit, MAX_PAGE_SIZE);
      const params = {
        q: words,
        site,
        sort: query.from === undefined ? 'relevance' : 'creation',
        order: 'desc',
        pagesize: String(most),
        filter: 'withbody',
        ...(query.from && { fromdate: formatSecond(query.from) }),
        todate: formatSecond(query.to),
      };
      const { items, backoff } = await search(params, context);
      reportIfFull(context, items, most);
      return {
        items: parseFittingItems(items, question).flatMap(toFoundItems),
        isLast: backoff !== undefined,
      };
    });

  return {
    ...STACK_EXCHANGE.facts,
    title: `Stack Exchange (${settings.sites.join(', ')})`,
    brings: `questions of ${settings.sites.join(', ')}`,
    allowance: { most: key === undefined ? QUOTA.keyless : QUOTA.keyed, unit: 'requests', zone: 'UTC' },
    async probe(context) {
      await search({ q: 'news', site: first, pagesize: '1' }, context);
    },
    async find(query, context) {
      const ended = await Promise.allSettled(settings.sites.map((site) => searchSite(site, query, context)));
      const questions = ended.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
      const failed = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
      for (const error of failed) {
        if (failed.length === ended.length || !(error instanceof SourceDown)) throw error;
        context.cutShort(error);
      }
      return questions;
    },
  };
}

/** Takes one request of the quota, and keeps the pauses that it asks for. */
async function searchQuestions(url: URL, context: AdapterContext): Promise<z.infer<typeof searchPayload>> {
  await context.spend(1);
  const reply = await context.ask({ url, reads: [400] });
  if (reply.status === 400) throw toOutage(reply);
  const payload = parsePayload(reply.text, searchPayload);
  if (payload.backoff !== undefined) context.rest(payload.backoff * SECOND);
  if (payload.quota_remaining === 0) context.rest(HOUR);
  return payload;
}

/** `too many requests from this IP, more requests available in 67194 seconds` */
const AVAILABLE_IN = /available in (\d{1,6} seconds)/;

function toOutage({ text, status }: ProviderResponse): SourceDown {
  const { error_name: name, error_message: message } = tryParsePayload(text, errorPayload) ?? {};
  const detail = `HTTP ${status}`;
  if (name !== 'throttle_violation') return new SourceDown('source_refused', { detail });
  const wait = readWaitMs(AVAILABLE_IN.exec(message ?? '')?.[1] ?? '') ?? undefined;
  return new SourceDown('source_busy', { detail, retryAfterMs: wait });
}

function formatSecond(date: Date): string {
  return String(Math.floor(date.getTime() / SECOND));
}

function toFoundItems({
  title,
  link,
  body,
  creation_date: created,
  score,
  answer_count: answers,
}: Question): FoundItem[] {
  return toResult(link, () => ({
    source: 'discussion_board',
    title: toTitle(title),
    snippet: toExcerpt(toPlainLines(body ?? '')),
    asks: true,
    publishedAt: new Date(created * SECOND),
    engagement: sumReactions(score, answers),
  }));
}
