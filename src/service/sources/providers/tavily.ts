/** Web search with Tavily: windows in whole days, times for news only, a key with credits. */
import { anyText, variable } from '../../../config/variable.ts';
import { z } from 'zod';
import { DATE_FILTER_DAYS } from '../../../model/enumerations.ts';
import { DAY } from '../../../lib/time.ts';
import type { SourceQuery } from '../search-source.ts';
import { type Adapter, defineSource } from '../adapter.ts';
import { buildDomainParams, extractSite, formatDay, reportIfFull, shortenPrompt } from '../provider-query.ts';
import { createQuotaOutage, optionalField, parseFittingItems, parsePayload } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toWebResult } from '../parse/results.ts';

/** Per search. */
const MAX_RESULTS = 20;

const searchPayload = z.object({ results: z.array(z.unknown()) });
const resultItem = z.object({
  url: z.string(),
  title: optionalField(z.string()),
  content: optionalField(z.string()),
  published_date: optionalField(z.string()),
});

export const TAVILY = defineSource({
  facts: {
    name: 'tavily',
    source: 'web',
    title: 'Tavily Search API',
    dates: 'coarse',
    sample: 'tidal power',
    terms: 'A paid key; each search costs a credit of its plan.',
    pace: { perMinute: 60, burst: 10 },
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    apiKey: variable('TAVILY_API_KEY', anyText, 'a key of the Tavily Search API', { needed: true, secret: 'whole' }),
  },
  make: (settings, { at }) => tavily({ ...settings, at }),
});

export function tavily(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://api.tavily.com' } = settings;
  return {
    ...TAVILY.facts,
    async find(query, context) {
      const { words, site } = extractSite(query.prompt);
      const most = Math.min(query.limit, MAX_RESULTS);
      const { status, text } = await context.ask({
        url: buildEndpoint(at, 'search'),
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: shortenPrompt(words) || site,
          topic: site === undefined && isShortWindow(query) ? 'news' : 'general',
          search_depth: 'basic',
          max_results: most,
          ...(query.from === undefined
            ? {}
            : { start_date: formatDay(query.from), end_date: formatDay(query.to) }),
          ...buildDomainParams(site, query.domains, ['include_domains', 'exclude_domains']),
        }),
        reads: [432, 433],
      });
      // 432: the plan's credits are used up; 433: the pay-as-you-go limit is reached.
      if (status !== 200) throw createQuotaOutage(`HTTP ${status}`);
      const { results } = parsePayload(text, searchPayload);
      reportIfFull(context, results, most);
      return parseFittingItems(results, resultItem).flatMap((result) =>
        toWebResult({
          title: result.title,
          url: result.url,
          text: result.content,
          published: result.published_date,
          periodOnly: query.from !== undefined,
        }),
      );
    },
  };
}

/** Tavily returns publication times for news only; in windows of up to a month, they matter. */
function isShortWindow({ from, to }: SourceQuery): boolean {
  return from !== undefined && to.getTime() - from.getTime() <= DATE_FILTER_DAYS.PAST_MONTH * DAY;
}
