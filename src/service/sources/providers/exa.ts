/** The web through Exa: exact times, a key with credits. */
import { z } from 'zod';
import type { Adapter } from '../adapter.ts';
import { SNIPPET_MAX } from '../reading/plain-text.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { usedUp } from '../reading/used-up.ts';
import { endpoint } from '../reading/web-address.ts';
import { webResult } from '../reading/web-result.ts';
import { briefly, siteIn } from '../asking/words.ts';

const answer = z.object({ results: z.array(z.unknown()) });
const result = z.object({
  url: z.string(),
  title: optional(z.string()),
  publishedDate: optional(z.string()),
  highlights: optional(z.array(z.string())),
  text: optional(z.string()),
});

export function exa(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://api.exa.ai' } = settings;
  return {
    name: 'exa',
    source: 'web',
    title: 'Exa Search API',
    dates: 'exact',
    terms: 'A paid key; each search and each excerpt costs.',
    pace: { perMinute: 60, burst: 5 },
    wordings: 'own',
    async find({ prompt, from, to, limit }, { ask }) {
      const { words, site } = siteIn(prompt);
      const { status, text } = await ask({
        url: endpoint(at, 'search'),
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: briefly(words) || site,
          type: 'auto',
          numResults: limit,
          ...(from === undefined
            ? {}
            : { startPublishedDate: from.toISOString(), endPublishedDate: to.toISOString() }),
          ...(site === undefined ? {} : { includeDomains: [site] }),
          contents: {
            text: { maxCharacters: SNIPPET_MAX },
            highlights: { maxCharacters: SNIPPET_MAX },
          },
        }),
        reads: [402],
      });
      if (status !== 200) throw usedUp('no credits are left');
      return fitting(readAnswer(text, answer).results, result).flatMap((one) =>
        webResult({
          title: one.title,
          url: one.url,
          // Its own choice of the sentences that say most; the beginning of the page where it made none.
          text: one.highlights?.join(' … ') || one.text,
          published: one.publishedDate,
        }),
      );
    },
  };
}
