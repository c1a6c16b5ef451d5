/** The web through Tavily: windows in whole days, times of news alone, a key with credits. */
import { z } from 'zod';
import { DATE_FILTER_DAYS } from '../../../contract/enumerations.ts';
import { DAY } from '../../../engine/clock.ts';
import type { Query } from '../../source.ts';
import type { Adapter } from '../adapter.ts';
import { dayOf } from '../asking/period.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { usedUp } from '../reading/used-up.ts';
import { endpoint } from '../reading/web-address.ts';
import { webResult } from '../reading/web-result.ts';
import { briefly, siteIn } from '../asking/words.ts';

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
    dates: 'coarse',
    terms: 'A paid key; each search costs a credit of its plan.',
    pace: { perMinute: 60, burst: 10 },
    wordings: 'own',
    async find(query, { ask }) {
      const { words, site } = siteIn(query.prompt);
      const { status, text } = await ask({
        url: endpoint(at, 'search'),
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: briefly(words) || site,
          topic: site === undefined && isShort(query) ? 'news' : 'general',
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

/**
 * It says when something was published where it is asked for news, and nowhere else. In a window of up to a
 * month what has no time has no place: other pages would be paid for and thrown away.
 */
function isShort({ from, to }: Query): boolean {
  return from !== undefined && to.getTime() - from.getTime() <= DATE_FILTER_DAYS.PAST_MONTH * DAY;
}
