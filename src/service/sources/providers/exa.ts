/** Web search with Exa: exact windows, times for most pages, a key with credits. */
import { anyText, variable } from '../../../config/variable.ts';
import { z } from 'zod';
import { type Adapter, defineSource } from '../adapter.ts';
import { MAX_SNIPPET_LENGTH, readHeading } from '../parse/plain-text.ts';
import { createQuotaOutage, optionalField, parseFittingItems, parsePayload } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toWebResult } from '../parse/results.ts';
import { buildDomainParams, extractSite, reportIfFull, shortenPrompt } from '../provider-query.ts';

/** Per search; more is an error. */
const MAX_RESULTS = 100;

const searchPayload = z.object({ results: z.array(z.unknown()) });
const resultItem = z.object({
  url: z.string(),
  title: optionalField(z.string()),
  publishedDate: optionalField(z.string()),
  highlights: optionalField(z.array(z.string())),
  text: optionalField(z.string()),
});

export const EXA = defineSource({
  facts: {
    name: 'exa',
    source: 'web',
    title: 'Exa Search API',
    dates: 'coarse',
    sample: 'tidal power',
    terms: 'A paid key; each search and each excerpt costs.',
    pace: { perMinute: 60, burst: 5 },
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    apiKey: variable('EXA_API_KEY', anyText, 'a key of the Exa Search API', { needed: true, secret: 'whole' }),
  },
  make: (settings, { at }) => exa({ ...settings, at }),
});

export function exa(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://api.exa.ai' } = settings;
  return {
    ...EXA.facts,
    async find({ prompt, from, to, limit, domains }, context) {
      const { words, site } = extractSite(prompt);
      const most = Math.min(limit, MAX_RESULTS);
      const { status, text } = await context.ask({
        url: buildEndpoint(at, 'search'),
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: shortenPrompt(words) || site,
          type: 'auto',
          numResults: most,
          ...(from === undefined
            ? {}
            : { startPublishedDate: from.toISOString(), endPublishedDate: to.toISOString() }),
          ...buildDomainParams(site, domains, ['includeDomains', 'excludeDomains']),
          contents: {
            text: { maxCharacters: MAX_SNIPPET_LENGTH },
            highlights: { maxCharacters: MAX_SNIPPET_LENGTH },
          },
        }),
        reads: [402],
      });
      if (status !== 200) throw createQuotaOutage('no credits are left');
      const { results } = parsePayload(text, searchPayload);
      reportIfFull(context, results, most);
      return parseFittingItems(results, resultItem).flatMap((result) =>
        toWebResult({
          title: result.title || readHeading(result.text ?? ''),
          url: result.url,
          // Its highlights, or the start of the page if there are none.
          text: result.highlights?.join(' … ') || result.text,
          published: result.publishedDate,
          periodOnly: from !== undefined,
        }),
      );
    },
  };
}
