/**
 * Discussion boards through Reddit's API, for an application that Reddit has approved. No other Reddit endpoint is
 * used: Reddit closed anonymous access on purpose.
 */

import { anyText, pattern, variable } from '../../../config/variable.ts';
import { MINUTE, SECOND } from '../../../lib/time.ts';
import { retryAfterMs } from '../../../protocol/retry-after.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import { optionalField, parseFittingItems, parsePayload, sumReactions } from '../parse/payload.ts';
import { markdownToPlainText, toExcerpt, toTitle } from '../parse/plain-text.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toResult } from '../parse/results.ts';
import {
  isWithinWindow,
  PERIODS,
  pickShortestPeriod,
  reportIfFull,
  searchWithFewerWords,
} from '../provider-query.ts';
import { createSharedWork } from '../resilience/coalescing.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { z } from 'zod';

const MAX_POST_SNIPPET = 300;
const MAX_POSTS = 100;
/** Its search requires every word: retries with fewer. */
const WORD_ATTEMPTS = [4, 2] as const;

const searchPayload = z.object({ data: z.object({ children: z.array(z.unknown()) }) });
const postChild = z.object({
  data: z.object({
    title: z.string().min(1),
    permalink: z.string().startsWith('/r/'),
    subreddit: z.string(),
    selftext: z.string().catch(''),
    author: optionalField(z.string()),
    removed_by_category: z.unknown().optional(),
    score: z.number(),
    num_comments: z.number(),
    created_utc: z.number().positive(),
  }),
});
type RedditPost = z.infer<typeof postChild>['data'];

export const REDDIT = defineSource({
  facts: {
    name: 'reddit',
    source: 'discussion_board',
    title: 'Reddit',
    dates: 'coarse',
    sample: 'cooking',
    terms:
      'Access that Reddit has approved, 100 requests a minute for each application; commercial use needs an agreement, and what is deleted there is to be deleted here.',
    pace: { perMinute: 100, burst: 10 },
  },
  // biome-ignore format: one row for each
  variables: {
    clientId: variable('REDDIT_CLIENT_ID', anyText, 'client ID of an application approved by Reddit', { needed: true }),
    clientSecret: variable('REDDIT_CLIENT_SECRET', anyText, 'client secret of that application', { needed: true, secret: 'whole' }),
    username: variable('REDDIT_USERNAME', pattern(/^[\w-]{1,40}$/, 'the name of an account, without u/'), 'Reddit account that owns the application', { needed: true }),
  },
  make: (settings, { at, version }) => reddit({ ...settings, at, tokenAt: at, version }),
});

/** @param settings.at base URL of the API; `tokenAt` of the token endpoint; `version` of this program */
export function reddit(settings: {
  clientId: string;
  clientSecret: string;
  username: string;
  at?: string | undefined;
  tokenAt?: string | undefined;
  version?: string | undefined;
}): Adapter {
  const { at = 'https://oauth.reddit.com', tokenAt = 'https://www.reddit.com' } = settings;
  // The format that Reddit requires; it forbids imitating a browser.
  const userAgent = `node:strandline:${settings.version ?? 'unknown'} (by /u/${settings.username})`;
  const tokens = createRedditTokens(settings, buildEndpoint(tokenAt, 'api/v1/access_token'), userAgent);
  /** When the rate limit resets, once it is used up. */
  let emptyUntil = 0;

  async function search(words: string, query: SourceQuery, context: AdapterContext): Promise<RedditPost[]> {
    const { ask, clock } = context;
    const waitMs = emptyUntil - clock.now().getTime();
    if (waitMs > 0)
      throw new SourceDown('source_busy', {
        detail: 'no requests left',
        retryAfterMs: waitMs,
        unasked: true,
      });
    const url = buildEndpoint(at, 'search', {
      q: words,
      type: 'link',
      sort: query.from === undefined ? 'relevance' : 'new',
      t: pickShortestPeriod(PERIODS, query.from, clock.now()) ?? 'all',
      limit: String(MAX_POSTS),
      raw_json: '1',
    });
    const request = async () => {
      const token = await tokens.current(context);
      const headers = { authorization: `Bearer ${token}`, 'user-agent': userAgent };
      const reply = await ask({ url, headers, reads: [401, 429] });
      if (reply.status === 401) tokens.refused(token);
      return reply;
    };
    let reply = await request();
    // A token may end early; if a new token is rejected too, access was revoked.
    if (reply.status === 401) reply = await request();
    if (reply.status === 401) throw new SourceDown('source_refused', { detail: 'HTTP 401' });
    const resetMs = readEmptyMs(reply);
    if (resetMs !== undefined) emptyUntil = clock.now().getTime() + resetMs;
    if (reply.status === 429) {
      const wait = resetMs ?? retryAfterMs(reply.headers.get('retry-after'), clock.now()) ?? undefined;
      throw new SourceDown('source_busy', { detail: 'HTTP 429', retryAfterMs: wait });
    }
    return parseFittingItems(parsePayload(reply.text, searchPayload).data.children, postChild).map(
      ({ data }) => data,
    );
  }

  return {
    ...REDDIT.facts,
    find(query, context) {
      return searchWithFewerWords(query, WORD_ATTEMPTS, async (words) => {
        const posts = await search(words, query, context);
        // Its periods are wider: what is older than the window says that nothing of the window is missing.
        const inWindow = posts.filter(
          ({ created_utc: created }) => query.from === undefined || created * SECOND >= query.from.getTime(),
        );
        reportIfFull(context, inWindow, MAX_POSTS);
        const items = posts
          .filter(isVisiblePost)
          .flatMap(toFoundItems)
          .filter((item) => isWithinWindow(item, query));
        return { items, isLast: emptyUntil > context.clock.now().getTime() };
      });
    },
  };
}

