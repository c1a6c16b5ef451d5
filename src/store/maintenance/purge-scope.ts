/**
 * Which posts and links disappear with a search that is purged, and which stay because something else has them.
 *
 * Some references have no index. They are found before saves are blocked; while they are, only what was saved since then is
 * read. (An edit of an older post in between, which adds a reference to one that disappears, is not seen.)
 */
import { type Database, type Id, inTransaction, type Transaction } from '../database.ts';

type Reader = Pick<Transaction, 'query'> | Database['pool'];

/** Blocks saves until the transaction ends. */
export async function lockSaves(tx: Transaction): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext('strandline.forget'))`);
}

/** The newest post and completion. Whatever is saved later has a higher ID, because no save is in progress. */
export type Marks = { post: Id; completion: Id };

export async function readMarks(db: Database): Promise<Marks> {
  return inTransaction(db, async (tx) => {
    await lockSaves(tx);
    const { rows } = await tx.query<Marks>(
      `SELECT (SELECT coalesce(max(id), 0) FROM strandline.posts) AS post,
         (SELECT coalesce(max(id), 0) FROM strandline.completions) AS completion`,
    );
    return rows[0] ?? FROM_START;
  });
}

export const FROM_START: Marks = { post: 0n, completion: 0n };

/**
 * Of these links, those that nothing else has: no search found them, no post contains them, no completion cites them. $1
 * links, $2 a search that does not count, $3 posts and $4 runs that do not count, $5 only later completions are checked for
 * citations that no index finds.
 */
const SELECT_ORPHANS = `
SELECT l.id FROM strandline.links l WHERE l.id = ANY ($1::bigint[])
  AND NOT EXISTS (SELECT FROM strandline.link_sightings s WHERE s.link_id = l.id AND s.search_id IS DISTINCT FROM $2)
  AND NOT EXISTS (SELECT FROM strandline.post_links p WHERE p.link_id = l.id AND p.post_id <> ALL ($3::bigint[]))
  AND NOT EXISTS (SELECT FROM strandline.key_items k JOIN strandline.completions c ON c.id = k.completion_id
    WHERE k.link_id = l.id AND c.run_id <> ALL ($4::bigint[]))
  AND l.id <> ALL (ARRAY(
    SELECT u.id FROM strandline.completions c CROSS JOIN LATERAL unnest(c.completion_links || c.search_completion_links) u(id)
    WHERE c.id > $5 AND c.run_id <> ALL ($4::bigint[])
      AND (c.completion_links && $1::bigint[] OR c.search_completion_links && $1::bigint[])
    UNION
    SELECT u.id FROM strandline.completion_claims m JOIN strandline.completions c ON c.id = m.completion_id
    CROSS JOIN LATERAL unnest(m.link_ids) u(id)
    WHERE c.id > $5 AND c.run_id <> ALL ($4::bigint[]) AND m.link_ids && $1::bigint[]))`;

/** What disappears together with links. */
type Leaving = { searchId?: Id; postIds?: readonly Id[]; runIds?: readonly Id[] };

export async function findOrphans(
  db: Reader,
  linkIds: readonly Id[],
  { searchId, postIds = [], runIds = [] }: Leaving,
  { completion }: Marks,
): Promise<Id[]> {
  if (linkIds.length === 0) return [];
  const { rows } = await db.query<{ id: Id }>(SELECT_ORPHANS, [
    linkIds,
    searchId ?? null,
    postIds,
    runIds,
    completion,
  ]);
  return rows.map(({ id }) => id);
}

export type LeavingPost = {
  id: Id;
  service_id: Id;
  external_id: string;
  author_id: Id | null;
  /** Posts that it quotes, reposts or replies to. */
  refs: string[];
};

const refsSql = (post: string) =>
  `array_remove(ARRAY[${post}.quoted_status_id, ${post}.reposted_status_id, ${post}.in_reply_to_status_id], NULL)`;

/** Posts that no other search found, and those nested in them that none found. $1 search, $2 posts. */
const SELECT_LEAVING_POSTS = `
WITH RECURSIVE leaving AS (
  SELECT p.id, p.service_id, p.external_id, p.author_id, ${refsSql('p')} AS refs FROM strandline.posts p
  WHERE p.id = ANY ($2::bigint[])
    AND NOT EXISTS (SELECT FROM strandline.post_sightings o WHERE o.post_id = p.id AND o.search_id <> $1)
  UNION
  SELECT p.id, p.service_id, p.external_id, p.author_id, ${refsSql('p')}
  FROM leaving g CROSS JOIN LATERAL unnest(g.refs) r(external_id)
  JOIN strandline.posts p ON p.service_id = g.service_id AND p.external_id = r.external_id
  WHERE NOT EXISTS (SELECT FROM strandline.post_sightings o WHERE o.post_id = p.id)
) SELECT * FROM leaving`;

export async function findLeavingPosts(
  { pool }: Database,
  searchId: Id,
  postIds: readonly Id[],
): Promise<LeavingPost[]> {
  return (await pool.query<LeavingPost>(SELECT_LEAVING_POSTS, [searchId, postIds])).rows;
}

/** What other posts quote, repost or reply to. $1 service, $2 only later posts are read, $3 posts that do not count, $4 IDs. */
const SELECT_REFERENCED = `
SELECT DISTINCT r.external_id FROM strandline.posts q CROSS JOIN LATERAL unnest(${refsSql('q')}) r(external_id)
WHERE q.service_id = $1 AND q.id > $2 AND q.id <> ALL ($3::bigint[]) AND r.external_id = ANY ($4::text[])`;

/** Leaves out posts that a remaining post refers to, and what these refer to. */
export async function dropReferenced(
  db: Reader,
  posts: readonly LeavingPost[],
  { post: after }: Marks,
): Promise<LeavingPost[]> {
  const [first] = posts;
  if (first === undefined) return [];
  const leaving = new Map(posts.map((post) => [post.external_id, post]));
  const { rows } = await db.query<{ external_id: string }>(SELECT_REFERENCED, [
    first.service_id,
    after,
    posts.map(({ id }) => id),
    [...leaving.keys()],
  ]);
  const kept = rows.map(({ external_id }) => external_id);
  for (const name of kept) {
    const post = leaving.get(name);
    leaving.delete(name);
    if (post !== undefined) kept.push(...post.refs);
  }
  return [...leaving.values()];
}
