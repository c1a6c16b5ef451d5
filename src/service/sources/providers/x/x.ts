/** Posts of X by its recent search: the last seven days, and every answer costs. */
import { z } from 'zod';
import { DAY, MINUTE, SECOND } from '../../../../engine/clock.ts';
import { SourceDown } from '../../../outage.ts';
import type { Found, Query } from '../../../source.ts';
import type { Adapter, Asking } from '../../adapter.ts';
import { foundOf } from '../../reading/post-of.ts';
import { fitting, optional, readAnswer } from '../../reading/read-answer.ts';
import { searchWords } from '../../asking/search-words.ts';
import { endpoint } from '../../reading/web-address.ts';
import { xMedia, xPost, xReferred, xUser } from './answer.ts';
import { microblogPostOf } from './post.ts';
import { costOf, worstCost } from './price.ts';
import { blames, REFUSALS, refusalOf } from './refusal.ts';

/** The fewest and the most posts of one answer. */
const POSTS_MIN = 10;
const POSTS_MAX = 100;
/** All words must occur: more than these would find nothing. */
const WORDS_MAX = 4;
/** What its language of queries would read as more than one word; hashtags and handles it knows. */
const NOT_ONE_WORD = /[^\p{L}\p{M}\p{N}_#@]/u;
/** As far back as it looks by itself; to name an earlier start is an error, so one nearby is not named. */
const REACH_MS = 7 * DAY - 5 * MINUTE;
/** It ends half a minute ago by itself; to name a later end is an error. */
const LAG_MS = 30 * SECOND;

const several = optional(z.array(z.unknown())).transform((items) => items ?? []);
const answer = z
  .object({
    data: z.array(z.unknown()).optional(),
    includes: z
      .object({ users: several, media: several, tweets: several })
      .catch({ users: [], media: [], tweets: [] }),
    meta: optional(z.object({ result_count: z.number() })),
  })
  // `errors` may stand beside posts (one of them, or an author, is gone), but not in their place.
  .refine(({ data, meta }) => data !== undefined || meta?.result_count === 0);
type Answer = z.infer<typeof answer>;
/** @param settings.usdPerDay what may be spent on a day (UTC) in dollars; 0 asks nothing */
export function x(settings: { bearerToken: string; usdPerDay: number; at?: string | undefined }): Adapter {
  const { bearerToken, usdPerDay, at = 'https://api.x.com' } = settings;
  const request = (params: Readonly<Record<string, string>>, { ask }: Asking) =>
    ask({
      url: endpoint(at, '2/tweets/search/recent', params),
      headers: { authorization: `Bearer ${bearerToken}` },
      reads: REFUSALS,
    });
  return {
    name: 'x',
    source: 'microblog',
    title: 'X (recent search)',
    dates: 'exact',
    terms:
      'Paid by what is read: $0.005 a post or picture, $0.010 an author; 450 requests in 15 minutes; the last seven days only.',
    pace: { perMinute: 30, burst: 10 },
    wordings: 'own',
    restMs: 15 * MINUTE,
    allowance: { most: Math.round(usdPerDay * 1e6), unit: 'micro-dollars', zone: 'UTC' },
    async find(query, asking) {
      if (query.keywords.length === 0 || isOutOfReach(query, asking)) return [];
      const { posts, cost } = await reserve(query.limit, asking);
      const params = paramsOf(query, posts, asking);
      let reply = await request(params, asking);
      if (reply.status === 400 && 'start_time' in params && blames(reply, 'start_time')) {
        // Its clock and ours differ. By itself it looks back seven days; each post's own time decides then.
        const { start_time: _, ...rest } = params;
        reply = await request(rest, asking);
      }
      if (reply.status >= 300) {
        // Refusals cost nothing. Whatever else goes wrong may have been charged, and stays spent.
        await asking.unspend(cost);
        throw refusalOf(reply, asking.clock);
      }
      const read = readAnswer(reply.text, answer);
      await asking.unspend(Math.max(0, cost - costOf(countsOf(read))));
      return foundIn(read);
    },
  };
}

/** Takes what the posts may cost; where that is not left, what the fewest may. */
async function reserve(limit: number, asking: Asking): Promise<{ posts: number; cost: number }> {
  const posts = Math.min(Math.max(limit, POSTS_MIN), POSTS_MAX);
  try {
    await asking.spend(worstCost(posts));
    return { posts, cost: worstCost(posts) };
  } catch (error) {
    const isShort =
      error instanceof SourceDown && (error.code === 'source_quota' || error.code === 'source_busy');
    if (!isShort || posts === POSTS_MIN) throw error;
    await asking.spend(worstCost(POSTS_MIN));
    return { posts: POSTS_MIN, cost: worstCost(POSTS_MIN) };
  }
}

function isOutOfReach({ to }: Query, { clock }: Asking): boolean {
  return clock.now().getTime() - to.getTime() > REACH_MS;
}

function paramsOf(query: Query, posts: number, { clock }: Asking): Record<string, string> {
  const { from, to } = query;
  const backMs = (time: Date) => clock.now().getTime() - time.getTime();
  return {
    // What a repost repeats is found by itself, and paid once.
    query: `${searchWords(query, WORDS_MAX, NOT_ONE_WORD)} -is:retweet`,
    max_results: String(posts),
    sort_order: from === undefined ? 'recency' : 'relevancy',
    ...(from === undefined || backMs(from) > REACH_MS ? {} : { start_time: secondsOf(from) }),
    ...(backMs(to) < LAG_MS ? {} : { end_time: secondsOf(to) }),
    'tweet.fields':
      'created_at,public_metrics,entities,lang,conversation_id,in_reply_to_user_id,referenced_tweets,attachments,note_tweet',
    expansions: 'author_id,attachments.media_keys,referenced_tweets.id',
    'user.fields': 'created_at,description,public_metrics,verified,verified_type,location,profile_image_url',
    'media.fields': 'url,preview_image_url',
  };
}

function secondsOf(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function countsOf({ data = [], includes }: Answer) {
  return {
    posts: data.length + includes.tweets.length,
    users: includes.users.length,
    media: includes.media.length,
  };
}

function foundIn({ data = [], includes }: Answer): Found[] {
  const included = {
    users: new Map(each(includes.users, xUser).map((one) => [one.id, one])),
    media: new Map(each(includes.media, xMedia).map((one) => [one.media_key, one])),
    posts: new Map(each(includes.tweets, xReferred).map((one) => [one.id, one])),
  };
  return fitting(data, xPost)
    .flatMap((post) => microblogPostOf(post, included))
    .flatMap(foundOf);
}

/** Of what is only beside the posts, nothing needs to fit. */
function each<T>(items: readonly unknown[], schema: z.core.$ZodType<T>): T[] {
  return items
    .map((item) => z.safeParse(schema, item))
    .flatMap(({ data }) => (data === undefined ? [] : [data]));
}
