/**
 * The discussion board: Reddit's own search, for an application that Reddit has approved. Nothing else of
 * Reddit is asked: what it gives anonymously it has closed on purpose.
 */
import { z } from 'zod';
import { retryAfterMs } from '../../../../contract/retry-after.ts';
import { SECOND } from '../../../../engine/clock.ts';
import { SourceDown } from '../../../outage.ts';
import type { Found, Query } from '../../../source.ts';
import type { Adapter, Asking } from '../../adapter.ts';
import type { Reply } from '../../guard/ask.ts';
import { PERIODS, shortestPeriod } from '../../asking/period.ts';
import { excerpt, plainMarkdown, titleOf } from '../../reading/plain-text.ts';
import { fitting, optional, readAnswer } from '../../reading/read-answer.ts';
import { redditTokens } from './token.ts';
import { endpoint, shownLink } from '../../reading/web-address.ts';
import { fewWords } from '../../asking/words.ts';

const SNIPPET_MAX = 300;
/** Its search wants every word to occur: a few first, and fewer where they find nothing. */
const WORDS = [4, 2] as const;

const answer = z.object({ data: z.object({ children: z.array(z.unknown()) }) });
const child = z.object({
  data: z.object({
    title: z.string().min(1),
    permalink: z.string().startsWith('/r/'),
    subreddit: z.string(),
    selftext: z.string().catch(''),
    author: optional(z.string()),
    removed_by_category: z.unknown(),
    score: z.number(),
    num_comments: z.number(),
    created_utc: z.number().positive(),
  }),
});
type Post = z.infer<typeof child>['data'];

/** @param settings.at where the API is; `tokenAt` where tokens are given; `version` of this program */
export function reddit(settings: {
  clientId: string;
  clientSecret: string;
  username: string;
  at?: string | undefined;
  tokenAt?: string | undefined;
  version?: string | undefined;
}): Adapter {
  const { at = 'https://oauth.reddit.com', tokenAt = 'https://www.reddit.com' } = settings;
  // The form that its rules ask for; a made-up browser is what they forbid.
  const userAgent = `node:strandline:${settings.version ?? 'unknown'} (by /u/${settings.username})`;
  const tokens = redditTokens({
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    url: endpoint(tokenAt, 'api/v1/access_token'),
    userAgent,
  });
  /** When the requests that it counts begin anew, once none was left. */
  let emptyUntil = 0;

  async function search(words: string, query: Query, asking: Asking): Promise<Post[]> {
    const { ask, clock } = asking;
    const waitMs = emptyUntil - clock.now().getTime();
    if (waitMs > 0)
      throw new SourceDown('source_busy', {
        detail: 'no request is left',
        retryAfterMs: waitMs,
        unasked: true,
      });
    const url = endpoint(at, 'search', {
      q: words,
      type: 'link',
      sort: 'relevance',
      t: shortestPeriod(PERIODS, query.from, clock.now()) ?? 'all',
      limit: '100',
      raw_json: '1',
    });
    const asked = async () => {
      const token = await tokens.current(asking);
      const headers = { authorization: `Bearer ${token}`, 'user-agent': userAgent };
      const reply = await ask({ url, headers, reads: [401, 429] });
      if (reply.status === 401) tokens.refused(token);
      return reply;
    };
    let reply = await asked();
    // A token may end before its time; a new one that is refused too says that the access is gone.
    if (reply.status === 401) reply = await asked();
    if (reply.status === 401) throw new SourceDown('source_refused', { detail: 'answered 401' });
    const resetMs = emptyForMs(reply);
    if (resetMs !== undefined) emptyUntil = clock.now().getTime() + resetMs;
    if (reply.status === 429) {
      const wait = resetMs ?? retryAfterMs(reply.headers.get('retry-after'), clock.now()) ?? undefined;
      throw new SourceDown('source_busy', { detail: 'answered 429', retryAfterMs: wait });
    }
    return fitting(readAnswer(reply.text, answer).data.children, child).map(({ data }) => data);
  }

  return {
    name: 'reddit',
    source: 'discussion_board',
    title: 'Reddit',
    dates: 'coarse',
    terms:
      'Access that Reddit has approved, 100 requests a minute for each application; commercial use needs an agreement, and what is deleted there is to be deleted here.',
    pace: { perMinute: 100, burst: 10 },
    async find(query, asking) {
      for (const most of WORDS) {
        const posts = await search(fewWords(query, most), query, asking);
        const found = posts.filter((post) => isThere(post) && isWithin(post, query)).flatMap(itemOf);
        if (found.length > 0 || query.keywords.length <= 2) return found;
        if (emptyUntil > asking.clock.now().getTime()) return [];
      }
      return [];
    },
  };
}

function isThere({ author, selftext, title, removed_by_category: removed }: Post): boolean {
  if (removed !== undefined && removed !== null) return false;
  return (
    author !== '[deleted]' && !/^\[(?:removed|deleted)\]$/.test(selftext) && title !== '[deleted by user]'
  );
}

/** It was asked for a wider period. */
function isWithin(post: Post, { from, to }: Query): boolean {
  const at = post.created_utc * SECOND;
  return (from === undefined || at >= from.getTime()) && at <= to.getTime();
}

function itemOf(post: Post): Found[] {
  const { score, num_comments: comments, subreddit } = post;
  const link = shownLink(`https://www.reddit.com${post.permalink}`);
  const publishedAt = new Date(post.created_utc * SECOND);
  if (link === undefined || Number.isNaN(publishedAt.getTime())) return [];
  return [
    {
      source: 'discussion_board',
      title: titleOf(post.title),
      link,
      snippet:
        excerpt(plainMarkdown(post.selftext), SNIPPET_MAX) ||
        `${score} points, ${comments} comments in r/${subreddit}`,
      summaryDescription: '',
      publishedAt,
      engagement: Math.max(0, score) + Math.max(0, comments),
    },
  ];
}

/** By `x-ratelimit-remaining: 0.0` and `x-ratelimit-reset: 31` (seconds); undefined while some are left. */
function emptyForMs({ headers }: Reply): number | undefined {
  const remaining = headers.get('x-ratelimit-remaining');
  const reset = headers.get('x-ratelimit-reset');
  if (remaining === null || reset === null || !(Number(remaining) < 1)) return undefined;
  const seconds = Number(reset);
  return seconds >= 0 && seconds <= 600 ? seconds * SECOND : undefined;
}
