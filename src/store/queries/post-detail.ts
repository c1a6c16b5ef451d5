/** One post over time: what it had, who saw it, and where it stood. */
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database, Id, Reads } from '../database.ts';
import { postEngagementView, postsView } from '../schema/analytics/post-views.ts';
import { type PostRow, readPostsByIds } from './posts.ts';

/** A post by its key, also one that only stood inside others. */
export async function readPost({ orm }: Reads, id: Id): Promise<PostRow | undefined> {
  const [row] = await readPostsByIds({ orm }, [id]);
  return row;
}

/** Posts of a service by the ids that it gives, in no order; those that are not stored are not there. */
export async function readPostsByExternalId(
  { orm }: Reads,
  service: string,
  externalIds: readonly string[],
): Promise<PostRow[]> {
  if (externalIds.length === 0) return [];
  return orm
    .select()
    .from(postsView)
    .where(
      and(
        eq(postsView.service, sql.placeholder('service')),
        sql`${postsView.external_id} = any (${sql.placeholder('called')}::text[])`,
      ),
    )
    .prepare('posts_called')
    .execute({ service, called: externalIds });
}

export type EngagementRow = typeof postEngagementView.$inferSelect;

/** The newest changes of a post's counters, oldest first. */
export async function readEngagement({ orm }: Reads, postId: Id, limit = 500): Promise<EngagementRow[]> {
  const rows = await orm
    .select()
    .from(postEngagementView)
    .where(eq(postEngagementView.post_id, sql.placeholder('post')))
    .orderBy(desc(postEngagementView.observed_at))
    .limit(sql.placeholder('limit'))
    .prepare('engagement')
    .execute({ post: postId, limit });
  return rows.toReversed();
}

export type PostSighting = {
  search_id: Id;
  search: string;
  topic: string;
  first_run_id: Id;
  first_seen_at: Date;
  /** When the last answer of this search came that held it; null where that is not known. */
  last_seen_at: Date | null;
  /** The newest answer of this search does not hold it. */
  unseen: boolean;
};

/** $1 post, $2 most. */
const SELECT_POST_SIGHTINGS = `
SELECT s.search_id, q.slug AS search, t.slug AS topic, s.first_run_id, s.first_seen_at,
  coalesce(u.last_seen_at, l.at) AS last_seen_at, u.post_id IS NOT NULL AS unseen
FROM strandline.post_sightings s
JOIN strandline.searches q ON q.id = s.search_id
JOIN strandline.topics t ON t.id = q.topic_id
LEFT JOIN strandline.dropped_posts u ON u.search_id = s.search_id AND u.post_id = s.post_id
LEFT JOIN strandline.latest_results l ON l.search_id = s.search_id
WHERE s.post_id = $1 ORDER BY s.first_seen_at, s.search_id LIMIT $2`;

/** The searches that saw a post, the first one first. */
export async function readPostSightings(
  { pool }: Pick<Database, 'pool'>,
  postId: Id,
  limit = 100,
): Promise<PostSighting[]> {
  const { rows } = await pool.query<PostSighting>(SELECT_POST_SIGHTINGS, [postId, limit]);
  return rows;
}

export type PostRank = {
  search: string;
  run_id: Id;
  observed_at: Date;
  /** Place number in the answer, from 1; null where the answer did not hold it. */
  rank: number | null;
  /** Posts in the answer. */
  posts: number;
};

/** Of each search the runs from the one that saw it first. $1 post, $2 most runs of a search. */
const SELECT_POST_RANKS = `
SELECT q.slug AS search, r.id AS run_id, r.ended_at AS observed_at,
  array_position(rr.post_ids, s.post_id) AS rank, cardinality(rr.post_ids) AS posts
FROM (SELECT * FROM strandline.post_sightings WHERE post_id = $1 ORDER BY first_seen_at LIMIT 10) s
JOIN strandline.searches q ON q.id = s.search_id
LEFT JOIN strandline.dropped_posts u ON u.search_id = s.search_id AND u.post_id = s.post_id
CROSS JOIN LATERAL (
  SELECT id, ended_at FROM strandline.runs
  WHERE search_id = s.search_id AND id >= s.first_run_id AND status = 'succeeded'
    AND (u.last_seen_at IS NULL OR started_at <= u.last_seen_at)
  ORDER BY id LIMIT $2
) r
JOIN strandline.run_results rr ON rr.run_id = r.id
ORDER BY r.ended_at, r.id`;

/**
 * Where each run returned a post, oldest first: of each of the first ten searches that saw it, the runs from its first
 * sighting to its last, at most `runs` of them.
 */
export async function readPostRanks(
  { pool }: Pick<Database, 'pool'>,
  postId: Id,
  runs = 100,
): Promise<PostRank[]> {
  const { rows } = await pool.query<PostRank>(SELECT_POST_RANKS, [postId, runs]);
  return rows;
}

/** $1 addresses. */
const SELECT_KNOWN_LINKS = `
SELECT a.address, a.link_id FROM strandline.link_addresses a WHERE a.address = ANY ($1::text[])
UNION SELECT l.canonical, l.id FROM strandline.links l WHERE l.canonical = ANY ($1::text[])`;

/** Which of these addresses are links that a search found, by address. */
export async function readLinksByAddress(
  { pool }: Pick<Database, 'pool'>,
  addresses: readonly string[],
): Promise<Map<string, Id>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await pool.query<{ address: string; link_id: Id }>(SELECT_KNOWN_LINKS, [addresses]);
  return new Map(rows.map(({ address, link_id }) => [address, link_id]));
}
