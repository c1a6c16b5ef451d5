/** The web through Tavily: exact dates, a key with credits. */
import { z } from 'zod';
import type { Adapter } from './adapter.ts';
import { dayOf } from './period.ts';
import { fitting, optional, readAnswer } from './read-answer.ts';
import { usedUp } from './used-up.ts';
import { endpoint } from './web-address.ts';
import { webResult } from './web-result.ts';
import { briefly, siteIn } from './words.ts';

/** The most that it gives for one search. */
const RESULTS_MAX = 20;

const answer = z.object({ results: z.array(z.unknown()) });
const result = z.object({
  url: z.string(),
  title: optional(z.string()),
  content: optional(z.string()),
  published_date: optional(z.string()),
});

export function tavily(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://api.tavily.com' } = settings;
  return {
    name: 'tavily',
    source: 'web',
    title: 'Tavily Search API',
    dates: 'exact',
    terms: 'A paid key; each search costs a credit of its plan.',
    pace: { perMinute: 60, burst: 10 },
    metered: true,
    async find(query, { ask }) {
      const { words, site } = siteIn(query.prompt);
      const { status, text } = await ask({
        url: endpoint(at, 'search'),
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: briefly(words) || site,
          topic: 'general',
          search_depth: 'basic',
          max_results: Math.min(query.limit, RESULTS_MAX),
          ...(query.from === undefined ? {} : { start_date: dayOf(query.from), end_date: dayOf(query.to) }),
          ...(site === undefined ? {} : { include_domains: [site] }),
        }),
        reads: [432, 433],
      });
      // 432: the plan's credits are used up; 433: the limit that was set for paying as one goes.
      if (status !== 200) throw usedUp(`answered ${status}`);
      return fitting(readAnswer(text, answer).results, result).flatMap((one) =>
        webResult({ title: one.title, url: one.url, text: one.content, published: one.published_date }),
      );
    },
  };
}
