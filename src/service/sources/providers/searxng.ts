/** Web search with the user's own SearXNG: no key, coarse dates, quality depends on its engines. */
import { bareAddress, variable } from '../../../config/variable.ts';
import { DAY, HOUR, MINUTE } from '../../../lib/time.ts';
import { z } from 'zod';
import { SourceDown } from '../outage.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import {
  PERIODS,
  pickShortestPeriod,
  readPages,
  type ResultPage,
  shortenWithDomains,
} from '../provider-query.ts';
import { parseFittingItems, optionalField, parsePayload } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toWebResult } from '../parse/results.ts';

const MAX_PAGES = 2;

const searchPayload = z.object({
  results: z.array(z.unknown()),
  unresponsive_engines: z.array(z.unknown()).catch([]),
});
const resultItem = z.object({
  url: z.string(),
  title: optionalField(z.string()),
  content: optionalField(z.string()),
  publishedDate: optionalField(z.string()),
});

export const SEARXNG = defineSource({
  facts: {
    name: 'searxng',
    source: 'web',
    title: 'SearXNG (your own server)',
    dates: 'coarse',
    sample: 'tidal power',
    terms: 'Your own server; the engines behind it block who asks much, so ask gently.',
    pace: { perMinute: 30, burst: 5 },
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    server: variable('SEARXNG_URL', bareAddress('http://searxng:8080'), 'your own SearXNG server', { needed: true }),
  },
  make: ({ server }, { at }) => searxng({ server: at ?? server }),
});

/** @param settings.server base URL: `http://searxng:8080` */
export function searxng({ server }: { server: string }): Adapter {
  const searchPage = createPageReader(server);
  return {
    ...SEARXNG.facts,
    // An empty query reaches no engine: 400 if JSON is enabled, 403 if not.
    async probe({ ask }) {
      requireJson(await ask({ url: buildEndpoint(server, 'search', { format: 'json' }), reads: [400, 403] }));
    },
    find(query, context) {
      return readPages({ pages: MAX_PAGES, items: query.limit }, context, (page) =>
        searchPage(page + 1, query, context),
      );
    },
  };
}

/** Engines that failed may be suspended for so long, and then older servers do not name them. */
const SUSPENSION_MS = HOUR;

type EnginePage = { items: FoundItem[]; failed: boolean };

function createPageReader(server: string) {
  let suspendedUntil = 0;

  async function read(
    page: number,
    range: Period | undefined,
    query: SourceQuery,
    { ask }: AdapterContext,
  ): Promise<EnginePage> {
    const url = buildEndpoint(server, 'search', {
      q: stripCommands(shortenWithDomains(query)),
      format: 'json',
      pageno: String(page),
      safesearch: '1',
      categories: 'general',
      ...(range === undefined ? {} : { time_range: range.name }),
    });
    const reply = requireJson(await ask({ url, reads: [403] }));
    const { results, unresponsive_engines: unresponsive } = parsePayload(reply.text, searchPayload);
    const items = parseFittingItems(results, resultItem).flatMap(
      ({ url: link, title, content, publishedDate }) =>
        toWebResult({
          title,
          url: link,
          text: content,
          published: publishedDate,
          intranet: true,
          periodOnly: range?.isExact === true,
        }),
    );
    return { items, failed: results.length === 0 && unresponsive.length > 0 };
  }

  return async (
    page: number,
    query: SourceQuery,
    context: AdapterContext,
  ): Promise<ResultPage<FoundItem>> => {
    const now = context.clock.now().getTime();
    const range = findPeriod(query, now);
    const ranged = await read(page, range, query, context);
    // With a time range, the server skips engines that support none, without a word: ask those.
    const isRetried = page === 1 && ranged.items.length === 0 && range !== undefined;
    const { items, failed } = isRetried ? await read(page, undefined, query, context) : ranged;
    if (items.length > 0) suspendedUntil = 0;
    else if (page === 1 && (failed || ranged.failed)) {
      suspendedUntil = now + SUSPENSION_MS;
      throw new SourceDown('source_failed', { detail: 'no engine responded' });
    } else if (page === 1 && now < suspendedUntil) {
      throw new SourceDown('source_failed', { detail: 'its engines failed before and may be suspended' });
    }
    return { items, isLast: isRetried || items.length === 0 };
  };
}

type Period = { name: string; isExact: boolean };

/** The time range of a query, and whether it is not wider than the query's window. */
function findPeriod({ from, to }: SourceQuery, now: number): Period | undefined {
  const name = pickShortestPeriod(PERIODS, from, new Date(now));
  if (name === undefined || from === undefined) return undefined;
  const days = PERIODS.find(([period]) => period === name)?.[1] ?? Number.POSITIVE_INFINITY;
  const isCurrent = now - to.getTime() < MINUTE;
  return { name, isExact: isCurrent && days * DAY <= now - from.getTime() + MINUTE };
}

function requireJson(reply: ProviderResponse): ProviderResponse {
  if (reply.status !== 403) return reply;
  throw new SourceDown('source_refused', {
    detail: 'JSON format is not enabled (search.formats in settings.yml)',
  });
}

/** Words that start with `!engine`, `:language` or `<timeout` are commands; `!!` redirects to another site. */
function stripCommands(prompt: string): string {
  return prompt.replace(/(^|\s)[!:?<]+/g, '$1').trim();
}
