/** Web search with the user's own SearXNG: no key, coarse dates, quality depends on its engines. */
import { bareAddress, variable } from '../../../config/variable.ts';
import { z } from 'zod';
import { SourceDown } from '../outage.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { PERIODS, pickShortestPeriod, readPages, type ResultPage, shortenPrompt } from '../provider-query.ts';
import { parseFittingItems, optionalField, parsePayload } from '../parse/payload.ts';
import { buildEndpoint, toWebResult } from '../parse/provider-addresses.ts';

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
  return {
    ...SEARXNG.facts,
    // An empty query reaches no engine: 400 if JSON is enabled, 403 if not.
    async probe({ ask }) {
      requireJson(await ask({ url: buildEndpoint(server, 'search', { format: 'json' }), reads: [400, 403] }));
    },
    find(query, context) {
      return readPages({ pages: MAX_PAGES, items: query.limit }, context, (page) =>
        searchPage(server, page + 1, query, context),
      );
    },
  };
}

async function searchPage(
  server: string,
  page: number,
  query: SourceQuery,
  { ask, clock }: AdapterContext,
): Promise<ResultPage<FoundItem>> {
  const range = pickShortestPeriod(PERIODS, query.from, clock.now());
  const url = buildEndpoint(server, 'search', {
    q: stripCommands(shortenPrompt(query.prompt)),
    format: 'json',
    pageno: String(page),
    safesearch: '1',
    categories: 'general',
    ...(range === undefined ? {} : { time_range: range }),
  });
  const reply = requireJson(await ask({ url, reads: [403] }));
  const { results, unresponsive_engines: silent } = parsePayload(reply.text, searchPayload);
  if (page === 1 && results.length === 0 && silent.length > 0) {
    throw new SourceDown('source_failed', { detail: 'no engine responded' });
  }
  const items = parseFittingItems(results, resultItem).flatMap(
    ({ url: link, title, content, publishedDate }) =>
      toWebResult({ title, url: link, text: content, published: publishedDate, intranet: true }),
  );
  return { items, isLast: items.length === 0 };
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
