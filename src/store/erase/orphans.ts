/**
 * Orphans: posts, links and authors that no row holds (`holds` in `references.ts`) if the rows of some searches are ignored.
 * A purge deletes orphans, and its preview counts them with the same statements; forgetting an author deletes the orphaned links
 * of the author's posts. Retention leaves no orphans, because the tables that expire hold nothing.
 *
 * Some references have no index. They are found before saves are blocked; while saves are blocked, only rows saved since then are
 * read. Limit: if a save adds a reference to an older post in between, the reference is not seen, and then refers to a post that
 * is deleted.
 */
import {
  type Database,
  type Id,
  inTransaction,
  onlyRow,
  type Queryable,
  type Transaction,
} from '../db/database.ts';
import { rowsOf, selectIds, type Statement, statement, verbatim } from '../db/statement.ts';
import type { posts } from '../schema/post-tables.ts';
import { lockSaves } from './save-lock.ts';

/** The greatest IDs of three tables while saves are blocked. A row that is saved later has a greater ID. */
type GreatestIds = { post: Id; completion: Id; discovery: Id };

export async function readGreatestIds(db: Database): Promise<GreatestIds> {
  return inTransaction(db, async (tx) => {
    await lockSaves(tx);
    return readGreatestIdsWhileLocked(tx);
  });
}

/** {@link readGreatestIds} for a transaction that blocks saves. */
export async function readGreatestIdsWhileLocked(tx: Transaction): Promise<GreatestIds> {
  const rows = await rowsOf<GreatestIds>(
    tx,
    statement`SELECT (SELECT coalesce(max(id), 0) FROM strandline.posts) AS post,
      (SELECT coalesce(max(id), 0) FROM strandline.completions) AS completion,
      (SELECT coalesce(max(id), 0) FROM strandline.discoveries) AS discovery`,
  );
  return onlyRow(rows);
}

/** Posts that it quotes, reposts or replies to, by their IDs on the service. */
const refsOf = (post: string): Statement =>
  verbatim(
    `array_remove(ARRAY[${post}.quoted_status_id, ${post}.reposted_status_id, ${post}.in_reply_to_status_id], NULL)`,
  );

/**
 * `leaving`: the posts in `seen` that only these searches found, and the posts that only such posts refer to, directly or through
 * other posts. Reads the whole table of posts once. @param seen a query of post IDs
 */
const findLeaving = (searchIds: readonly Id[], seen: Statement): Statement => statement`
candidates AS (
  SELECT p.id, p.service_id, p.external_id, p.author_id, ${refsOf('p')} AS refs FROM strandline.posts p
  WHERE p.id IN (${seen}) AND ${isOnlyFoundBy(searchIds)}
  UNION
  SELECT p.id, p.service_id, p.external_id, p.author_id, ${refsOf('p')}
  FROM candidates c CROSS JOIN LATERAL unnest(c.refs) r(external_id)
  JOIN strandline.posts p ON p.service_id = c.service_id AND p.external_id = r.external_id
  WHERE ${isOnlyFoundBy(searchIds)}
), referrers AS MATERIALIZED (
  SELECT c.id, q.id AS by FROM strandline.posts q CROSS JOIN LATERAL unnest(${refsOf('q')}) r(external_id)
  JOIN candidates c ON c.service_id = q.service_id AND c.external_id = r.external_id
), staying AS (
  SELECT r.id FROM referrers r WHERE NOT EXISTS (SELECT FROM candidates c WHERE c.id = r.by)
  UNION SELECT r.id FROM staying s JOIN referrers r ON r.by = s.id
), leaving AS MATERIALIZED (
  SELECT id, service_id, external_id, author_id FROM candidates c WHERE NOT EXISTS (SELECT FROM staying s WHERE s.id = c.id)
)`;

/** Whether only these searches found a post `p`. */
const isOnlyFoundBy = (searchIds: readonly Id[]): Statement =>
  statement`NOT EXISTS (
    SELECT FROM strandline.post_sightings o WHERE o.post_id = p.id AND o.search_id <> ALL (${searchIds}::bigint[]))`;

/** All links that completions name. @param which a condition on completions `c` */
const citedBy = (which: Statement): Statement => statement`
SELECT u.id FROM strandline.completions c CROSS JOIN LATERAL (
  SELECT unnest(c.completion_links || c.search_completion_links)
  UNION SELECT link_id FROM strandline.key_items WHERE completion_id = c.id AND link_id IS NOT NULL
  UNION SELECT unnest(link_ids) FROM strandline.completion_claims WHERE completion_id = c.id
) u(id) WHERE ${which}`;

/**
 * The links of a set that only these searches found or cite, and that no remaining post contains.
 * @param leaving a query of IDs of posts whose links are ignored
 * @param since of the completion columns that have no index, only completions with a greater ID are read; 0: all
 */
const orphansOfLinks = (
  links: Statement,
  { searchIds, leaving, since }: { searchIds: readonly Id[]; leaving: Statement; since: Id },
): Statement => statement`
SELECT l.id FROM strandline.links l WHERE l.id IN (${links})
  AND NOT EXISTS (
    SELECT FROM strandline.link_sightings s WHERE s.link_id = l.id AND s.search_id <> ALL (${searchIds}::bigint[]))
  AND NOT EXISTS (
    SELECT FROM strandline.post_links p LEFT JOIN (${leaving}) v(id) ON v.id = p.post_id WHERE p.link_id = l.id AND v.id IS NULL)
  AND NOT EXISTS (
    SELECT FROM strandline.key_items k JOIN strandline.completions c ON c.id = k.completion_id
    WHERE k.link_id = l.id AND c.search_id <> ALL (${searchIds}::bigint[]))
  AND NOT EXISTS (
    SELECT FROM (
      ${citedBy(statement`c.id > ${since}::bigint AND c.search_id <> ALL (${searchIds}::bigint[])`)}
    ) cited WHERE cited.id = l.id)`;

