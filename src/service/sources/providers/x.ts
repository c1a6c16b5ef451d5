/** X posts by recent search: the last seven days; every response costs money. */

import { anyText, pattern, variable } from '../../../config/variable.ts';
import { DAY, MINUTE, SECOND } from '../../../lib/time.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import {
  createQuotaOutage,
  createRateLimitOutage,
  optionalField,
  parseFittingItems,
  parsePayload,
  tryParsePayload,
} from '../parse/payload.ts';
import { toFoundPost } from '../parse/post-fields.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { formatSecond, joinSearchTerms, reportIfFull } from '../provider-query.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { toMicroblogPost, xMedia, xPost, xReferred, xUser } from './x-post.ts';
import { z } from 'zod';

/** Posts per response. */
const MIN_POSTS = 10;
const MAX_POSTS = 100;
/** Every word is required: more would find nothing. */
const MAX_WORDS = 4;
/** Characters that X's query syntax would split or interpret; hashtags and handles are supported. */
const NOT_ONE_WORD = /[^\p{L}\p{M}\p{N}_#@]/u;
/** The default start. An earlier start is an error, so a start close to the default is omitted. */
const MAX_REACH_MS = 7 * DAY - 5 * MINUTE;
/** The default end is 30 seconds ago; a later end is an error. */
const SEARCH_LAG_MS = 30 * SECOND;

const itemList = optionalField(z.array(z.unknown())).transform((items) => items ?? []);
const searchPayload = z
  .object({
    data: z.array(z.unknown()).optional(),
    includes: z
      .object({ users: itemList, media: itemList, tweets: itemList })
      .catch({ users: [], media: [], tweets: [] }),
    meta: optionalField(z.object({ result_count: z.number() })),
  })
  // `errors` may accompany posts (about a deleted post, or its author), but not replace them.
  .refine(({ data, meta }) => data !== undefined || meta?.result_count === 0);
type SearchPayload = z.infer<typeof searchPayload>;

const dollars = pattern(/^\d{1,6}(\.\d{1,6})?$/, 'dollars, such as 2.50')
  .transform((text) => Number(text) || undefined)
  .describe('dollars, such as 2.50');

export const X = defineSource({
  facts: {
    name: 'x',
    source: 'microblog',
    title: 'X (recent search)',
    dates: 'exact',
    sample: 'music',
    terms:
      'Paid by what is read: $0.005 a post or picture, $0.010 an author; 450 requests in 15 minutes; the last seven days only.',
    pace: { perMinute: 30, burst: 10 },
    wordings: 'own',
    pauseMs: 15 * MINUTE,
  },
  // biome-ignore format: one row for each
  variables: {
    bearerToken: variable('X_BEARER_TOKEN', anyText, 'a bearer token of an X application', { needed: true, secret: 'whole' }),
    usdPerDay: variable('X_USD_PER_DAY', dollars, 'daily spending limit for X (UTC); 0 turns X off', { needed: true, default: '0', unit: 'dollars' }),
  },
  make: (settings, { at }) => x({ ...settings, at }),
});

/** @param settings.usdPerDay budget per UTC day in dollars; 0 sends no request */
export function x(settings: { bearerToken: string; usdPerDay: number; at?: string | undefined }): Adapter {
  const { bearerToken, usdPerDay, at = 'https://api.x.com' } = settings;
  const request = (params: Readonly<Record<string, string>>, { ask }: AdapterContext) =>
    ask({
      url: buildEndpoint(at, '2/tweets/search/recent', params),
      headers: { authorization: `Bearer ${bearerToken}` },
      reads: REFUSAL_STATUSES,
    });
  return {
    ...X.facts,
    allowance: { most: Math.round(usdPerDay * 1e6), unit: 'micro-dollars', zone: 'UTC' },
    async find(query, context) {
      const isOutOfReach = context.clock.now().getTime() - query.to.getTime() > MAX_REACH_MS;
      if (query.keywords.length === 0 || isOutOfReach) return [];
      const { posts, cost } = await reserveCost(query.limit, context);
      const params = buildParams(query, posts, context);
      let reply = await request(params, context);
      if (reply.status === 400 && 'start_time' in params && blamesParameter(reply, 'start_time')) {
        // The clocks differ: retry with the default start; each post's own time is checked anyway.
        const { start_time: _, ...rest } = params;
        reply = await request(rest, context);
      }
      if (reply.status >= 300) {
        // Refusals cost nothing. Any other failure may have been charged, so its cost is not returned.
        await context.unspend(cost);
        throw toOutage(reply, context.clock);
      }
      const read = parsePayload(reply.text, searchPayload);
      await context.unspend(Math.max(0, cost - computeCost(countItems(read))));
      reportIfFull(context, read.data ?? [], posts);
      return readFoundPosts(read);
    },
  };
}

/** Reserves the maximum cost of the posts; if too little is left, that of the minimum. */
async function reserveCost(limit: number, context: AdapterContext): Promise<{ posts: number; cost: number }> {
  const posts = Math.min(Math.max(limit, MIN_POSTS), MAX_POSTS);
  try {
    await context.spend(computeWorstCost(posts));
    return { posts, cost: computeWorstCost(posts) };
  } catch (error) {
    const isShort =
      error instanceof SourceDown && (error.code === 'source_quota' || error.code === 'source_busy');
    if (!isShort || posts === MIN_POSTS) throw error;
    await context.spend(computeWorstCost(MIN_POSTS));
    return { posts: MIN_POSTS, cost: computeWorstCost(MIN_POSTS) };
  }
}

function buildParams(query: SourceQuery, posts: number, { clock }: AdapterContext): Record<string, string> {
  const { from, to } = query;
  const backMs = (time: Date) => clock.now().getTime() - time.getTime();
  return {
    // Reposts are excluded, so that the original is paid for once.
    query: `${joinSearchTerms(query, MAX_WORDS, NOT_ONE_WORD)} -is:retweet`,
    max_results: String(posts),
    sort_order: 'recency',
    ...(from === undefined || backMs(from) > MAX_REACH_MS ? {} : { start_time: formatSecond(from) }),
    ...(backMs(to) < SEARCH_LAG_MS ? {} : { end_time: formatSecond(to) }),
    'tweet.fields':
      'created_at,public_metrics,entities,lang,conversation_id,in_reply_to_user_id,referenced_tweets,attachments,note_tweet',
    expansions: 'author_id,attachments.media_keys,referenced_tweets.id',
    'user.fields': 'created_at,description,public_metrics,verified,verified_type,location,profile_image_url',
    'media.fields': 'url,preview_image_url',
  };
}

function countItems({ data = [], includes }: SearchPayload) {
  return {
    posts: data.length + includes.tweets.length,
    users: includes.users.length,
    media: includes.media.length,
  };
}

function readFoundPosts({ data = [], includes }: SearchPayload): FoundItem[] {
  const included = {
    users: new Map(parseEach(includes.users, xUser).map((user) => [user.id, user])),
    media: new Map(parseEach(includes.media, xMedia).map((media) => [media.media_key, media])),
    posts: new Map(parseEach(includes.tweets, xReferred).map((post) => [post.id, post])),
  };
  // Included posts come without their authors: only those by an author of the results are whole.
  const whole = new Map(
    parseEach(includes.tweets, xPost)
      .flatMap((post) => toMicroblogPost(post, included))
      .map((post) => [post.id, post]),
  );
  return parseFittingItems(data, xPost)
    .flatMap((post) => toMicroblogPost(post, included))
    .flatMap((post) => toFoundPost(post, whole.get(post.quoted_status_id ?? '')));
}

/** Invalid expansions are dropped. */
function parseEach<T>(items: readonly unknown[], schema: z.core.$ZodType<T>): T[] {
  return items
    .map((item) => z.safeParse(schema, item))
    .flatMap(({ data }) => (data === undefined ? [] : [data]));
}

// Cost of a search: every post, user and picture of a response, in millionths of a dollar.

/** docs.x.com, "pricing", 2026: charges everything a response contains, including expansions. */
const PRICE_MICRO_USD = { post: 5_000, user: 10_000, media: 5_000 };
/** A post can include its quoted and replied-to posts, its author, and four pictures. */
const MAX_BESIDE_POST = { post: 2, user: 1, media: 4 };

/** Maximum cost of this many posts. */
export function computeWorstCost(posts: number): number {
  return computeCost({
    posts: posts * (1 + MAX_BESIDE_POST.post),
    users: posts * MAX_BESIDE_POST.user,
    media: posts * MAX_BESIDE_POST.media,
  });
}

/** X charges repeated reads within a day once, but does not guarantee it, so they count twice here. */
function computeCost({ posts, users, media }: { posts: number; users: number; media: number }): number {
  return posts * PRICE_MICRO_USD.post + users * PRICE_MICRO_USD.user + media * PRICE_MICRO_USD.media;
}

// Reasons for refusals. Responses are problems with a title; nothing else of them is used.

/** Statuses for which nothing was read, and so nothing charged. */
const REFUSAL_STATUSES: readonly number[] = [400, 401, 402, 403, 404, 429, 500, 502, 503, 504];

const problemPayload = z.object({
  title: optionalField(z.string()),
  errors: optionalField(z.array(z.object({ parameters: optionalField(z.record(z.string(), z.unknown())) }))),
});

function toOutage(reply: ProviderResponse, clock: Clock): SourceDown {
  const { status } = reply;
  if (status === 402) {
    return createQuotaOutage('no credits are left there');
  }
  if (status === 429) {
    const isCap = parseProblem(reply)?.title === 'UsageCapExceeded';
    if (isCap) return createQuotaOutage('of this month');
    return createRateLimitOutage(reply, 'x-rate-limit-reset', clock);
  }
  const isTheirs = status >= 500 || status === 404;
  return new SourceDown(isTheirs ? 'source_failed' : 'source_refused', { detail: `HTTP ${status}` });
}

/** Whether the error blames this parameter. */
function blamesParameter(reply: ProviderResponse, parameter: string): boolean {
  return (parseProblem(reply)?.errors ?? []).some(({ parameters = {} }) =>
    Object.hasOwn(parameters, parameter),
  );
}

function parseProblem({ text }: ProviderResponse): z.infer<typeof problemPayload> | undefined {
  return tryParsePayload(text, problemPayload);
}
