/**
 * Posts known to one Mastodon server. Hashtag timelines are public; full-text search needs a token and a server that
 * supports it. Without it, reads the timelines of hashtags derived from the prompt and keeps posts about the prompt.
 */

import { anyText, bareAddress, variable } from '../../../config/variable.ts';
import { foldLetters } from '../../../lib/folded-words.ts';
import { hasUnspacedScript, splitWordRuns } from '../../../model/relevance.ts';
import { DAY, MINUTE } from '../../../lib/time.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import { createRateLimitOutage, parseFittingItems, parsePayload } from '../parse/payload.ts';
import { toFoundPost } from '../parse/post-fields.ts';
import { buildEndpoint, type QueryParams } from '../parse/provider-addresses.ts';
import {
  formatDay,
  isPhrase,
  joinSearchTerms,
  listSubjects,
  pickBestWords,
  readPages,
  reportIfFull,
} from '../provider-query.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import {
  isPublicStatus,
  mastodonStatus,
  type MastodonStatus,
  parseContent,
  readQuotedPost,
  toMastodonPost,
} from './mastodon-post.ts';
import { z } from 'zod';

/** Per page, and pages per search. */
const MAX_PAGE_SIZE = 40;
const MAX_PAGES = 2;
/** Every word is required: more would find nothing. */
const MAX_WORDS = 4;

/** Pause for a server that requires a token. */
const CLOSED_REST_MS = 10 * MINUTE;

type ServerAccount = { server: string; token: string | undefined };
const timelinePayload = z.array(z.unknown());
const searchPayload = z.object({ statuses: z.array(z.unknown()) });
const statusPosition = z.object({ id: z.string().regex(/^\d{1,20}$/) });

export const MASTODON = defineSource({
  facts: {
    name: 'mastodon',
    source: 'microblog',
    title: 'Mastodon',
    dates: 'exact',
    sample: 'photography',
    terms: '300 requests in five minutes; public posts only, which stay their authors’.',
    pace: { perMinute: 40, burst: 20 },
    pauseMs: 5 * MINUTE,
  },
  // biome-ignore format: one row for each
  variables: {
    server: variable('MASTODON_SERVER', bareAddress('https://host'), 'Mastodon server to use', { default: 'https://mastodon.social' }),
    token: variable('MASTODON_TOKEN', anyText, 'token of the Mastodon server: enables full-text search in addition to hashtags', { secret: 'whole' }),
  },
  make: ({ server, token }, { at }) => mastodon({ server: at ?? server, token }),
});

export function mastodon(account: ServerAccount): Adapter {
  const { host } = new URL(account.server);
  return {
    ...MASTODON.facts,
    brings: account.token === undefined ? 'posts by hashtag' : 'posts',
    title: `Mastodon (${account.token === undefined ? 'hashtags' : 'search and hashtags'} at ${host})`,
    async probe(context) {
      parsePayload(
        await requestText(account, 'api/v1/timelines/tag/mastodon', [['limit', '1']], context),
        timelinePayload,
      );
    },
    async find(query, context) {
      const posts = (statuses: readonly MastodonStatus[]): FoundItem[] =>
        statuses
          .filter(isPublicStatus)
          .flatMap((status) => toFoundPost(toMastodonPost(status, host), readQuotedPost(status, host)));
      if (account.token !== undefined && query.keywords.length > 0) {
        const statuses = await searchStatuses(account, query, context);
        // A server without full-text search returns no posts and no error.
        if (statuses.length > 0) return posts(statuses);
      }
      return posts(await readHashtagTimelines(account, query, context));
    },
  };
}

/** The search supports dates only: adds a day on each side, and filters by each post's own time. */
async function searchStatuses(
  account: ServerAccount,
  query: SourceQuery,
  context: AdapterContext,
): Promise<MastodonStatus[]> {
  const before = new Date(query.to.getTime() + DAY);
  const after = query.from && new Date(query.from.getTime() - DAY);
  const words = [
    joinSearchTerms(query, MAX_WORDS),
    ...(after === undefined ? [] : [`after:${formatDay(after)}`]),
    `before:${formatDay(before)}`,
  ];
  const params = [
    ['q', words.join(' ')],
    ['type', 'statuses'],
    ['limit', String(Math.min(query.limit, MAX_PAGE_SIZE))],
  ] as const;
  const { statuses } = parsePayload(
    await requestText(account, 'api/v2/search', params, context),
    searchPayload,
  );
  reportIfFull(context, statuses, Math.min(query.limit, MAX_PAGE_SIZE));
  return parseFittingItems(statuses, mastodonStatus);
}