/** What a purge deletes. */
export type PurgeCounts = {
  searches: number;
  runs: number;
  completions: number;
  posts: number;
  links: number;
};

export async function countPurge(db: Queryable, searchIds: readonly Id[]): Promise<PurgeCounts> {
  const isOfSearch = statement`search_id = ANY (${searchIds}::bigint[])`;
  const orphans = orphansOfLinks(statement`SELECT id FROM named`, {
    searchIds,
    leaving: statement`SELECT id FROM leaving`,
    since: 0n,
  });
  const rows = await rowsOf<Omit<PurgeCounts, 'searches'>>(
    db,
    statement`WITH RECURSIVE ${findLeaving(searchIds, statement`SELECT post_id FROM strandline.post_sightings WHERE ${isOfSearch}`)},
      named AS MATERIALIZED (
        SELECT link_id AS id FROM strandline.link_sightings WHERE ${isOfSearch}
        UNION SELECT link_id FROM strandline.post_links WHERE post_id IN (SELECT id FROM leaving)
        UNION ${citedBy(statement`c.${isOfSearch}`)}
      )
      SELECT (SELECT count(*)::int FROM strandline.runs WHERE ${isOfSearch}) AS runs,
        (SELECT count(*)::int FROM strandline.completions WHERE ${isOfSearch}) AS completions,
        (SELECT count(*)::int FROM leaving) AS posts,
        (SELECT count(*)::int FROM (${orphans}) l) AS links`,
  );
  return { searches: searchIds.length, ...onlyRow(rows) };
}

type LeavingPost = Pick<typeof posts.$inferSelect, 'id' | 'service_id' | 'external_id' | 'author_id'>;

/** Which posts of a search are deleted with it: posts that only this search found, and posts that only such posts refer to. */
export async function findLeavingPosts(
  db: Queryable,
  searchId: Id,
  seen: readonly Id[],
): Promise<LeavingPost[]> {
  const leaving = findLeaving([searchId], statement`SELECT unnest(${seen}::bigint[])`);
  return rowsOf<LeavingPost>(db, statement`WITH RECURSIVE ${leaving} SELECT * FROM leaving`);
}

/** Whether a row that was saved after these IDs holds any of these posts: a sighting (found by its discovery) or a reference. */
export async function areHeldSince(
  tx: Transaction,
  searchId: Id,
  posts: { ids: ReadonlySet<Id>; externalIds: ReadonlySet<string> },
  { discovery, post }: GreatestIds,
): Promise<boolean> {
  const rows = await rowsOf<{ id: Id | null; external_id: string | null }>(
    tx,
    statement`SELECT thing AS id, NULL AS external_id FROM strandline.discoveries
      WHERE id > ${discovery} AND kind = 'post' AND search_id <> ${searchId}
      UNION ALL
      SELECT NULL, r.external_id FROM strandline.posts q CROSS JOIN LATERAL unnest(${refsOf('q')}) r(external_id)
      WHERE q.id > ${post}`,
  );
  return rows.some(
    ({ id, external_id: name }) =>
      (id !== null && posts.ids.has(id)) || (name !== null && posts.externalIds.has(name)),
  );
}

/** The links that only the given searches and posts hold. @param since by default, all completions are searched */
export async function findOrphanLinks(
  db: Queryable,
  linkIds: readonly Id[],
  { searchIds = [], postIds = [] }: { searchIds?: readonly Id[]; postIds?: readonly Id[] },
  since?: GreatestIds,
): Promise<Id[]> {
  if (linkIds.length === 0) return [];
  return selectIds(
    db,
    orphansOfLinks(statement`SELECT unnest(${linkIds}::bigint[])`, {
      searchIds,
      leaving: statement`SELECT unnest(${postIds}::bigint[])`,
      since: since?.completion ?? 0n,
    }),
  );
}

/** The links in the text of posts. */
export async function listContained(db: Queryable, postIds: readonly Id[]): Promise<Id[]> {
  return selectIds(
    db,
    statement`SELECT DISTINCT link_id AS id FROM strandline.post_links WHERE post_id = ANY (${postIds}::bigint[])`,
  );
}

/** The links that the completions of runs name. */
export async function listCited(db: Queryable, runIds: readonly Id[]): Promise<Id[]> {
  const cited = citedBy(statement`c.run_id = ANY (${runIds}::bigint[])`);
  return selectIds(db, statement`SELECT DISTINCT id FROM (${cited}) u`);
}

/** The authors of these posts whom no earlier version of another post names. No index finds the versions. */
export async function findUnnamedAuthors(db: Queryable, posts: readonly LeavingPost[]): Promise<Set<Id>> {
  const authors = new Set(posts.flatMap(({ author_id: id }) => id ?? []));
  const named = await selectIds(
    db,
    statement`SELECT DISTINCT author_id AS id FROM strandline.post_versions
      WHERE author_id = ANY (${[...authors]}::bigint[]) AND post_id <> ALL (${posts.map(({ id }) => id)}::bigint[])`,
  );
  for (const id of named) authors.delete(id);
  return authors;
}

/** The authors without posts. */
export async function findOrphanAuthors(db: Queryable, authorIds: readonly Id[]): Promise<Id[]> {
  return selectIds(
    db,
    statement`SELECT a.id FROM strandline.authors a
      WHERE a.id = ANY (${authorIds}::bigint[]) AND NOT EXISTS (SELECT FROM strandline.posts p WHERE p.author_id = a.id)`,
  );
}
