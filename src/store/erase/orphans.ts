/**
 * Orphans: posts, links and authors that nothing holds any more (`holds` in `references.ts`) once some searches do not count.
 * A purge deletes them and its preview counts them by the same statements; forgetting an author does so with the links of their
 * posts. Expired rows hold nothing, so retention leaves no orphans.
 *
 * Some references have no index. They are found before saves are blocked; while saves are blocked, only rows saved since then are
 * read. (An edit of an older post in between, which adds a reference to a post that disappears, is not seen.)
 */
import {
  type Database,
  type Id,
  inTransaction,
  onlyRow,
  type Queryable,
  selectIds,
  type Transaction,
} from '../db/database.ts';
import { lockSaves } from './forget-lock.ts';

const S = 'strandline';

/** The newest rows. Whatever is saved later has higher keys, because no save is in progress. */
export type Marks = { post: Id; completion: Id; discovery: Id };

export async function readMarks(db: Database): Promise<Marks> {
  return inTransaction(db, async (tx) => {
    await lockSaves(tx);
    return readMarksNow(tx);
  });
}

/** The same, while saves are blocked. */
export async function readMarksNow(tx: Transaction): Promise<Marks> {
  const newest = (table: string) => `(SELECT coalesce(max(id), 0) FROM ${S}.${table})`;
  const { rows } = await tx.query<Marks>(
    `SELECT ${newest('posts')} AS post, ${newest('completions')} AS completion, ${newest('discoveries')} AS discovery`,
  );
  return onlyRow(rows);
}

/** Posts that it quotes, reposts or replies to, by their IDs on the service. */
const refsSql = (post: string) =>
  `array_remove(ARRAY[${post}.quoted_status_id, ${post}.reposted_status_id, ${post}.in_reply_to_status_id], NULL)`;

/**
 * `leaving`: the posts of a set that only searches of $1 found, with the posts that only such posts refer to. A post that a
 * remaining post refers to, however indirectly, remains, too. Scans all posts once. @param seen a set of keys of posts
 */
const leavingSql = (seen: string) => `
candidates AS (
  SELECT p.id, p.service_id, p.external_id, p.author_id, ${refsSql('p')} AS refs FROM ${S}.posts p
  WHERE p.id IN (${seen}) AND ${isUnfoundSql('p')}
  UNION
  SELECT p.id, p.service_id, p.external_id, p.author_id, ${refsSql('p')}
  FROM candidates c CROSS JOIN LATERAL unnest(c.refs) r(external_id)
  JOIN ${S}.posts p ON p.service_id = c.service_id AND p.external_id = r.external_id
  WHERE ${isUnfoundSql('p')}
), referrers AS MATERIALIZED (
  SELECT c.id, q.id AS by FROM ${S}.posts q CROSS JOIN LATERAL unnest(${refsSql('q')}) r(external_id)
  JOIN candidates c ON c.service_id = q.service_id AND c.external_id = r.external_id
), staying AS (
  SELECT r.id FROM referrers r WHERE NOT EXISTS (SELECT FROM candidates c WHERE c.id = r.by)
  UNION SELECT r.id FROM staying s JOIN referrers r ON r.by = s.id
), leaving AS MATERIALIZED (
  SELECT id, service_id, external_id, author_id FROM candidates c WHERE NOT EXISTS (SELECT FROM staying s WHERE s.id = c.id)
)`;

const isUnfoundSql = (post: string) =>
  `NOT EXISTS (SELECT FROM ${S}.post_sightings o WHERE o.post_id = ${post}.id AND o.search_id <> ALL ($1::bigint[]))`;

/** All links that completions name. @param which a condition on completions `c` */
const citedSql = (which: string) => `
SELECT u.id FROM ${S}.completions c CROSS JOIN LATERAL (
  SELECT unnest(c.completion_links || c.search_completion_links)
  UNION SELECT link_id FROM ${S}.key_items WHERE completion_id = c.id AND link_id IS NOT NULL
  UNION SELECT unnest(link_ids) FROM ${S}.completion_claims WHERE completion_id = c.id
) u(id) WHERE ${which}`;

/**
 * The links of a set that only searches of $1 found or cite, and that no remaining post contains.
 * @param leaving a set of keys of posts that do not count
 * @param since completions are searched for what no index finds only after this one
 */
const orphanLinksSql = (links: string, leaving: string, since: string) => `
SELECT l.id FROM ${S}.links l WHERE l.id IN (${links})
  AND NOT EXISTS (SELECT FROM ${S}.link_sightings s WHERE s.link_id = l.id AND s.search_id <> ALL ($1::bigint[]))
  AND NOT EXISTS (SELECT FROM ${S}.post_links p LEFT JOIN (${leaving}) v(id) ON v.id = p.post_id
    WHERE p.link_id = l.id AND v.id IS NULL)
  AND NOT EXISTS (SELECT FROM ${S}.key_items k JOIN ${S}.completions c ON c.id = k.completion_id
    WHERE k.link_id = l.id AND c.search_id <> ALL ($1::bigint[]))
  AND NOT EXISTS (
    SELECT FROM (${citedSql(`c.id > ${since} AND c.search_id <> ALL ($1::bigint[])`)}) cited WHERE cited.id = l.id)`;

/** What a purge deletes. */
export type PurgeCounts = {
  searches: number;
  runs: number;
  completions: number;
  posts: number;
  links: number;
};

