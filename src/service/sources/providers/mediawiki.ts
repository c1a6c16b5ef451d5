/** An encyclopedia on MediaWiki (Wikipedia): keyless; who asks must say who they are. */
import { z } from 'zod';
import { retryAfterMs } from '../../../contract/retry-after.ts';
import { DAY, SECOND } from '../../../engine/clock.ts';
import { SourceDown } from '../../outage.ts';
import type { Found, Query } from '../../source.ts';
import type { Adapter, Asking } from '../adapter.ts';
import type { Reply } from '../guard/ask.ts';
import { excerpt, plainText, titleOf } from '../reading/plain-text.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { endpoint, shownLink } from '../reading/web-address.ts';
import { fewWords, withoutSigns } from '../asking/words.ts';

/** All words must occur. */
const WORDS_MOST = 4;
const WORDS_LEAST = 2;
/** The most that have an excerpt in one answer. */
const PAGE_MOST = 20;
const LAG_MS = 5 * SECOND;

const answer = z.object({
  error: optional(z.object({ code: z.string() })),
  // Left out where nothing was found.
  query: z.object({ pages: z.array(z.unknown()) }).optional(),
});
const page = z.object({
  title: z.string().min(1),
  fullurl: z.string(),
  index: z.number(),
  extract: optional(z.string()),
  description: optional(z.string()),
});

/**
 * @param settings.dates `edited`: only articles that were edited within the window; `none`: the window is
 *   ignored. An article has no date of publication: what is found is undated either way.
 */
export function mediawiki(settings: {
  language: string;
  dates: 'none' | 'edited';
  at?: string | undefined;
}): Adapter {
  const { language, dates, at = `https://${language}.wikipedia.org` } = settings;
  return {
    name: 'mediawiki',
    source: 'encyclopedia',
    title: `Encyclopedia (MediaWiki at ${new URL(at).host})`,
    dates: 'none',
    terms:
      'One request after the other, by who says who they are (SERVICE_CONTACT); CC BY-SA 4.0: the link is the attribution.',
    pace: { perMinute: 60, burst: 10 },
    serial: true,
    // One after the other, the wordings of one answer would take as long as all of them; it tries fewer words itself.
    wordings: 'own',
    async probe(asking) {
      await search(at, 'encyclopedia', 1, asking);
    },
    async find(query, asking) {
      const edited = dates === 'edited' ? editedWithin(query) : '';
      const limit = Math.min(query.limit, PAGE_MOST);
      const found = await search(at, `${withoutSigns(fewWords(query, WORDS_MOST))}${edited}`, limit, asking);
      if (found.length > 0 || query.keywords.length <= WORDS_LEAST) return found;
      return search(at, `${withoutSigns(fewWords(query, WORDS_LEAST))}${edited}`, limit, asking);
    },
  };
}

async function search(at: string, words: string, limit: number, asking: Asking): Promise<Found[]> {
  const url = endpoint(at, 'w/api.php', {
    action: 'query',
    format: 'json',
    formatversion: '2',
    generator: 'search',
    gsrsearch: words,
    gsrlimit: String(limit),
    prop: 'extracts|info|description',
    exintro: '1',
    explaintext: '1',
    exsentences: '3',
    exlimit: 'max',
    inprop: 'url',
    maxlag: String(LAG_MS / SECOND),
  });
  const reply = await asking.ask({ url });
  const { error, query } = readAnswer(reply.text, answer);
  if (error !== undefined) throw refusalOf(error.code, reply, asking);
  return fitting(query?.pages ?? [], page)
    .sort((a, b) => a.index - b.index)
    .flatMap(foundOf);
}

/** Errors come with 200. Its words stay outside: of its codes only those that we know are told. */
function refusalOf(code: string, { headers }: Reply, { clock }: Asking): SourceDown {
  const wait = retryAfterMs(headers.get('retry-after'), clock.now());
  if (code === 'maxlag') {
    return new SourceDown('source_busy', { detail: 'its database lags', retryAfterMs: wait ?? LAG_MS });
  }
  if (code === 'ratelimited') return new SourceDown('source_busy', { retryAfterMs: wait ?? undefined });
  return new SourceDown('source_failed', { detail: 'answered with an error' });
}

function foundOf({ title, fullurl, extract, description }: z.infer<typeof page>): Found[] {
  const link = shownLink(fullurl);
  if (link === undefined) return [];
  return [
    {
      source: 'encyclopedia',
      title: titleOf(title),
      link,
      snippet: excerpt(plainText(extract ?? '')),
      summaryDescription: excerpt(plainText(description ?? '')),
      publishedAt: undefined,
    },
  ];
}

function editedWithin({ from, to }: Query): string {
  return from === undefined ? '' : ` lasteditdate:>=now-${Math.ceil((to.getTime() - from.getTime()) / DAY)}d`;
}