/** Timelines of the prompt's hashtags, newest first. */
async function readHashtagTimelines(
  account: ServerAccount,
  query: SourceQuery,
  context: AdapterContext,
): Promise<MastodonStatus[]> {
  const [first, ...others] = chooseHashtags(query);
  if (first === undefined) return [];
  let below = computeFirstIdAt(query.to.getTime() + 1);
  return readPages({ pages: MAX_PAGES, items: query.limit }, context, async () => {
    const params = [
      ...others.map((tag) => ['any[]', tag] as const),
      ['limit', String(MAX_PAGE_SIZE)],
      ['max_id', below],
      // Not min_id, which starts at the oldest post of the window: a busy hashtag would never reach today.
      ...(query.from === undefined
        ? []
        : [['since_id', computeFirstIdAt(query.from.getTime() - 1)] as const]),
    ] as const;
    const path = `api/v1/timelines/tag/${encodeURIComponent(first)}`;
    const items = parsePayload(await requestText(account, path, params, context), timelinePayload);
    const last = statusPosition.safeParse(items.at(-1));
    below = last.data?.id ?? below;
    return {
      items: parseFittingItems(items, mastodonStatus).filter((status) =>
        isAboutQuery(readStatusWords(status), query),
      ),
      isLast: items.length < MAX_PAGE_SIZE || !last.success,
    };
  });
}

/** @throws SourceDown `source_needs_key` if the server requires authentication */
async function requestText(
  { server, token }: ServerAccount,
  path: string,
  params: QueryParams,
  { ask, clock }: AdapterContext,
): Promise<string> {
  const url = buildEndpoint(server, path, params);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await ask({ url, headers, reads: [401, 403, 422, 429] });
  if (reply.status < 300) return reply.text;
  if (reply.status === 429) throw createRateLimitOutage(reply, 'x-ratelimit-reset', clock);
  const detail = `HTTP ${reply.status}`;
  if (token !== undefined) throw new SourceDown('source_refused', { detail });
  // Retrying is useless until a token is set.
  throw new SourceDown('source_needs_key', { detail, retryAfterMs: CLOSED_REST_MS });
}

/** The lowest id of a millisecond: ids are milliseconds followed by 16 bits. */
function computeFirstIdAt(ms: number): string {
  return String(BigInt(ms) << 16n);
}

function readStatusWords({ content, spoiler_text: warning = '', tags = [] }: MastodonStatus) {
  return { text: `${warning} ${parseContent(content).text}`, tags: tags.map(({ name }) => name) };
}

type HashtagQuery = Pick<SourceQuery, 'prompt' | 'keywords' | 'phrases'>;
/** Longer sequences are hardly ever one hashtag. */
const MAX_JOINED_WORDS = 3;

/**
 * One to three hashtags without `#`, most specific first: `ai agents` gives `aiagents`, `ai`, `agents`. A longer prompt
 * is reduced to its two best words. Empty if no word can be a hashtag, such as digits only.
 */
export function chooseHashtags(query: HashtagQuery): string[] {
  const keywords = listSubjects(query.keywords);
  const [best = ''] = keywords;
  const isJoined = best.includes(' ') && !isPhrase(best, query);
  const joined = isJoined
    ? best
    : pickBestWords({ ...query, keywords }, keywords.length > MAX_JOINED_WORDS ? 2 : MAX_JOINED_WORDS).join(
        '',
      );
  const tags = [joined, ...keywords.slice(0, 2)].map(toHashtag);
  return [...new Set(tags)].filter((tag) => /\D/.test(tag));
}

/**
 * Whether a post with one of these hashtags is about the prompt: `#agents` alone may be about spies. It must have the
 * joined hashtag, or contain both of the best words, with any ending.
 */
export function isAboutQuery(post: { text: string; tags: readonly string[] }, query: HashtagQuery): boolean {
  const tags = post.tags.map(foldLetters);
  const [joined] = chooseHashtags(query);
  if (joined !== undefined && tags.includes(foldLetters(joined))) return true;
  const text = foldLetters(post.text);
  const postWords = [...tags, ...splitWordRuns(text)];
  const occurs = (word: string) =>
    hasUnspacedScript(word)
      ? text.includes(word)
      : postWords.some((postWord) => postWord === word || isWordForm(postWord, word));
  return listSubjects(query.keywords)
    .slice(0, 2)
    .map(foldLetters)
    .every((word) => tags.includes(toHashtag(word)) || splitWordRuns(word).every(occurs));
}

/** Hashtags consist of letters, digits and underscores. */
function toHashtag(words: string): string {
  return words.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '');
}

/** `turbine` and `turbines`; short words have too many similar ones. */
function isWordForm(postWord: string, word: string): boolean {
  const stem = word.replace(/s$/, '');
  return stem.length > 3 && postWord.startsWith(stem);
}
