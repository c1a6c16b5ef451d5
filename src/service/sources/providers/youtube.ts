/** Videos through the YouTube Data API: exact dates, a key, and a hundred searches a day for all who share it. */
import { z } from 'zod';
import { HOUR } from '../../../engine/clock.ts';
import { SourceDown } from '../../outage.ts';
import type { Found, Query } from '../../source.ts';
import type { Adapter, Asking } from '../adapter.ts';
import { beside } from '../asking/beside.ts';
import type { Reply } from '../guard/ask.ts';
import { excerpt, plainText, titleOf } from '../reading/plain-text.ts';
import { publishedAt } from '../reading/published-at.ts';
import { fitting, optional, readAnswer } from '../reading/read-answer.ts';
import { usedUp } from '../reading/used-up.ts';
import { endpoint } from '../reading/web-address.ts';
import { briefly } from '../asking/words.ts';

/** The most of one page; a second page would cost another search. */
const PAGE_MAX = 50;

const answer = z.object({ items: z.array(z.unknown()) });
const video = z.object({
  id: z.object({ videoId: z.string().regex(/^[\w-]+$/) }),
  snippet: z.object({
    title: z.string().min(1),
    description: z.string().catch(''),
    publishedAt: z.string(),
  }),
});
const count = z.coerce.number().int().nonnegative();
const statistics = z.object({
  id: z.string(),
  // Either is left out where its owner does not show it.
  statistics: z.object({ likeCount: optional(count), commentCount: optional(count) }),
});
const failure = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: optional(z.string()) })).catch([]),
    details: z
      .array(
        z.object({
          reason: optional(z.string()),
          metadata: optional(z.object({ quota_limit: optional(z.string()) })),
        }),
      )
      .catch([]),
  }),
});

export function youtube(settings: { apiKey: string; at?: string | undefined }): Adapter {
  const { apiKey, at = 'https://www.googleapis.com' } = settings;
  return {
    name: 'youtube',
    source: 'video',
    title: 'YouTube Data API',
    dates: 'exact',
    terms:
      'A key with 100 searches a day for each project; what is kept is to be refreshed or deleted within 30 days.',
    pace: { perMinute: 60, burst: 10 },
    wordings: 'own',
    lifeMs: HOUR,
    allowance: { most: 100, unit: 'searches', zone: 'America/Los_Angeles' },
    async find(query, asking) {
      const found = await search({ apiKey, at }, query, asking);
      const reactions = await reactionsOf({ apiKey, at }, [...found.keys()], beside(asking));
      return Array.from(found, ([id, item]) => {
        const engagement = reactions.get(id);
        return engagement === undefined ? item : { ...item, engagement };
      });
    },
  };
}

type Door = { apiKey: string; at: string };

async function search(door: Door, query: Query, asking: Asking): Promise<Map<string, Found>> {
  const url = endpoint(door.at, 'youtube/v3/search', {
    part: 'snippet',
    type: 'video',
    q: briefly(query.prompt),
    maxResults: String(Math.min(query.limit, PAGE_MAX)),
    order: 'relevance',
    safeSearch: 'moderate',
    ...(query.from === undefined ? {} : { publishedAfter: query.from.toISOString() }),
    publishedBefore: query.to.toISOString(),
  });
  await asking.spend(1);
  const items = itemsOf(await asking.ask({ url, headers: headersOf(door), reads: [400, 403, 429] }));
  return new Map(
    fitting(items, video).map(({ id: { videoId }, snippet }) => [
      videoId,
      {
        source: 'video',
        title: titleOf(snippet.title),
        link: `https://www.youtube.com/watch?v=${videoId}`,
        snippet: excerpt(plainText(snippet.description)),
        summaryDescription: '',
        publishedAt: publishedAt(snippet.publishedAt),
      },
    ]),
  );
}

/** Likes and comments by video. They are asked in one request that is no search; without them, or where they do not come soon, nothing is lost. */
async function reactionsOf(
  door: Door,
  ids: readonly string[],
  { ask }: Asking,
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const url = endpoint(door.at, 'youtube/v3/videos', { part: 'statistics', id: ids.join(',') });
  try {
    const items = itemsOf(await ask({ url, headers: headersOf(door), reads: [400, 403, 429] }));
    return new Map(
      fitting(items, statistics).flatMap(({ id, statistics: { likeCount, commentCount } }) =>
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

/** In a header: addresses end up in the logs of whoever stands between. */
function headersOf({ apiKey }: Door): Record<string, string> {
  return { 'x-goog-api-key': apiKey };
}

function itemsOf({ status, text }: Reply): unknown[] {
  if (status === 200) return readAnswer(text, answer).items;
  const reasons = reasonsOf(text);
  const says = (pattern: RegExp) => reasons.some((reason) => pattern.test(reason));
  if (says(/^quotaExceeded$|^dailyLimitExceeded|PerDay/i)) throw usedUp(`answered ${status}`);
  if (status === 429 || says(/^(?:user)?rateLimitExceeded$|^RATE_LIMIT_EXCEEDED$/i)) {
    throw new SourceDown('source_busy', { detail: `answered ${status}` });
  }
  if (says(/^keyInvalid$|^API_KEY_INVALID$|^keyExpired$/)) {
    throw new SourceDown('source_refused', { detail: 'the key is not valid' });
  }
  if (says(/^accessNotConfigured$|^SERVICE_DISABLED$|^API_KEY_SERVICE_BLOCKED$/)) {
    throw new SourceDown('source_refused', { detail: 'the key is not for the YouTube Data API' });
  }
  throw new SourceDown('source_refused', { detail: `answered ${status}` });
}

function reasonsOf(text: string): string[] {
  try {
    const { errors, details } = readAnswer(text, failure).error;
    return [
      ...errors.map(({ reason }) => reason),
      ...details.flatMap(({ reason, metadata }) => [reason, metadata?.quota_limit]),
    ].filter((reason) => reason !== undefined);
  } catch {
    return [];
  }
}
