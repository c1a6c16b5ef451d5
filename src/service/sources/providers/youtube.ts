/** Videos with the YouTube Data API: exact dates, a key, 100 searches a day for all users of that key. */
import { anyText, variable } from '../../../config/variable.ts';
import { z } from 'zod';
import { HOUR } from '../../../lib/time.ts';
import { SourceDown } from '../outage.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource, limitSideRequests } from '../adapter.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { toExcerpt, toPlainText, toTitle } from '../parse/plain-text.ts';
import { parsePublishedAt } from '../parse/published-at.ts';
import {
  createQuotaOutage,
  optionalField,
  parseFittingItems,
  parsePayload,
  tryParsePayload,
} from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { reportIfFull, shortenPrompt } from '../provider-query.ts';

/** Per page; a second page would cost another search. */
const MAX_PAGE_SIZE = 50;

const listPayload = z.object({ items: z.array(z.unknown()) });
const videoItem = z.object({
  id: z.object({ videoId: z.string().regex(/^[\w-]+$/) }),
  snippet: z.object({
    title: z.string().min(1),
    description: z.string().catch(''),
    publishedAt: z.string(),
  }),
});
const reactionCount = z.coerce.number().int().nonnegative();
const videoStatistics = z.object({
  id: z.string(),
  // Missing if the owner hides it.
  statistics: z.object({
    likeCount: optionalField(reactionCount),
    commentCount: optionalField(reactionCount),
  }),
});
const errorPayload = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: optionalField(z.string()) })).catch([]),
    details: z
      .array(
        z.object({
          reason: optionalField(z.string()),
          metadata: optionalField(z.object({ quota_limit: optionalField(z.string()) })),
        }),
      )
      .catch([]),
  }),
});

export const YOUTUBE = defineSource({
  facts: {
    name: 'youtube',
    source: 'video',
    title: 'YouTube Data API',
    dates: 'exact',
    sample: 'music',
    terms:
      'A key with 100 searches a day for each project; what is kept is to be refreshed or deleted within 30 days.',
    pace: { perMinute: 60, burst: 10 },
    wordings: 'own',
    ttlMs: HOUR,
    allowance: { most: 100, unit: 'searches', zone: 'America/Los_Angeles' },
  },
  // biome-ignore format: one row for each
  variables: {
    apiKey: variable('YOUTUBE_API_KEY', anyText, 'a key of the YouTube Data API', { needed: true, secret: 'whole' }),
  },
  make: (settings, { at }) => youtube({ ...settings, at }),
});

export function youtube(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://www.googleapis.com' } = settings;
  return {
    ...YOUTUBE.facts,
    async find(query, context) {
      const videos = await searchVideos({ apiKey, at }, query, context);
      const reactions = await readReactions({ apiKey, at }, [...videos.keys()], limitSideRequests(context));
      return Array.from(videos, ([id, item]) => {
        const engagement = reactions.get(id);
        return engagement === undefined ? item : { ...item, engagement };
      });
    },
  };
}

type YoutubeAccess = { apiKey: string; at: string };

async function searchVideos(
  access: YoutubeAccess,
  query: SourceQuery,
  context: AdapterContext,
): Promise<Map<string, FoundItem>> {
  const most = Math.min(query.limit, MAX_PAGE_SIZE);
  const url = buildEndpoint(access.at, 'youtube/v3/search', {
    part: 'snippet',
    type: 'video',
    q: shortenPrompt(query.prompt),
    maxResults: String(most),
    order: query.from === undefined ? 'relevance' : 'date',
    safeSearch: 'moderate',
    ...(query.from === undefined ? {} : { publishedAfter: query.from.toISOString() }),
    publishedBefore: query.to.toISOString(),
  });
  await context.spend(1);
  const items = readItems(await context.ask({ url, headers: buildHeaders(access), reads: [400, 403, 429] }));
  reportIfFull(context, items, most);
  return new Map(
    parseFittingItems(items, videoItem).map(({ id: { videoId }, snippet }) => [
      videoId,
      {
        source: 'video',
        title: toTitle(snippet.title),
        link: `https://www.youtube.com/watch?v=${videoId}`,
        snippet: toExcerpt(toPlainText(snippet.description)),
        summaryDescription: '',
        publishedAt: parsePublishedAt(snippet.publishedAt),
      },
    ]),
  );
}

/** Likes and comments by video, in one request that costs no search. Optional: skipped if it takes too long. */
async function readReactions(
  access: YoutubeAccess,
  ids: readonly string[],
  { ask }: AdapterContext,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const url = buildEndpoint(access.at, 'youtube/v3/videos', { part: 'statistics', id: ids.join(',') });
  try {
    const items = readItems(await ask({ url, headers: buildHeaders(access), reads: [400, 403, 429] }));
    return new Map(
      parseFittingItems(items, videoStatistics).flatMap(({ id, statistics: { likeCount, commentCount } }) =>
        likeCount === undefined && commentCount === undefined
          ? []
          : [[id, (likeCount ?? 0) + (commentCount ?? 0)] as const],
      ),
    );
  } catch (error) {
    if (error instanceof SourceDown) return new Map();
    throw error;
  }
}

/** As a header, since proxies log addresses. */
function buildHeaders({ apiKey }: YoutubeAccess): Record<string, string> {
  return { 'x-goog-api-key': apiKey };
}

function readItems({ status, text }: ProviderResponse): unknown[] {
  if (status === 200) return parsePayload(text, listPayload).items;
  const reasons = readErrorReasons(text);
  const says = (pattern: RegExp) => reasons.some((reason) => pattern.test(reason));
  if (says(/^quotaExceeded$|^dailyLimitExceeded|PerDay/i)) throw createQuotaOutage(`HTTP ${status}`);
  if (status === 429 || says(/^(?:user)?rateLimitExceeded$|^RATE_LIMIT_EXCEEDED$/i)) {
    throw new SourceDown('source_busy', { detail: `HTTP ${status}` });
  }
  if (says(/^keyInvalid$|^API_KEY_INVALID$|^keyExpired$/)) {
    throw new SourceDown('source_refused', { detail: 'invalid key' });
  }
  if (says(/^accessNotConfigured$|^SERVICE_DISABLED$|^API_KEY_SERVICE_BLOCKED$/)) {
    throw new SourceDown('source_refused', { detail: 'the key does not allow the YouTube Data API' });
  }
  throw new SourceDown('source_refused', { detail: `HTTP ${status}` });
}

function readErrorReasons(text: string): string[] {
  const { errors = [], details = [] } = tryParsePayload(text, errorPayload)?.error ?? {};
  return [
    ...errors.map(({ reason }) => reason),
    ...details.flatMap(({ reason, metadata }) => [reason, metadata?.quota_limit]),
  ].filter((reason) => reason !== undefined);
}
