/**
 * What a feed shows: the newest posts, links, spikes and changed answers of a scope, each once, and a mark that shows
 * whether there are newer items.
 */

import { randomUUID } from 'node:crypto';
import { type Matching, matchesAll } from '../archive/matching-items.ts';
import { type ArchivedItem, readArchivedItems } from '../archive/search-archive.ts';
import type { Id, Pooled, Reads } from '../db/database.ts';
import { readOrInsertFact } from '../db/facts.ts';
import { rowsOf } from '../db/statement.ts';
import type { DataScope } from './data-scope.ts';
import {
  type DiscoveryFilter,
  type DiscoveryRow,
  readNewestDiscoveries,
  selectDiscoveries,
} from './discoveries.ts';
import { type DescribedDiscovery, describeDiscoveries } from './described-discoveries.ts';

/**
 * Scope of a feed: of a topic or of everything, each item once, as its first search found it; of a search, all items that it
 * found.
 */
export type FeedScope = DataScope & { matching?: Matching | undefined };

/** A discovery with its post or link; null for spikes and answers. */
export type FeedItem = { discovery: DescribedDiscovery; thing: ArchivedItem | null };

/** The newest discovery of a scope; zero and null if there is none. */
type FeedMark = { id: Id; at: Date | null };

/** Items of baselines are not new, as for rules. A query is about posts and links. */
function describeFeed(scope: FeedScope): DiscoveryFilter {
  const kind = matchesAll(scope.matching) ? FEED_KINDS : FEED_KINDS.slice(0, 2);
  return { ...scope, baseline: false, kind, view: scope.search === undefined ? 'topic' : 'search' };
}

const FEED_KINDS = ['post', 'link', 'spike', 'completion'] as const;

/**
 * The newest discovery of a scope, whether or not it matches the query: as long as it is the same, so is the feed, but for
 * counters. One read by an index.
 */
export async function readFeedMark(db: Pooled, scope: FeedScope): Promise<FeedMark> {
  const newest = await selectDiscoveries(db, { ...describeFeed(scope), matching: undefined }, 1);
  const [mark] = await rowsOf<FeedMark>(db.pool, newest);
  return mark ?? { id: 0n, at: null };
}

/** The items of a feed, newest first. Of several topics, the first that reported an item. */
export async function readFeedItems(
  db: Reads,
  { limit, ...scope }: FeedScope & { limit: number },
): Promise<FeedItem[]> {
  const isAll = scope.topic === undefined && scope.search === undefined;
  const feed = { ...describeFeed(scope), ...(isAll ? { view: 'all' as const } : {}) };
  const rows = await describeDiscoveries(db, await readNewestDiscoveries(db, { ...feed, limit }));
  const named = rows.map((row) => ({ row, ...nameThing(row) }));
  const things = new Map(
    (
      await readArchivedItems(
        db,
        named.flatMap(({ kind, thing }) => (thing === null ? [] : [{ kind, thing }])),
      )
    ).map((thing) => [`${thing.kind} ${thing.id}`, thing]),
  );
  return named.map(({ row, kind, thing }) => ({
    discovery: row,
    thing: things.get(`${kind} ${thing}`) ?? null,
  }));
}

/** A link that names a post is shown as that post. */
function nameThing(row: DiscoveryRow): { kind: string; thing: Id | null } {
  const post = row.named_post_id ?? row.post_id;
  return post === null ? { kind: 'link', thing: row.link_id } : { kind: 'post', thing: post };
}

/** The namespace of the ids of this database's entries. */
export async function readFeedNamespace({ pool }: Pooled, now: Date): Promise<string> {
  return readOrInsertFact(pool, 'feed_namespace', randomUUID(), now);
}
