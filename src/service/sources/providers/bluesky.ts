/** Posts of Bluesky, searched in the name of the user's own account: without one the search is closed. */
import { z } from 'zod';
import { DAY, MINUTE } from '../../../domain/time.ts';
import type { SourceQuery } from '../search-source.ts';
import type { Adapter, AdapterContext } from '../adapter.ts';
import { listAccounts, toBlueskyPost, blueskyView } from './bluesky-post.ts';
import { type BlueskySession, createBlueskyProfiles, createBlueskySession } from './bluesky-account.ts';
import { limitSideRequests } from '../resilience/bounded-requests.ts';
import { joinSearchTerms, readPages, shortenPrompt } from '../provider-query.ts';
import { toFoundPost } from '../parse/post-fields.ts';
import { parseFittingItems, parsePayload } from '../parse/payload.ts';

/** The most of one page, and the most pages of one search. */
const MAX_PAGE_SIZE = 100;
const MAX_PAGES = 2;
/** All words must occur: more than these would find nothing. */
const MAX_WORDS = 4;
/** The newer method looks at the last 30 days unless it is told to look at everything. */
const RECENT_WINDOW_MS = 29 * DAY;

type SearchMethod = 'app.bsky.feed.searchPostsV2' | 'app.bsky.feed.searchPosts';
const searchPayload = z.object({ posts: z.array(z.unknown()), cursor: z.string().optional() });
/** Stands in for a post that was taken down, or is kept from the account that searches. */
const tombstone = z.union([z.object({ notFound: z.literal(true) }), z.object({ blocked: z.literal(true) })]);

/** @param account an app password, never the account's own */
export function bluesky(account: {
  handle: string;
  appPassword: string;
  server?: string | undefined;
}): Adapter {
  const session = createBlueskySession({ ...account, server: account.server ?? 'https://bsky.social' });
  const profilesOf = createBlueskyProfiles(session);
  const page = createPageReader(session);
  return {
    name: 'bluesky',
    source: 'microblog',
    title: 'Bluesky (search through your account)',
    dates: 'exact',
    terms:
      'An account with an app password; 3,000 requests in five minutes; meant for what a person asks, not for copying the network.',
    // One search is up to eight requests: two pages, and the profiles of those who wrote.
    pace: { perMinute: 60, burst: 20 },
    restMs: 5 * MINUTE,
    async find(query, asking) {
      let cursor: string | undefined;
      const views = await readPages({ pages: MAX_PAGES, items: query.limit }, asking, async () => {
        const next = await page(query, cursor, asking);
        cursor = next.cursor;
        return { items: next.views, isLast: cursor === undefined };
      });
      const each = [...new Map(views.map((view) => [view.uri, view])).values()];
      const profiles = await profilesOf(each.flatMap(listAccounts), limitSideRequests(asking));
      return each.flatMap((view) => toBlueskyPost(view, profiles)).flatMap(toFoundPost);
    },
  };
}

/** Reads pages with the newer method, and with the older one from when a server does not know the newer. */
function createPageReader(session: BlueskySession) {
  let method: SearchMethod = 'app.bsky.feed.searchPostsV2';
  return async (query: SourceQuery, cursor: string | undefined, asking: AdapterContext) => {
    const more = cursor === undefined ? [] : [['cursor', cursor] as const];
    const ask = (by: SearchMethod, reads: readonly number[]) =>
      session.get(by, [...Object.entries(buildParams(by, query, asking)), ...more], asking, reads);
    // Whoever may not page on is refused with 403; what came before stands.
    const closed = cursor === undefined ? [] : [403];
    let reply = await ask(method, method === 'app.bsky.feed.searchPosts' ? closed : [404, 501, ...closed]);
    if (reply.status === 404 || reply.status === 501) {
      method = 'app.bsky.feed.searchPosts';
      reply = await ask(method, closed);
    }
    if (reply.status === 403) return { views: [], cursor: undefined };
    const read = parsePayload(reply.text, searchPayload);
    const there = read.posts.filter((one) => !tombstone.safeParse(one).success);
    const isFull = read.posts.length >= Math.min(query.limit, MAX_PAGE_SIZE);
    return { views: parseFittingItems(there, blueskyView), cursor: isFull ? read.cursor : undefined };
  };
}

function buildParams(
  method: SearchMethod,
  query: SourceQuery,
  { clock }: AdapterContext,
): Record<string, string> {
  const { from, to, limit } = query;
  const isNewer = method === 'app.bsky.feed.searchPostsV2';
  const newest = isNewer ? 'recent' : 'latest';
  const isOld = from !== undefined && clock.now().getTime() - from.getTime() > RECENT_WINDOW_MS;
  return {
    [isNewer ? 'query' : 'q']: joinSearchTerms(query, MAX_WORDS) || shortenPrompt(query.prompt),
    sort: from === undefined ? newest : 'top',
    ...(from === undefined ? {} : { since: from.toISOString() }),
    // The end is not included there, and is here.
    until: new Date(to.getTime() + 1).toISOString(),
    ...(isNewer && isOld ? { allTime: 'true' } : {}),
    limit: String(Math.min(limit, MAX_PAGE_SIZE)),
  };
}
