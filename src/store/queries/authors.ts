/** One author: profile, counters over time, and typical engagement. */
import { engagementSql } from '../../model/counters.ts';
import { desc, eq, sql } from 'drizzle-orm';
import { type Id, type Orm, type Pooled, type Reads, prepareOnce } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { sumEngagementColumns } from '../schema/growth-tables.ts';
import {
  authorSnapshotsView,
  authorVersionsView,
  authorsView,
  postsView,
} from '../schema/analytics-views.ts';
import type { PostRow } from './post-detail.ts';

export type AuthorRow = typeof authorsView.$inferSelect;
export type AuthorSnapshotRow = typeof authorSnapshotsView.$inferSelect;

export async function readAuthor(db: Orm, id: Id): Promise<AuthorRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'author', () =>
    db.orm
      .select()
      .from(authorsView)
      .where(eq(authorsView.id, sql.placeholder('key'))),
  ).execute({ key: id });
  return row;
}

/** Authors with this username, in any case. */
export async function findAuthorsNamed(
  { pool }: Pooled,
  username: string,
): Promise<{ id: Id; service: string }[]> {
  return rowsOf<{ id: Id; service: string }>(
    pool,
    statement`SELECT a.id, s.name AS service FROM strandline.authors a JOIN strandline.services s ON s.id = a.service_id
      WHERE lower(a.username) = lower(${username}) ORDER BY a.id`,
  );
}

/** The latest changes of an author's counters, oldest first. */
export async function readAuthorSnapshots(
  { orm }: Reads,
  authorId: Id,
  limit = 500,
): Promise<AuthorSnapshotRow[]> {
  const view = authorSnapshotsView;
  const rows = await orm
    .select()
    .from(view)
    .where(eq(view.author_id, authorId))
    .orderBy(desc(view.observed_at))
    .limit(limit);
  return rows.toReversed();
}

type AuthorVersionRow = typeof authorVersionsView.$inferSelect;

/** The latest versions of an author, oldest first. */
export async function readAuthorVersions({ orm }: Reads, authorId: Id): Promise<AuthorVersionRow[]> {
  const view = authorVersionsView;
  const rows = await orm
    .select()
    .from(view)
    .where(eq(view.author_id, authorId))
    .orderBy(desc(view.valid_from))
    .limit(100);
  return rows.toReversed();
}

/** Posts of an author as last seen, by time or by engagement. */
export async function readAuthorPosts(
  { orm }: Reads,
  authorId: Id,
  { order, limit }: { order: 'newest' | 'engagement'; limit: number },
): Promise<PostRow[]> {
  const view = postsView;
  const by =
    order === 'newest' ? sql`least(${view.created_at}, ${view.first_seen_at})` : sumEngagementColumns(view);
  return orm
    .select()
    .from(view)
    .where(eq(view.author_id, authorId))
    .orderBy(sql`${by} desc nulls last`, desc(view.id))
    .limit(limit);
}

export type AuthorTopic = {
  topic: string;
  name: string;
  /** Posts of the author found by a search of the topic. */
  posts: number;
  searches: number;
  first_seen_at: Date;
  last_seen_at: Date;
};

/** Only this many of an author's newest posts are counted per topic. */
const MAX_AUTHOR_POSTS = 2_000;

/** Topics in which an author's newest 2,000 posts were found, most posts first. */
export async function readAuthorTopics({ pool }: Pooled, authorId: Id): Promise<AuthorTopic[]> {
  return rowsOf<AuthorTopic>(
    pool,
    statement`SELECT t.slug AS topic, t.name, count(DISTINCT s.post_id)::int AS posts, count(DISTINCT s.search_id)::int AS searches,
        min(s.first_seen_at) AS first_seen_at, max(s.first_seen_at) AS last_seen_at
      FROM (SELECT id FROM strandline.posts WHERE author_id = ${authorId} ORDER BY id DESC LIMIT ${MAX_AUTHOR_POSTS}) p
      JOIN strandline.post_sightings s ON s.post_id = p.id
      JOIN strandline.searches q ON q.id = s.search_id
      JOIN strandline.topics t ON t.id = q.topic_id
      GROUP BY t.id, t.slug, t.name ORDER BY posts DESC, t.slug LIMIT 50`,
  );
}

export type AuthorTypical = {
  hours: number;
  /** Posts of the author observed at this age. */
  posts: number;
  /** Medians; null with fewer than 5 known values. */
  engagement: number | null;
  like_count: number | null;
  view_count: number | null;
};

const medianSql = (value: string) =>
  verbatim(`CASE WHEN count(${value}) >= 5 THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY ${value}) END`);

/** Typical counters of an author's posts at each observed age. */
export async function readAuthorTypical({ pool }: Pooled, authorId: Id): Promise<AuthorTypical[]> {
  // Like `author_typical_engagement` of the view `post_at_age`: over the last 200 posts, each by its closest pair of
  // results.
  return rowsOf<AuthorTypical>(
    pool,
    statement`SELECT o.hours, count(*)::int AS posts, ${medianSql('o.engagement')} AS engagement, ${medianSql('o.like_count')} AS like_count,
        ${medianSql('o.view_count')} AS view_count
      FROM (
        SELECT DISTINCT ON (a.post_id, a.hours) a.hours, a.like_count, a.view_count,
          ${verbatim(engagementSql('a.'))} AS engagement
        FROM (SELECT id FROM strandline.posts WHERE author_id = ${authorId} ORDER BY id DESC LIMIT 200) p
        JOIN strandline.post_counters_at_age a ON a.post_id = p.id
        ORDER BY a.post_id, a.hours, a.after_at - a.before_at
      ) o GROUP BY o.hours ORDER BY o.hours`,
  );
}
