/** What a feed shows: the newest posts, links, spikes and changed answers of a scope, each once, and a mark that tells whether there are newer ones. */

import { randomUUID } from 'node:crypto';
import { buildMatchingSql, type Matching, matchesAll } from '../archive/matching-items.ts';
import { type ArchiveThing, readThings } from '../archive/search-archive.ts';
import { amongIds, type Id, type Pooled, prepareOnce, type Reads, selectIds } from '../db/database.ts';
import { readOrInsertFact } from '../db/instance-name.ts';
import { discoveriesView } from '../schema/analytics-views.ts';
import { type DataScope, SCOPED_SEARCHES_SQL, scopeValues } from './data-scope.ts';
import type { DiscoveryRow } from './discoveries.ts';
import { type DescribedDiscovery, describeDiscoveries } from './described-discoveries.ts';

/** Of a topic or of everything, each item once, as its first search found it; of a search, all that it found. */
export type FeedScope = DataScope & { matching?: Matching | undefined };

/** A discovery with its post or link; null for spikes and answers. */
export type FeedItem = { discovery: DescribedDiscovery; thing: ArchiveThing | null };

/** The newest discovery of a scope; zero and null if there is none. */
type FeedMark = { id: Id; at: Date | null };

const S = 'strandline';
/** On a discovery `d`. What was there at the start is not new, as for rules. $3 only what is first in its topic, $4 kinds. */
const WANTED_SQL = 'NOT d.baseline AND (NOT $3::boolean OR d.first_in_topic) AND d.kind = ANY ($4::text[])';

/** Of several topics, the first that reported it. */
const FIRST_OF_ALL_SQL = `NOT EXISTS (
  SELECT FROM ${S}.discoveries o
  WHERE o.kind = d.kind AND o.thing = d.thing AND o.id < d.id AND o.first_in_topic AND NOT o.baseline
)`;

/** By the index on the feed of each search. @param limit a parameter */
const ofSearchesSql = (columns: string, limit: string) => `
SELECT ${columns} FROM (${SCOPED_SEARCHES_SQL}) mine CROSS JOIN LATERAL (
  SELECT d.id, d.at FROM ${S}.discoveries d WHERE d.search_id = mine.id AND ${WANTED_SQL} ORDER BY d.id DESC LIMIT ${limit}
) f ORDER BY f.id DESC LIMIT ${limit}`;

/** By the primary key. $1 and $2 are null. */
const ofAllSql = (columns: string, condition: string, limit: string) => `
SELECT ${columns} FROM ${S}.discoveries f WHERE f.id = ANY (ARRAY(
  SELECT d.id FROM ${S}.discoveries d
  WHERE $1::text IS NULL AND $2::text IS NULL AND ${WANTED_SQL} AND ${condition} ORDER BY d.id DESC LIMIT ${limit}
)) ORDER BY f.id DESC`;

/** $5 limit. */
const matchingSql = (wanted: string, condition: string) => `
SELECT d.id FROM (${wanted}) w JOIN ${S}.discoveries d ON d.kind = w.kind AND d.thing = w.thing
  AND d.search_id = ANY (ARRAY(SELECT id FROM (${SCOPED_SEARCHES_SQL}) mine))
WHERE ${WANTED_SQL} AND ${condition} ORDER BY d.id DESC LIMIT $5`;

const isAll = ({ topic, search }: DataScope) => topic === undefined && search === undefined;

/** $1 to $4. A query is about posts and links. */
function valuesOf(scope: FeedScope): unknown[] {
  const kinds = matchesAll(scope.matching) ? ['post', 'link', 'spike', 'completion'] : ['post', 'link'];
  return [...scopeValues(scope), scope.search === undefined, kinds];
}

/**
 * The newest discovery of a scope, whether or not it matches the query: as long as it is the same, so is the feed, but for
 * counters. One read by an index.
 */
export async function readFeedMark({ pool }: Pooled, scope: FeedScope): Promise<FeedMark> {
  const all = isAll(scope);
  const { rows } = await pool.query<FeedMark>({
    name: all ? 'feed_mark_all' : 'feed_mark',
    text: all ? ofAllSql('f.id, f.at', 'true', '$5') : ofSearchesSql('f.id, f.at', '$5'),
    values: [...valuesOf(scope), 1],
  });
  return rows[0] ?? { id: 0n, at: null };
}

/** The items of a feed, newest first. */
export async function readFeedItems(
  db: Reads,
  { limit, ...scope }: FeedScope & { limit: number },
): Promise<FeedItem[]> {
  const all = isAll(scope);
  const values = [...valuesOf(scope), limit];
  const wanted = await buildMatchingSql(db, 'both', scope.matching, values);
  const once = all ? FIRST_OF_ALL_SQL : 'true';
  const unmatched = all ? ofAllSql('f.id', once, '$5') : ofSearchesSql('f.id', '$5');
  const ids = await selectIds(db.pool, wanted === '' ? unmatched : matchingSql(wanted, once), values);
  if (ids.length === 0) return [];
  const view = discoveriesView;
  const found = await prepareOnce(db.orm, 'discoveries_of_feed', () =>
    db.orm.select().from(view).where(amongIds(view.id)),
  ).execute({ ids });
  const rows = await describeDiscoveries(db, found);
  const named = rows.map((row) => ({ row, ...nameThing(row) }));
  const things = new Map(
    (
      await readThings(
        db,
        named.flatMap(({ kind, thing }) => (thing === null ? [] : [{ kind, thing }])),
      )
    ).map((thing) => [`${thing.kind} ${thing.id}`, thing]),
  );
  return named
    .map(({ row, kind, thing }) => ({ discovery: row, thing: things.get(`${kind} ${thing}`) ?? null }))
    .toSorted((a, b) => (a.discovery.id < b.discovery.id ? 1 : -1));
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
