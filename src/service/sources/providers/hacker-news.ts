/** Hacker News through the search of Algolia: keyless, exact dates, every story with its points. */
import { urlOf } from '../../../contract/url.ts';
import { z } from 'zod';
import { SECOND } from '../../../engine/clock.ts';
import type { Found, Query } from '../../source.ts';
import type { Adapter, Asking } from '../adapter.ts';
import { excerpt, plainText, titleOf } from '../reading/plain-text.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { endpoint } from '../reading/web-address.ts';
import { fewWords } from '../asking/words.ts';

/** All words must occur: more than these find nothing. */
const WORDS_MOST = 4;
const WORDS_LEAST = 2;
const PAGE_MOST = 100;
const SNIPPET_MOST = 300;

const answer = z.object({ hits: z.array(z.unknown()) });
const hit = z.object({
  objectID: z.string().regex(/^\d{1,12}$/),
  created_at_i: z.number().int().nonnegative().max(8_640_000_000),
  title: optional(z.string().nullable()),
  story_title: optional(z.string().nullable()),
  url: optional(z.string().nullable()),
  story_text: optional(z.string().nullable()),
  comment_text: optional(z.string().nullable()),
  points: optional(z.number().nullable()),
  num_comments: optional(z.number().nullable()),
});
type Hit = z.infer<typeof hit>;

/** @param settings.at another address of the same search: a mirror, a proxy */
export function hackerNews(settings: { at?: string | undefined } = {}): Adapter {
  const { at = 'https://hn.algolia.com' } = settings;
  return {
    name: 'hacker-news',
    source: 'news_forum',
    title: 'Hacker News (Algolia search)',
    dates: 'exact',
    terms: '10,000 requests an hour from one address; texts stay their authors’: a link and a short excerpt.',
    pace: { perMinute: 150, burst: 30 },
    async probe(asking) {
      await search(at, { query: 'news', hitsPerPage: '1' }, asking);
    },
    async find(query, asking) {
      for (const wish of wishesOf(query)) {
        const hits = await search(at, { ...wish, ...windowOf(query) }, asking);
        if (hits.length > 0) return hits.flatMap(foundOf);
      }
      return [];
    },
  };
}

/** The best words, all of them; then as many of them as occur; then two. */
function wishesOf(query: Query): Record<string, string>[] {
  const most = fewWords(query, WORDS_MOST);
  const wishes: Record<string, string>[] = [{ query: most }];
  if (query.keywords.length > 1) wishes.push({ query: most, removeWordsIfNoResults: 'allOptional' });
  if (query.keywords.length > WORDS_LEAST) wishes.push({ query: fewWords(query, WORDS_LEAST) });
  return wishes;
}

/** The time of creation is the only number that can be filtered by. */
function windowOf({ from, to, limit }: Query): Record<string, string> {
  const times = [
    ...(from === undefined ? [] : [`created_at_i>=${Math.floor(from.getTime() / SECOND)}`]),
    `created_at_i<=${Math.ceil(to.getTime() / SECOND)}`,
  ];
  return { numericFilters: times.join(','), hitsPerPage: String(Math.min(limit, PAGE_MOST)) };
}

async function search(at: string, params: Record<string, string>, { ask }: Asking): Promise<Hit[]> {
  const { text } = await ask({ url: endpoint(at, 'api/v1/search', { tags: 'story', ...params }) });
  return fitting(readAnswer(text, answer).hits, hit);
}

/** A story as its page on Hacker News, whatever it links to; empty where it has no title. */
function foundOf(story: Hit): Found[] {
  const title = titleOf(story.title || story.story_title || '');
  if (title === '') return [];
  return [
    {
      source: 'news_forum',
      title,
      link: `https://news.ycombinator.com/item?id=${story.objectID}`,
      snippet: snippetOf(story),
      summaryDescription: '',
      publishedAt: new Date(story.created_at_i * SECOND),
      engagement: countOf(story.points) + countOf(story.num_comments),
    },
  ];
}

/** What its author wrote; where that is only a link, what others made of it. */
function snippetOf({ story_text, comment_text, url, points, num_comments }: Hit): string {
  const text = plainText(story_text || comment_text || '');
  if (text !== '') return excerpt(text, SNIPPET_MOST);
  const counts = `${countOf(points)} points, ${countOf(num_comments)} comments`;
  const domain = urlOf(url ?? '')?.hostname.replace(/^www\./, '') ?? '';
  return domain === '' ? counts : `${counts}, ${domain}`;
}

function countOf(count: number | null | undefined): number {
  return Number.isSafeInteger(count) ? Math.max(0, count ?? 0) : 0;
}
