/**
 * A discussion board that asks for no key: posts of Lemmy, as one server knows them, under links that say so.
 * What is marked as not safe for work a server shows to the anonymous only where its operator wants it to.
 */
import { z } from 'zod';
import { SourceDown } from '../../outage.ts';
import type { Found, Query } from '../../source.ts';
import type { Adapter, Asking } from '../adapter.ts';
import type { Reply } from '../guard/ask.ts';
import { pagesOf } from '../asking/pages.ts';
import { shortestPeriod } from '../asking/period.ts';
import { excerpt, plainMarkdown, titleOf } from '../reading/plain-text.ts';
import { publishedAt } from '../reading/published-at.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { endpoint, shownLink } from '../reading/web-address.ts';
import { fewWords } from '../asking/words.ts';

/** The best of a period: an order that is a filter too. A month may have 28 days. */
const ORDERS = [
  ['TopDay', 1],
  ['TopWeek', 7],
  ['TopMonth', 28],
  ['TopThreeMonths', 89],
  ['TopYear', 365],
] as const;
const PAGE = 50;
const PAGES_MAX = 2;
/** Its search wants every word to occur: a few first, and fewer where they find nothing. */
const WORDS = [3, 2] as const;

const answer = z.object({ posts: z.array(z.unknown()) });
const view = z.object({
  post: z.object({
    name: z.string().min(1),
    body: optional(z.string()),
    ap_id: z.string(),
    published: z.string(),
    deleted: z.boolean().catch(false),
    removed: z.boolean().catch(false),
  }),
  community: z.object({ name: z.string() }),
  counts: z.object({ score: z.number(), comments: z.number() }),
});
type View = z.infer<typeof view>;

/** @param settings.server its address: `https://lemmy.world` */
export function lemmy({ server }: { server: string }): Adapter {
  return {
    name: 'lemmy',
    source: 'discussion_board',
    title: `Lemmy (${new URL(server).host})`,
    dates: 'coarse',
    terms:
      'Keyless; its operator limits searches for each address, and posts belong to those who wrote them.',
    // A server's own setting unless its operator changes it: 60 searches in ten minutes.
    pace: { perMinute: 6, burst: 4 },
    wordings: 'own',
    async probe({ ask }) {
      const { text } = await ask({ url: endpoint(server, 'api/v3/site') });
      readAnswer(text, z.object({ site_view: z.unknown(), version: z.string() }));
    },
    async find(query, asking) {
      for (const most of WORDS) {
        const found = await search(server, fewWords(query, most), query, asking);
        if (found.length > 0 || query.keywords.length <= 2) return found;
      }
      return [];
    },
  };
}

function search(server: string, words: string, query: Query, asking: Asking): Promise<Found[]> {
  return pagesOf({ pages: PAGES_MAX, items: query.limit }, asking, async (page) => {
    const url = endpoint(server, 'api/v3/search', {
      q: words,
      type_: 'Posts',
      listing_type: 'All',
      sort: shortestPeriod(ORDERS, query.from, asking.clock.now()) ?? 'TopAll',
      limit: String(PAGE),
      page: String(page + 1),
    });
    const { posts } = readAnswer(textOf(await asking.ask({ url, reads: [400] })), answer);
    const items = fitting(posts, view)
      .flatMap(itemOf)
      .filter((item) => isWithin(item, query));
    return { items, isLast: posts.length < PAGE };
  });
}

/** Older servers say "too many requests" with 400 and a word of their own. */
function textOf({ status, text }: Reply): string {
  if (status !== 400) return text;
  if (text.includes('rate_limit_error')) throw new SourceDown('source_busy', { detail: 'answered 400' });
  throw new SourceDown('source_refused', { detail: 'answered 400' });
}

/** It was asked for a wider period. */
function isWithin({ publishedAt: at }: Found, { from, to }: Query): boolean {
  return at !== undefined && (from === undefined || at >= from) && at <= to;
}

function itemOf({ post, community, counts: { score, comments } }: View): Found[] {
  const link = shownLink(post.ap_id);
  if (link === undefined || post.deleted || post.removed) return [];
  return [
    {
      source: 'discussion_board',
      title: titleOf(post.name),
      link,
      snippet:
        excerpt(plainMarkdown(post.body ?? '')) ||
        `${score} points, ${comments} comments in ${community.name}`,
      summaryDescription: '',
      publishedAt: publishedAt(post.published),
      engagement: Math.max(0, score) + Math.max(0, comments),
    },
  ];
}
