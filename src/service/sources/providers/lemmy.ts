/**
 * Discussion boards without a key: Lemmy posts known to one server, linked there. Whether anonymous requests get posts
 * marked not safe for work is up to the server.
 */
import { bareAddress, variable } from '../../../config/variable.ts';
import { z } from 'zod';
import { SourceDown } from '../outage.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { isWithinWindow, readPages, searchWithFewerWords } from '../provider-query.ts';
import { toExcerpt, markdownToPlainText, toTitle } from '../parse/plain-text.ts';
import { parsePublishedAt } from '../parse/published-at.ts';
import { parseFittingItems, optionalField, parsePayload, sumReactions } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toResult } from '../parse/results.ts';

const PAGE_SIZE = 50;
const MAX_PAGES = 2;
/** Its search requires every word: retries with fewer. */
const WORD_ATTEMPTS = [3, 2] as const;

const searchPayload = z.object({ posts: z.array(z.unknown()) });
const postView = z.object({
  post: z.object({
    name: z.string().min(1),
    body: optionalField(z.string()),
    ap_id: z.string(),
    published: z.string(),
    deleted: z.boolean().catch(false),
    removed: z.boolean().catch(false),
  }),
  counts: z.object({ score: z.number(), comments: z.number() }),
});
type PostView = z.infer<typeof postView>;

export const LEMMY = defineSource({
  facts: {
    name: 'lemmy',
    source: 'discussion_board',
    title: 'Lemmy',
    dates: 'coarse',
    sample: 'linux',
    terms:
      'Keyless; its operator limits searches for each address, and posts belong to those who wrote them.',
    // The default of a Lemmy server: 60 searches in ten minutes.
    pace: { perMinute: 6, burst: 4 },
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    server: variable('LEMMY_SERVER', bareAddress('https://host'), 'Lemmy server to use', { needed: true }),
  },
  make: ({ server }, { at }) => lemmy({ server: at ?? server }),
});

/** @param settings.server base URL: `https://lemmy.world` */
export function lemmy({ server }: { server: string }): Adapter {
  return {
    ...LEMMY.facts,
    title: `Lemmy (${new URL(server).host})`,
    async probe({ ask }) {
      const { text } = await ask({ url: buildEndpoint(server, 'api/v3/site') });
      parsePayload(text, z.object({ site_view: z.unknown(), version: z.string() }));
    },
    find(query, context) {
      return searchWithFewerWords(query, WORD_ATTEMPTS, async (words) => ({
        items: await searchPosts(server, words, query, context),
        isLast: false,
      }));
    },
  };
}

function searchPosts(
  server: string,
  words: string,
  query: SourceQuery,
  context: AdapterContext,
): Promise<FoundItem[]> {
  return readPages({ pages: MAX_PAGES, items: query.limit }, context, async (page) => {
    const url = buildEndpoint(server, 'api/v3/search', {
      q: words,
      type_: 'Posts',
      listing_type: 'All',
      sort: query.from === undefined ? 'TopAll' : 'New',
      limit: String(PAGE_SIZE),
      page: String(page + 1),
    });
    const { posts } = parsePayload(readResponseText(await context.ask({ url, reads: [400] })), searchPayload);
    const all = parseFittingItems(posts, postView).flatMap(toFoundItems);
    const items = all.filter((item) => isWithinWindow(item, query));
    // Newest first, so that what follows an older post is older, too.
    const isPast = all.some(({ publishedAt: at }) => query.from && at && at < query.from);
    return { items, isLast: isPast || posts.length < PAGE_SIZE };
  });
}

/** Older servers report rate limits with 400 and an error code of their own. */
function readResponseText({ status, text }: ProviderResponse): string {
  if (status !== 400) return text;
  if (text.includes('rate_limit_error')) throw new SourceDown('source_busy', { detail: 'HTTP 400' });
  throw new SourceDown('source_refused', { detail: 'HTTP 400' });
}

function toFoundItems({ post, counts: { score, comments } }: PostView): FoundItem[] {
  if (post.deleted || post.removed) return [];
  return toResult(post.ap_id, () => ({
    source: 'discussion_board',
    title: toTitle(post.name),
    snippet: toExcerpt(markdownToPlainText(post.body ?? '')),
    publishedAt: parsePublishedAt(post.published),
    engagement: sumReactions(score, comments),
  }));
}
