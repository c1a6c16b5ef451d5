/** The web through a SearXNG of one's own: keyless, coarse in time, and only as good as its engines that answer. */
import { z } from 'zod';
import { SourceDown } from '../../outage.ts';
import type { Found, Query } from '../../source.ts';
import type { Adapter, Asking } from '../adapter.ts';
import type { Reply } from '../guard/ask.ts';
import { pagesOf, type Page } from '../asking/pages.ts';
import { PERIODS, shortestPeriod } from '../asking/period.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { endpoint } from '../reading/web-address.ts';
import { webResult } from '../reading/web-result.ts';
import { briefly } from '../asking/words.ts';

const PAGES_MAX = 2;

const answer = z.object({
  results: z.array(z.unknown()),
  unresponsive_engines: z.array(z.unknown()).catch([]),
});
const result = z.object({
  url: z.string(),
  title: optional(z.string()),
  content: optional(z.string()),
  publishedDate: optional(z.string()),
});

/** @param settings.server its address: `http://searxng:8080` */
export function searxng({ server }: { server: string }): Adapter {
  return {
    name: 'searxng',
    source: 'web',
    title: 'SearXNG (your own server)',
    dates: 'coarse',
    terms: 'Your own server; the engines behind it block who asks much, so ask gently.',
    pace: { perMinute: 30, burst: 5 },
    wordings: 'own',
    // Without words no engine is asked: it answers 400 where it gives JSON, and 403 where it does not.
    async probe({ ask }) {
      readJsonAllowed(await ask({ url: endpoint(server, 'search', { format: 'json' }), reads: [400, 403] }));
    },
    find(query, asking) {
      return pagesOf({ pages: PAGES_MAX, items: query.limit }, asking, (page) =>
        findPage(server, page + 1, query, asking),
      );
    },
  };
}

async function findPage(
  server: string,
  page: number,
  query: Query,
  { ask, clock }: Asking,
): Promise<Page<Found>> {
  const range = shortestPeriod(PERIODS, query.from, clock.now());
  const url = endpoint(server, 'search', {
    q: withoutCommands(briefly(query.prompt)),
    format: 'json',
    pageno: String(page),
    safesearch: '1',
    categories: 'general',
    ...(range === undefined ? {} : { time_range: range }),
  });
  const reply = readJsonAllowed(await ask({ url, reads: [403] }));
  const { results, unresponsive_engines: silent } = readAnswer(reply.text, answer);
  if (page === 1 && results.length === 0 && silent.length > 0) {
    throw new SourceDown('source_failed', { detail: 'no engine answered' });
  }
  const items = fitting(results, result).flatMap(({ url: link, title, content, publishedDate }) =>
    webResult({ title, url: link, text: content, published: publishedDate, intranet: true }),
  );
  return { items, isLast: items.length === 0 };
}

function readJsonAllowed(reply: Reply): Reply {
  if (reply.status !== 403) return reply;
  throw new SourceDown('source_refused', {
    detail: 'JSON is not among its formats (search.formats in settings.yml)',
  });
}

/** `!engine`, `:language` and `<timeout` at the beginning of a word are commands to it; `!!` sends us away. */
function withoutCommands(prompt: string): string {
  return prompt.replace(/(^|\s)[!:?<]+/g, '$1').trim();
}
