/**
 * Which posts and links disappear with a search that is purged, and which stay because something else has them.
 *
 * Some references have no index. They are found before saves are blocked; while they are, only what was saved since then is
 * read. (An edit of an older post in between, which adds a reference to one that disappears, is not seen.)
 */
import { addToGroup, type Groups } from '../../lib/group-by.ts';
import {
  type Database,
  type Id,
  inTransaction,
  type Queryable,
  type Transaction,
  onlyRow,
  selectIds,
} from '../db/database.ts';
import { lockSaves } from './forget-lock.ts';

/** The newest post and completion. Whatever is saved later has a higher ID, because no save is in progress. */
export type Marks = { post: Id; completion: Id };

export async function readMarks(db: Database): Promise<Marks> {
  return inTransaction(db, async (tx) => {
    await lockSaves(tx);
    const { rows } = await tx.query<Marks>(
      `SELECT (SELECT coalesce(max(id), 0) FROM strandline.posts) AS post,
         (SELECT coalesce(max(id), 0) FROM strandline.completions) AS completion`,
    );
    return onlyRow(rows);
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
  AND l.id NOT IN (
    SELECT u.id FROM strandline.completions c CROSS JOIN LATERAL unnest(c.completion_links || c.search_completion_links) u(id)
    WHERE c.id > $5 AND c.run_id <> ALL ($4::bigint[])
    UNION ALL
    SELECT u.id FROM strandline.completion_claims m JOIN strandline.completions c ON c.id = m.completion_id
    CROSS JOIN LATERAL unnest(m.link_ids) u(id) WHERE c.id > $5 AND c.run_id <> ALL ($4::bigint[]))`;

/** What disappears together with links. */
type Leaving = { searchId?: Id; postIds?: readonly Id[]; runIds?: readonly Id[] };

export async function findOrphans(
  db: Queryable,
  linkIds: readonly Id[],
  { searchId, postIds = [], runIds = [] }: Leaving,
  { completion }: Marks,
): Promise<Id[]> {
  if (linkIds.length === 0) return [];
  return selectIds(db, SELECT_ORPHANS, [linkIds, searchId ?? null, postIds, runIds, completion]);
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

/** $1 posts. */
export const SELECT_CONTAINED =
  'SELECT DISTINCT link_id AS id FROM strandline.post_links WHERE post_id = ANY ($1::bigint[])';

/** Which posts refer to others. $1 service, $2 only later posts are read, $3 IDs of the others. */
const SELECT_REFERRERS = `
SELECT q.id, named AS external_id FROM strandline.posts q CROSS JOIN LATERAL unnest(${refsSql('q')}) ref
JOIN unnest($3::text[]) named ON named = ref WHERE q.service_id = $1 AND q.id > $2`;

/** What a search leaves behind of some of its posts, as of one moment. */
export type PostPlan = {
  /** Posts that no other search found, and those that they refer to and none found; by their ID there. */
  posts: ReadonlyMap<string, LeavingPost>;
  /** Posts without a sighting, which leave with what refers to them: those of batches that are done, too. */
  nested: Set<Id>;
  /** The posts that refer to them, by their ID there. */
  referrers: ReadonlyMap<string, readonly Id[]>;
  /** Links that only they contain. */
  links: ReadonlySet<Id>;
  /** Those that are deleted. */
  gone: Set<Id>;
};

/** Reads each table once. @param seen posts that the search found */
export async function planPosts({ pool }: Database, searchId: Id, seen: readonly Id[]): Promise<PostPlan> {
  const { rows } = await pool.query<LeavingPost>(SELECT_LEAVING_POSTS, [searchId, seen]);
  const posts = new Map(rows.map((post) => [post.external_id, post]));
  const ids = rows.map(({ id }) => id);
  const own = new Set(seen);
  const referrers: Groups<string, Id> = new Map();
  for (const { id, external_id: name } of await readReferrers(pool, rows, 0n))
    addToGroup(referrers, name, id);
  const contained = await selectIds(pool, SELECT_CONTAINED, [ids]);
  return {
    posts,
    nested: new Set(ids.filter((id) => !own.has(id))),
    referrers,
    links: new Set(await findOrphans(pool, contained, { postIds: ids }, FROM_START)),
    gone: new Set(),
  };
}

async function readReferrers(db: Queryable, posts: readonly LeavingPost[], after: Id) {
  const names = posts.map(({ external_id }) => external_id);
  const values = [posts[0]?.service_id ?? null, after, names];
  return (await db.query<{ id: Id; external_id: string }>(SELECT_REFERRERS, values)).rows;
}

/** Posts that stay after all: their IDs, and IDs there of those that others refer to. */
type Staying = { found: ReadonlySet<Id>; referred: ReadonlySet<string> };

/** What was saved since the plan, while nothing else is saved. */
export async function findStaying(
  tx: Transaction,
  searchId: Id,
  posts: readonly LeavingPost[],
  { post: after }: Marks,
): Promise<Staying> {
  const found = await selectIds(
    tx,
    'SELECT post_id AS id FROM strandline.post_sightings WHERE post_id = ANY ($1::bigint[]) AND search_id <> $2',
    [posts.map(({ id }) => id), searchId],
  );
  const referrers = await readReferrers(tx, posts, after);
  return { found: new Set(found), referred: new Set(referrers.map(({ external_id }) => external_id)) };
}

const NOTHING_STAYS: Staying = { found: new Set(), referred: new Set() };

/** Of these posts, and the nested ones they refer to, those that leave now: no post that remains refers to them. */
export function selectLeaving(
  { posts, nested, referrers, gone }: PostPlan,
  ids: readonly Id[],
  { found, referred }: Staying = NOTHING_STAYS,
): LeavingPost[] {
  const wanted = new Set(ids);
  const leaving = new Map<Id, LeavingPost>();
  const named = ({ refs }: LeavingPost) => refs.flatMap((ref) => posts.get(ref) ?? []);
  const pending = [...posts.values()].filter(({ id }) => wanted.has(id));
  for (const post of pending) {
    if (found.has(post.id) || gone.has(post.id) || leaving.has(post.id)) continue;
    leaving.set(post.id, post);
    pending.push(...named(post).filter(({ id }) => nested.has(id)));
  }
  const isReferred = ({ external_id: name }: LeavingPost) =>
    referred.has(name) || (referrers.get(name) ?? []).some((id) => !leaving.has(id) && !gone.has(id));
  const staying = [...leaving.values()].filter(isReferred);
  for (const post of staying) if (leaving.delete(post.id)) staying.push(...named(post));
  return [...leaving.values()];
}
