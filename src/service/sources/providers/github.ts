/** Issues on GitHub: no key, exact dates, nine searches a minute. */

import { z } from 'zod';
import { anyText, variable } from '../../../config/variable.ts';
import { MINUTE } from '../../../lib/time.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import {
  createRateLimitOutage,
  optionalField,
  parseFittingItems,
  parsePayload,
  sumReactions,
} from '../parse/payload.ts';
import { markdownToPlainText, toExcerpt, toTitle } from '../parse/plain-text.ts';
import { parsePublishedAt } from '../parse/published-at.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { toResult } from '../parse/results.ts';
import { formatSecond, reportIfFull, searchWithFewerWords, stripSigns } from '../provider-query.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';

const MAX_PAGE_SIZE = 100;
/** Every word is required, in the title: texts name too much. */
const WORD_ATTEMPTS = [3, 2] as const;

const searchPayload = z.object({ items: z.array(z.unknown()) });
const issue = z.object({
  title: z.string().min(1),
  html_url: z.string(),
  created_at: z.string(),
  body: optionalField(z.string()),
  comments: z.int(),
  reactions: optionalField(z.object({ total_count: z.int() })),
});

export const GITHUB = defineSource({
  facts: {
    name: 'github',
    source: 'discussion_board',
    title: 'GitHub (issues)',
    dates: 'exact',
    sample: 'python',
    brings: 'issues',
    terms: 'Ten searches a minute from one address, 30 with a token; texts stay their authors’.',
    pace: { perMinute: 9, burst: 5 },
    pauseMs: MINUTE,
    wordings: 'own',
  },
  // biome-ignore format: one row for each
  variables: {
    token: variable('GITHUB_SEARCH_TOKEN', anyText, 'token of GitHub without any permission: raises its rate limit', { secret: 'whole' }),
  },
  make: ({ token }, { at }) => github({ token, at }),
});

/** @param settings.at another base URL: GitHub Enterprise, a proxy */
export function github(settings: { token?: string | undefined; at?: string | undefined }): Adapter {
  const { token, at = 'https://api.github.com' } = settings;
  return {
    ...GITHUB.facts,
    ...(token !== undefined && { pace: { perMinute: 28, burst: 10 } }),
    async probe(context) {
      await searchIssues({ at, token }, { q: 'news in:title is:issue', per_page: '1' }, context);
    },
    find(query, context) {
      return searchWithFewerWords(query, WORD_ATTEMPTS, async (words) => {
        const bare = stripSigns(words);
        if (bare === '') return { items: [], isLast: true };
        const most = Math.min(query.limit, MAX_PAGE_SIZE);
        const params = {
          q: `${bare} in:title is:issue ${buildTimeFilter(query)}`,
          per_page: String(most),
          ...(query.from && { sort: 'created', order: 'desc' }),
        };
        const items = await searchIssues({ at, token }, params, context);
        reportIfFull(context, items, most);
        return { items, isLast: false };
      });
    },
  };
}

function buildTimeFilter({ from, to }: SourceQuery): string {
  return from === undefined
    ? `created:<=${formatSecond(to)}`
    : `created:${formatSecond(from)}..${formatSecond(to)}`;
}

async function searchIssues(
  { at, token }: { at: string; token: string | undefined },
  params: Record<string, string>,
  { ask, clock }: AdapterContext,
): Promise<FoundItem[]> {
  const reply = await ask({
    url: buildEndpoint(at, 'search/issues', params),
    headers: {
      accept: 'application/vnd.github+json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    reads: [403, 422, 429],
  });
  const { status, headers } = reply;
  // Its rate limits have either status; 403 is also a refusal.
  const isLimit = headers.get('x-ratelimit-remaining') === '0' || Boolean(headers.get('retry-after'));
  if (status === 429 || (status === 403 && isLimit))
    throw createRateLimitOutage(reply, 'x-ratelimit-reset', clock);
  if (status !== 200) throw new SourceDown('source_refused', { detail: `HTTP ${status}` });
  return parseFittingItems(parsePayload(reply.text, searchPayload).items, issue).flatMap(toFoundItems);
}

function toFoundItems({
  title,
  html_url,
  created_at,
  body,
  comments,
  reactions,
}: z.infer<typeof issue>): FoundItem[] {
  return toResult(html_url, () => ({
    source: 'discussion_board',
    title: toTitle(title),
    snippet: toExcerpt(markdownToPlainText(body ?? '')),
    publishedAt: parsePublishedAt(created_at),
    engagement: sumReactions(comments, reactions?.total_count),
  }));
}