/** $1 searches. */
const COUNT_PURGE = `
WITH RECURSIVE ${leavingSql(`SELECT post_id FROM ${S}.post_sightings WHERE search_id = ANY ($1::bigint[])`)}, named AS MATERIALIZED (
  SELECT link_id AS id FROM ${S}.link_sightings WHERE search_id = ANY ($1::bigint[])
  UNION SELECT link_id FROM ${S}.post_links WHERE post_id IN (SELECT id FROM leaving)
  UNION ${citedSql('c.search_id = ANY ($1::bigint[])')}
)
SELECT cardinality($1::bigint[]) AS searches,
  (SELECT count(*)::int FROM ${S}.runs WHERE search_id = ANY ($1::bigint[])) AS runs,
  (SELECT count(*)::int FROM ${S}.completions WHERE search_id = ANY ($1::bigint[])) AS completions,
  (SELECT count(*)::int FROM leaving) AS posts,
  (SELECT count(*)::int FROM (${orphanLinksSql('SELECT id FROM named', 'SELECT id FROM leaving', '0')}) l) AS links`;

export async function countPurge(db: Queryable, searchIds: readonly Id[]): Promise<PurgeCounts> {
  const { rows } = await db.query<PurgeCounts>(COUNT_PURGE, [searchIds]);
  return onlyRow(rows);
}

export type LeavingPost = { id: Id; service_id: Id; external_id: string; author_id: Id | null };

const SELECT_LEAVING = `WITH RECURSIVE ${leavingSql('SELECT unnest($2::bigint[])')} SELECT * FROM leaving`;

/** Which posts of a search are deleted with it: posts that only this search found, and posts that only such posts refer to. */
export async function findLeavingPosts(
  db: Queryable,
  searchId: Id,
  seen: readonly Id[],
): Promise<LeavingPost[]> {
  return (await db.query<LeavingPost>(SELECT_LEAVING, [[searchId], seen])).rows;
}

/** What holds posts and was saved later: sightings, each of which has a discovery, and references. $1 search, $2 discovery, $3 post. */
const SELECT_HOLDERS_SINCE = `
SELECT thing AS id, NULL AS external_id FROM ${S}.discoveries WHERE id > $2 AND kind = 'post' AND search_id <> $1
UNION ALL SELECT NULL, r.external_id FROM ${S}.posts q CROSS JOIN LATERAL unnest(${refsSql('q')}) r(external_id) WHERE q.id > $3`;

/** Whether something that was saved since the marks holds one of these posts. */
export async function areHeldSince(
  tx: Transaction,
  searchId: Id,
  posts: { ids: ReadonlySet<Id>; externalIds: ReadonlySet<string> },
  { discovery, post }: Marks,
): Promise<boolean> {
  const { rows } = await tx.query<{ id: Id | null; external_id: string | null }>(SELECT_HOLDERS_SINCE, [
    searchId,
    discovery,
    post,
  ]);
  return rows.some(
    ({ id, external_id: name }) =>
      (id !== null && posts.ids.has(id)) || (name !== null && posts.externalIds.has(name)),
  );
}

/** $2 links, $3 posts that do not count, $4 a completion. */
const SELECT_ORPHAN_LINKS = orphanLinksSql(
  'SELECT unnest($2::bigint[])',
  'SELECT unnest($3::bigint[])',
  '$4::bigint',
);

/** The links that only the given searches and posts hold. @param since by default, all completions are searched */
export async function findOrphanLinks(
  db: Queryable,
  linkIds: readonly Id[],
  { searchIds = [], postIds = [] }: { searchIds?: readonly Id[]; postIds?: readonly Id[] },
  since?: Marks,
): Promise<Id[]> {
  if (linkIds.length === 0) return [];
  return selectIds(db, SELECT_ORPHAN_LINKS, [searchIds, linkIds, postIds, since?.completion ?? 0n]);
}

/** The links in the text of posts. */
export async function listContained(db: Queryable, postIds: readonly Id[]): Promise<Id[]> {
  return selectIds(
    db,
    `SELECT DISTINCT link_id AS id FROM ${S}.post_links WHERE post_id = ANY ($1::bigint[])`,
    [postIds],
  );
}

/** The links that the completions of runs name. */
export async function listCited(db: Queryable, runIds: readonly Id[]): Promise<Id[]> {
  return selectIds(db, `SELECT DISTINCT id FROM (${citedSql('c.run_id = ANY ($1::bigint[])')}) u`, [runIds]);
}

/** $1 authors, $2 posts that do not count. */
const SELECT_NAMED = `
SELECT DISTINCT author_id AS id FROM ${S}.post_versions
WHERE author_id = ANY ($1::bigint[]) AND post_id <> ALL ($2::bigint[])`;

/** The authors of these posts whom no earlier version of another post names. No index finds the versions. */
export async function findUnnamedAuthors(db: Queryable, posts: readonly LeavingPost[]): Promise<Set<Id>> {
  const authors = new Set(posts.flatMap(({ author_id: id }) => id ?? []));
  for (const id of await selectIds(db, SELECT_NAMED, [[...authors], posts.map((post) => post.id)]))
    authors.delete(id);
  return authors;
}

/** The authors without posts. */
export async function findOrphanAuthors(db: Queryable, authorIds: readonly Id[]): Promise<Id[]> {
  return selectIds(
    db,
    `SELECT a.id FROM ${S}.authors a WHERE a.id = ANY ($1::bigint[])
       AND NOT EXISTS (SELECT FROM ${S}.posts p WHERE p.author_id = a.id)`,
    [authorIds],
  );
}
