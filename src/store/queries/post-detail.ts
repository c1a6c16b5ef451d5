/** One post over time: counters, sightings and ranks. */
import { and, desc, eq, sql } from 'drizzle-orm';
import { identifyAddress, type OwnLinkRule } from '../../model/links/link-identity.ts';
import { amongIds, type Id, type Orm, type Pooled, prepareOnce, type Reads } from '../db/database.ts';
import { rowsOf, type Statement, statement } from '../db/statement.ts';
import { postEngagementView, postVersionsView, postsView } from '../schema/analytics-views.ts';

export type PostRow = typeof postsView.$inferSelect;

/** Posts by key, in no order. */
export async function readPostsByIds({ orm }: Orm, ids: readonly Id[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  const view = postsView;
  return prepareOnce(orm, 'posts_of', () => orm.select().from(view).where(amongIds(view.id))).execute({
    ids,
  });
}

/** A post by its key, including nested posts. */
export async function readPost(db: Orm, id: Id): Promise<PostRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'post', () =>
    db.orm
      .select()
      .from(postsView)
      .where(eq(postsView.id, sql.placeholder('key'))),
  ).execute({ key: id });
  return row;
}

type NamedPost = { id: Id; service: string };

/**
 * Posts with this address, also where it is spelled otherwise (another handle, another host of the site). A post that is a
 * place in a page is known by its exact address only, for which all posts are read.
 */
export async function findPostsAt(
  { pool }: Pooled,
  address: string,
  rules: readonly OwnLinkRule[],
): Promise<NamedPost[]> {
  const identity = identifyAddress(address, rules);
  if (identity === null) return [];
  const find = (where: Statement) =>
    rowsOf<NamedPost>(
      pool,
      statement`SELECT p.id, s.name AS service FROM strandline.posts p JOIN strandline.services s ON s.id = p.service_id
        WHERE ${where} ORDER BY p.id`,
    );
  const byKey = await find(statement`p.key = ${identity}`);
  return byKey.length > 0 ? byKey : find(statement`p.url = ${address}`);
}

/** Posts of a service by external ID, in no order; unknown ones are omitted. */
export async function readPostsByExternalId(
  { orm }: Reads,
  service: string,
  externalIds: readonly string[],
): Promise<PostRow[]> {
  if (externalIds.length === 0) return [];
  const view = postsView;
  return prepareOnce(orm, 'posts_called', () =>
    orm
      .select()
      .from(view)
      .where(
        and(
          eq(view.service, sql.placeholder('service')),
          sql`${view.external_id} = any (${sql.placeholder('called')}::text[])`,
        ),
      ),
  ).execute({ service, called: externalIds });
}

export type EngagementRow = typeof postEngagementView.$inferSelect;

/** The latest changes of a post's counters, oldest first. */
export async function readCounterChanges({ orm }: Reads, postId: Id, limit = 500): Promise<EngagementRow[]> {
  const view = postEngagementView;
  const rows = await prepareOnce(orm, 'engagement', () =>
    orm
      .select()
      .from(view)
      .where(eq(view.post_id, sql.placeholder('post')))
      .orderBy(desc(view.observed_at))
      .limit(sql.placeholder('limit')),
  ).execute({ post: postId, limit });
  return rows.toReversed();
}

type PostVersionRow = typeof postVersionsView.$inferSelect;

/** The latest versions of a post, oldest first. */
export async function readPostVersions({ orm }: Reads, postId: Id): Promise<PostVersionRow[]> {
  const view = postVersionsView;
  const rows = await orm
    .select()
    .from(view)
    .where(eq(view.post_id, postId))
    .orderBy(desc(view.valid_from))
    .limit(100);
  return rows.toReversed();
}

export type PostSighting = {
  search_id: Id;
  search: string;
  topic: string;
  first_run_id: Id;
  first_seen_at: Date;
  /** When this search last returned it; null if unknown. */
  last_seen_at: Date | null;
  /** Whether the newest result of this search does not contain it. */
  unseen: boolean;
};

const selectSightings = (postId: Id) => statement`
SELECT s.search_id, q.slug AS search, t.slug AS topic, s.first_run_id, s.first_seen_at,
  coalesce(u.last_seen_at, l.at) AS last_seen_at, u.post_id IS NOT NULL AS unseen
FROM strandline.post_sightings s
JOIN strandline.searches q ON q.id = s.search_id
JOIN strandline.topics t ON t.id = q.topic_id
LEFT JOIN strandline.dropped_posts u ON u.search_id = s.search_id AND u.post_id = s.post_id
LEFT JOIN strandline.latest_results l ON l.search_id = s.search_id
WHERE s.post_id = ${postId} ORDER BY s.first_seen_at, s.search_id LIMIT 100`;

/** The searches that saw a post, in order of their first sighting. */
export async function readPostSightings({ pool }: Pooled, postId: Id): Promise<PostSighting[]> {
  return rowsOf<PostSighting>(pool, selectSightings(postId));
}

export type PostRank = {
  search: string;
  run_id: Id;
  observed_at: Date;
  /** Rank in the response, from 1; null if it did not contain the post. */
  rank: number | null;
  /** Number of posts in the response. */
  posts: number;
};

/** For each search, its runs since the first sighting. */
const selectRanks = (postId: Id) => statement`
SELECT q.slug AS search, r.id AS run_id, r.ended_at AS observed_at,
  array_position(rr.post_ids, s.post_id) AS rank, cardinality(rr.post_ids) AS posts
FROM (SELECT * FROM strandline.post_sightings WHERE post_id = ${postId} ORDER BY first_seen_at LIMIT 10) s
JOIN strandline.searches q ON q.id = s.search_id
LEFT JOIN strandline.dropped_posts u ON u.search_id = s.search_id AND u.post_id = s.post_id
CROSS JOIN LATERAL (
  SELECT id, ended_at FROM strandline.runs
  WHERE search_id = s.search_id AND id >= s.first_run_id AND status = 'succeeded'
    AND (u.last_seen_at IS NULL OR started_at <= u.last_seen_at)
  ORDER BY id LIMIT 100
) r
JOIN strandline.run_results rr ON rr.run_id = r.id
ORDER BY r.ended_at, r.id`;

/**
 * The ranks of a post per run, oldest first: for each of the first ten searches that saw it, the runs from its first
 * sighting to its last, at most 100.
 */
export async function readPostRanks({ pool }: Pooled, postId: Id): Promise<PostRank[]> {
  return rowsOf<PostRank>(pool, selectRanks(postId));
}
