/** Hacker News through Algolia's search: no key, exact dates, stories with points. */
import { readSite } from '../../../model/links/link.ts';
import { z } from 'zod';
import { SECOND } from '../../../lib/time.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { toExcerpt, toPlainLines, toTitle } from '../parse/plain-text.ts';
import { parseFittingItems, optionalField, parsePayload, sumReactions } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toResult } from '../parse/results.ts';
import { joinBestWords, reportIfFull } from '../provider-query.ts';

/** Every word is required: more would find nothing. */
const MAX_WORDS = 4;
const MIN_WORDS = 2;
const MAX_PAGE_SIZE = 100;
const MAX_STORY_SNIPPET = 300;

const searchPayload = z.object({ hits: z.array(z.unknown()) });
const storyHit = z.object({
  objectID: z.string().regex(/^\d{1,12}$/),
  created_at_i: z.number().int().nonnegative().max(8_640_000_000),
  title: optionalField(z.string().nullable()),
  story_title: optionalField(z.string().nullable()),
  url: optionalField(z.string().nullable()),
  story_text: optionalField(z.string().nullable()),
  comment_text: optionalField(z.string().nullable()),
  points: optionalField(z.number().nullable()),
  num_comments: optionalField(z.number().nullable()),
});
type StoryHit = z.infer<typeof storyHit>;

export const HACKER_NEWS = defineSource({
  facts: {
    name: 'hacker-news',
    source: 'news_forum',
    title: 'Hacker News (Algolia search)',
    dates: 'exact',
    sample: 'python',
    brings: 'stories',
    terms: '10,000 requests an hour from one address; texts stay their authors’: a link and a short excerpt.',
    pace: { perMinute: 150, burst: 30 },
  },
  variables: {},
  make: (_, { at }) => hackerNews({ at }),
});

/** @param settings.at another base URL: a mirror, a proxy */
export function hackerNews(settings: { at?: string | undefined } = {}): Adapter {
  const { at = 'https://hn.algolia.com' } = settings;
  return {
    ...HACKER_NEWS.facts,
    async probe(context) {
      await searchStories(at, { query: 'news', hitsPerPage: '1' }, context);
    },
    async find(query, context) {
      for (const attempt of listSearchAttempts(query)) {
        // Where any word is enough, the newest are about something else.
        const isByDate = query.from !== undefined && !('removeWordsIfNoResults' in attempt);
        const most = Math.min(query.limit, MAX_PAGE_SIZE);
        const params = { ...attempt, ...buildTimeFilter(query), hitsPerPage: String(most) };
        const hits = await searchStories(at, params, context, isByDate ? 'search_by_date' : 'search');
        reportIfFull(context, hits, most);
        if (hits.length > 0) return hits.flatMap(toFoundItems);
      }
      return [];
    },
  };
}

/** Search attempts: all of the best words; then as many as match; then two. */
function listSearchAttempts(query: SourceQuery): Record<string, string>[] {
  const most = joinBestWords(query, MAX_WORDS);
  const attempts: Record<string, string>[] = [{ query: most }];
  if (query.keywords.length > 1) attempts.push({ query: most, removeWordsIfNoResults: 'allOptional' });
  if (query.keywords.length > MIN_WORDS) attempts.push({ query: joinBestWords(query, MIN_WORDS) });
  return attempts;
}

/** Filters by creation time, the only numeric filter for dates. */
function buildTimeFilter({ from, to }: SourceQuery): Record<string, string> {
  const times = [
    ...(from === undefined ? [] : [`created_at_i>=${Math.floor(from.getTime() / SECOND)}`]),
    `created_at_i<=${Math.ceil(to.getTime() / SECOND)}`,
  ];
  return { numericFilters: times.join(',') };
}

async function searchStories(
  at: string,
  params: Record<string, string>,
  { ask }: AdapterContext,
  method: 'search' | 'search_by_date' = 'search',
): Promise<StoryHit[]> {
  const { text } = await ask({ url: buildEndpoint(at, `api/v1/${method}`, { tags: 'story', ...params }) });
  return parseFittingItems(parsePayload(text, searchPayload).hits, storyHit);
}

/** A story with the address of its Hacker News page, whatever it links to; empty without a title. */
function toFoundItems(story: StoryHit): FoundItem[] {
  const title = toTitle(story.title || story.story_title || '');
  if (title === '') return [];
  return toResult(`https://news.ycombinator.com/item?id=${story.objectID}`, () => ({
    source: 'news_forum',
    title,
    snippet: readSnippet(story),
    publishedAt: new Date(story.created_at_i * SECOND),
    engagement: sumReactions(story.points, story.num_comments),
  }));
}

/** The author's text; for a bare link, the domain it leads to. Counters are no text: they change with every response. */
function readSnippet({ story_text, comment_text, url }: StoryHit): string {
  const text = toPlainLines(story_text || comment_text || '');
  if (text !== '') return toExcerpt(text, MAX_STORY_SNIPPET);
  return readSite(url ?? '') ?? '';
}
