/** Implements the ports of the search service with the database: allowances and turns of its sources, and the archive. */

import { sumEngagement } from '../model/counters.ts';
import type { Clock } from '../platform/clock.ts';
import { SPECIFIED_AUTHOR_COUNTERS, forCounters, POST_COUNTERS } from '../model/counters.ts';
import { microblogPost } from '../protocol/specification.ts';
import type { Archive, PageCache, ServicePorts } from '../service/ports.ts';
import { toFoundPost } from '../service/sources/parse/post-fields.ts';
import type { FoundItem } from '../service/sources/search-source.ts';
import { MAX_CANDIDATES } from '../store/archive/archive-candidates.ts';
import { fillArchive } from '../store/archive/index-archive.ts';
import { type ArchiveHit, type StoredAuthor, searchArchive } from '../store/archive/search-archive.ts';
import type { Database } from '../store/db/database.ts';
import { readOpenedPage, writeOpenedPage } from '../store/services/opened-pages.ts';
import {
  readUsedAllowance,
  refundAllowance,
  reserveSourceTurn,
  takeAllowance,
} from '../store/services/source-pacing.ts';
import { z } from 'zod';

export function createServicePorts(db: Database, clock: Clock): ServicePorts {
  return {
    allowances: {
      take: (allowance, units) => takeAllowance(db, clock, allowance, units),
      refund: (allowance, units) => refundAllowance(db, allowance, units),
      used: (allowance) => readUsedAllowance(db, allowance),
    },
    turns: { next: (source, everyMs, maxWaitMs) => reserveSourceTurn(db, source, everyMs, maxWaitMs) },
    archive: openArchive(db),
    pages: openPageCache(db, clock),
  };
}

/** As other versions may have stored it. */
const cachedPage = z.object({
  page: z.object({
    title: z.string(),
    author: z.string().nullable(),
    language: z.string().nullable(),
    publishedAt: z.string().nullable(),
    paragraphs: z.array(z.string()),
  }),
  validators: z.record(z.string(), z.string()),
});

function openPageCache(db: Database, clock: Clock): PageCache {
  return {
    async read(address) {
      const row = await readOpenedPage(db, clock, address);
      const { data } = cachedPage.safeParse(row);
      return row === undefined || data === undefined ? undefined : { ...data, freshUntil: row.fresh_until };
    },
    write: (address, { page, validators, freshUntil }) =>
      writeOpenedPage(db, clock, address, { page, validators, fresh_until: freshUntil }),
  };
}

/** Batches to index before a search, under a second each; the rest is indexed later. */
const MAX_BATCHES_BEFORE_SEARCH = 2;

/** Collected results as a source of the service. Excludes the sandbox, whose data must not appear as real. */
export function openArchive(db: Database): Archive {
  return {
    find: async ({ prompt, newestWith, onFull, source, from, to, limit, signal }) => {
      await fillArchive(db, { batches: MAX_BATCHES_BEFORE_SEARCH, signal });
      signal.throwIfAborted();
      const wanted = { text: prompt, source, from, to, limit, newestWith } as const;
      const hits = await searchArchive(db, wanted);
      if (hits.length >= Math.min(limit, MAX_CANDIDATES)) onFull();
      return hits.flatMap((hit) => (hit.kind === 'post' ? foundPost(hit) : [foundLink(hit, source)]));
    },
  };
}

function foundLink({ link }: ArchiveHit & { kind: 'link' }, source: FoundItem['source']): FoundItem {
  return {
    source,
    title: link.title ?? '',
    link: link.url,
    snippet: link.snippet ?? '',
    summaryDescription: link.summary_description ?? '',
    // Links often have no publication time: use the time of the first sighting.
    publishedAt: link.published_at ?? link.first_seen_at,
  };
}

/** Skips incomplete posts (unknown author or time) and posts without a URL. */
function foundPost({ post, author }: ArchiveHit & { kind: 'post' }): FoundItem[] {
  if (author === null) return [];
  const read = microblogPost.safeParse({
    ...post,
    // Stored counters are outdated.
    ...forCounters(POST_COUNTERS, () => null),
    id: post.external_id,
    user: userOf(author),
    created_at: post.created_at?.toISOString(),
    is_quote_post: post.is_quote_post ?? false,
    is_repost: post.is_repost ?? false,
    summary_description: post.summary_description ?? '',
  });
  const engagement = sumEngagement(post);
  const counted = engagement === undefined ? {} : { engagement };
  return read.success ? toFoundPost(read.data).map((item) => ({ ...item, ...counted })) : [];
}

function userOf(author: StoredAuthor) {
  return {
    ...author,
    id: author.external_id,
    username: author.username ?? '',
    name: author.name ?? '',
    created_at: author.created_at?.toISOString() ?? null,
    ...forCounters(SPECIFIED_AUTHOR_COUNTERS, () => null),
  };
}
