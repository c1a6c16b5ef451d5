/**
 * Posts that one Mastodon server knows. Everyone may read the timelines of hashtags there; the search of
 * posts takes a token, and a server that has it.
 */
import { z } from 'zod';
import { DAY, MINUTE } from '../../../../engine/clock.ts';
import { SourceDown } from '../../../outage.ts';
import type { Found, Query } from '../../../source.ts';
import type { Adapter, Asking } from '../../adapter.ts';
import { contentOf } from './content.ts';
import { hashtagsOf, isAbout } from './hashtags.ts';
import { isPublic, mastodonPost, mastodonStatus, type MastodonStatus } from './post.ts';
import { pagesOf } from '../../asking/pages.ts';
import { dayOf } from '../../asking/period.ts';
import { foundOf } from '../../reading/post-of.ts';
import { busyUntil } from '../../reading/rate-reset.ts';
import { fitting, readAnswer } from '../../reading/read-answer.ts';
import { searchWords } from '../../asking/search-words.ts';
import { endpoint } from '../../reading/web-address.ts';

/** The most of one page, and the most pages of one search. */
const PAGE_MAX = 40;
const PAGES_MAX = 2;
/** All words must occur: more than these would find nothing. */
const WORDS_MAX = 4;

/** How long a server that shows nothing without a token is left alone. */
const CLOSED_MS = 10 * MINUTE;

type Account = { server: string; token: string | undefined };
const timeline = z.array(z.unknown());
const searched = z.object({ statuses: z.array(z.unknown()) });
const position = z.object({ id: z.string().regex(/^\d{1,20}$/) });

export function mastodon(settings: { server?: string | undefined; token?: string | undefined }): Adapter {
  const account: Account = { server: settings.server ?? 'https://mastodon.social', token: settings.token };
  const { host } = new URL(account.server);
  return {
    name: 'mastodon',
    source: 'microblog',
    title: `Mastodon (${account.token === undefined ? 'hashtags' : 'search and hashtags'} at ${host})`,
    dates: 'exact',
    terms: '300 requests in five minutes; public posts only, which stay their authors’.',
    pace: { perMinute: 40, burst: 20 },
    restMs: 5 * MINUTE,
    async probe(asking) {
      readAnswer(await get(account, 'api/v1/timelines/tag/mastodon', [['limit', '1']], asking), timeline);
    },
    async find(query, asking) {
      const posts = (statuses: readonly MastodonStatus[]): Found[] =>
        statuses.filter(isPublic).flatMap((one) => foundOf(mastodonPost(one, host)));
      if (account.token !== undefined && query.keywords.length > 0) {
        const statuses = await search(account, query, asking);
        // A server without a search of posts says nothing of it, and finds none.
        if (statuses.length > 0) return posts(statuses);
      }
      return posts(await follow(account, query, asking));
    },
  };
}

/** The search knows days, not times: one more on each side, and every post's own time decides. */
async function search(account: Account, query: Query, asking: Asking): Promise<MastodonStatus[]> {
  const before = new Date(query.to.getTime() + DAY);
  const after = query.from && new Date(query.from.getTime() - DAY);
  const words = [
    searchWords(query, WORDS_MAX),
    ...(after === undefined ? [] : [`after:${dayOf(after)}`]),
    `before:${dayOf(before)}`,
  ];
  const params = [
    ['q', words.join(' ')],
    ['type', 'statuses'],
    ['limit', String(Math.min(query.limit, PAGE_MAX))],
  ] as const;
  const { statuses } = readAnswer(await get(account, 'api/v2/search', params, asking), searched);
  return fitting(statuses, mastodonStatus);
}

/** The timelines of the prompt's hashtags, newest first. */
async function follow(account: Account, query: Query, asking: Asking): Promise<MastodonStatus[]> {
  const [first, ...others] = hashtagsOf(query);
  if (first === undefined) return [];
  let below = idAt(query.to.getTime() + 1);
  return pagesOf({ pages: PAGES_MAX, items: query.limit }, asking, async () => {
    const params = [
      ...others.map((tag) => ['any[]', tag] as const),
      ['limit', String(PAGE_MAX)],
      ['max_id', below],
      // Not min_id: that begins at the oldest post of the window, and a busy hashtag would never reach today.
      ...(query.from === undefined ? [] : [['since_id', idAt(query.from.getTime() - 1)] as const]),
    ] as const;
    const path = `api/v1/timelines/tag/${encodeURIComponent(first)}`;
    const items = readAnswer(await get(account, path, params, asking), timeline);
    const last = position.safeParse(items.at(-1));
    below = last.data?.id ?? below;
    return {
      items: fitting(items, mastodonStatus).filter((one) => isAbout(wordsOf(one), query)),
      isLast: items.length < PAGE_MAX || !last.success,
    };
  });
}

/** @throws SourceDown `source_needs_key` where the server shows nothing to who is not signed in */
async function get(
  { server, token }: Account,
  path: string,
  params: readonly (readonly [name: string, value: string])[],
  { ask, clock }: Asking,
): Promise<string> {
  const url = endpoint(server, path);
  for (const [name, value] of params) url.searchParams.append(name, value);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await ask({ url, headers, reads: [401, 403, 422, 429] });
  if (reply.status < 300) return reply.text;
  if (reply.status === 429) throw busyUntil(reply, 'x-ratelimit-reset', clock);
  const detail = `answered ${reply.status}`;
  if (token !== undefined) throw new SourceDown('source_refused', { detail });
  // Until somebody sets a token, asking again is of no use.
  throw new SourceDown('source_needs_key', { detail, retryAfterMs: CLOSED_MS });
}

/** The first id of a millisecond: ids count milliseconds, with 16 bits behind. */
function idAt(ms: number): string {
  return String(BigInt(ms) << 16n);
}

function wordsOf({ content, spoiler_text: warning = '', tags = [] }: MastodonStatus) {
  return { text: `${warning} ${contentOf(content).text}`, tags: tags.map(({ name }) => name) };
}