function isVisiblePost({ author, selftext, title, removed_by_category: removed }: RedditPost): boolean {
  if (removed !== undefined && removed !== null) return false;
  return (
    author !== '[deleted]' && !/^\[(?:removed|deleted)\]$/.test(selftext) && title !== '[deleted by user]'
  );
}

function toFoundItems(post: RedditPost): FoundItem[] {
  const { score, num_comments: comments } = post;
  const publishedAt = new Date(post.created_utc * SECOND);
  if (Number.isNaN(publishedAt.getTime())) return [];
  return toResult(`https://www.reddit.com${post.permalink}`, () => ({
    source: 'discussion_board',
    title: toTitle(post.title),
    snippet: toExcerpt(markdownToPlainText(post.selftext), MAX_POST_SNIPPET),
    publishedAt,
    engagement: sumReactions(score, comments),
  }));
}

/** From `x-ratelimit-remaining: 0.0` and `x-ratelimit-reset: 31` (seconds); undefined while requests remain. */
function readEmptyMs({ headers }: ProviderResponse): number | undefined {
  const remaining = headers.get('x-ratelimit-remaining');
  const reset = headers.get('x-ratelimit-reset');
  if (remaining === null || reset === null || !(Number(remaining) < 1)) return undefined;
  const seconds = Number(reset);
  return seconds >= 0 && seconds <= 600 ? seconds * SECOND : undefined;
}

// Access token of the application, reused until shortly before it expires.

const grantedToken = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const tokenPayload = z.union([grantedToken, z.object({ error: z.unknown() })]);

function createRedditTokens(
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  url: URL,
  userAgent: string,
) {
  let kept: { token: string; until: number } | undefined;
  const renewal = createSharedWork<string>();

  async function request({ ask, clock }: AdapterContext): Promise<string> {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const { text } = await ask({
      url,
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': userAgent,
      },
      body: 'grant_type=client_credentials',
    });
    const read = parsePayload(text, tokenPayload);
    if (!('access_token' in read)) throw new SourceDown('source_refused', { detail: 'no token was issued' });
    kept = {
      token: read.access_token,
      until: clock.now().getTime() + read.expires_in * SECOND - MINUTE,
    };
    return kept.token;
  }

  return {
    /** @throws SourceDown */
    current: (context: AdapterContext) =>
      renewal(
        () => (kept !== undefined && context.clock.now().getTime() < kept.until ? kept.token : undefined),
        () => request(context),
      ),
    /** Discards a rejected token, unless it was already replaced. */
    refused(token: string): void {
      if (kept?.token === token) kept = undefined;
    },
  };
}
