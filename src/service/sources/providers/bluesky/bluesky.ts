/** Posts of Bluesky, searched in the name of the user's own account: without one the search is closed. */
import { z } from 'zod';
import { DAY, MINUTE } from '../../../../engine/clock.ts';
import type { Query } from '../../../source.ts';
import type { Adapter, Asking } from '../../adapter.ts';
import { accountsOf, blueskyPost, blueskyView } from './post.ts';
import { blueskyProfiles } from './profile.ts';
import { type BlueskySession, blueskySession } from './session.ts';
import { beside } from '../../asking/beside.ts';
import { pagesOf } from '../../asking/pages.ts';
import { foundOf } from '../../reading/post-of.ts';
import { fitting, readAnswer } from '../../reading/read-answer.ts';
import { searchWords } from '../../asking/search-words.ts';
import { briefly } from '../../asking/words.ts';

/** The most of one page, and the most pages of one search. */
const PAGE_MAX = 100;
const PAGES_MAX = 2;
/** All words must occur: more than these would find nothing. */
const WORDS_MAX = 4;
/** The newer method looks at the last 30 days unless it is told to look at everything. */
const RECENT_MS = 29 * DAY;

type Method = 'app.bsky.feed.searchPostsV2' | 'app.bsky.feed.searchPosts';
const answer = z.object({ posts: z.array(z.unknown()), cursor: z.string().optional() });
/** Stands in for a post that was taken down, or is kept from the account that searches. */
const tombstone = z.union([z.object({ notFound: z.literal(true) }), z.object({ blocked: z.literal(true) })]);

/** @param account an app password, never the account's own */
export function bluesky(account: {
  handle: string;
  appPassword: string;
  server?: string | undefined;
}): Adapter {
  const session = blueskySession({ ...account, server: account.server ?? 'https://bsky.social' });
  const profilesOf = blueskyProfiles(session);
  const page = pages(session);
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
      const views = await pagesOf({ pages: PAGES_MAX, items: query.limit }, asking, async () => {
        const next = await page(query, cursor, asking);
        cursor = next.cursor;
        return { items: next.views, isLast: cursor === undefined };
      });
      const each = [...new Map(views.map((view) => [view.uri, view])).values()];
      const profiles = await profilesOf(each.flatMap(accountsOf), beside(asking));
      return each.flatMap((view) => blueskyPost(view, profiles)).flatMap(foundOf);
    },
  };
}

/** Reads pages with the newer method, and with the older one from when a server does not know the newer. */
function pages(session: BlueskySession) {
  let method: Method = 'app.bsky.feed.searchPostsV2';
  return async (query: Query, cursor: string | undefined, asking: Asking) => {
    const more = cursor === undefined ? [] : [['cursor', cursor] as const];
    const ask = (by: Method, reads: readonly number[]) =>
      session.get(by, [...Object.entries(paramsOf(by, query, asking)), ...more], asking, reads);
    // Whoever may not page on is refused with 403; what came before stands.
    const closed = cursor === undefined ? [] : [403];
    let reply = await ask(method, method === 'app.bsky.feed.searchPosts' ? closed : [404, 501, ...closed]);
    if (reply.status === 404 || reply.status === 501) {
      method = 'app.bsky.feed.searchPosts';
      reply = await ask(method, closed);
    }
    if (reply.status === 403) return { views: [], cursor: undefined };
    const read = readAnswer(reply.text, answer);
    const there = read.posts.filter((one) => !tombstone.safeParse(one).success);
    const isFull = read.posts.length >= Math.min(query.limit, PAGE_MAX);
    return { views: fitting(there, blueskyView), cursor: isFull ? read.cursor : undefined };
  };
}

function paramsOf(method: Method, query: Query, { clock }: Asking): Record<string, string> {
  const { from, to, limit } = query;
  const isNewer = method === 'app.bsky.feed.searchPostsV2';
  const newest = isNewer ? 'recent' : 'latest';
  const isOld = from !== undefined && clock.now().getTime() - from.getTime() > RECENT_MS;
  return {
    [isNewer ? 'query' : 'q']: searchWords(query, WORDS_MAX) || briefly(query.prompt),
    sort: from === undefined ? newest : 'top',
    ...(from === undefined ? {} : { since: from.toISOString() }),
    // The end is not included there, and is here.
    until: new Date(to.getTime() + 1).toISOString(),
    ...(isNewer && isOld ? { allTime: 'true' } : {}),
    limit: String(Math.min(limit, PAGE_MAX)),
  };
}
