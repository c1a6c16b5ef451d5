/** Links found by searches; for one link its addresses, ranks over time, and the completions and posts that contain it. */

import type { Source } from '../../model/enumerations.ts';
import { amongIds, type Id, type Orm, type Pooled, type Reads, prepareOnce } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import { linkSourcesView, linksView } from '../schema/analytics-views.ts';
import { postTimeSql } from '../volume/post-time.ts';
import { inOrderOf } from './view-conditions.ts';
import { asc, eq, sql } from 'drizzle-orm';

export type LinkRow = typeof linksView.$inferSelect;

export type LinkSourceRow = typeof linkSourcesView.$inferSelect;

export async function readLink(db: Orm, id: Id): Promise<LinkRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'link', () =>
    db.orm
      .select()
      .from(linksView)
      .where(eq(linksView.id, sql.placeholder('key'))),
  ).execute({ key: id });
  return row;
}

/** Links with these IDs, in the order of `ids`; unknown IDs are left out. */
export async function readLinksByIds({ orm }: Orm, ids: readonly Id[]): Promise<LinkRow[]> {
  if (ids.length === 0) return [];
  const view = linksView;
  const rows = await prepareOnce(orm, 'links_of', () =>
    orm.select().from(view).where(amongIds(view.id)),
  ).execute({ ids: [...new Set(ids)] });
  return inOrderOf([...new Set(ids)], rows, ({ id }) => id);
}

/** All addresses of a link, in alphabetical order. */
export async function readLinkAddresses({ pool }: Pooled, linkId: Id): Promise<string[]> {
  const { rows } = await execute<{ address: string }>(
    pool,
    statement`SELECT address FROM strandline.link_addresses WHERE link_id = ${linkId} ORDER BY address LIMIT 200`,
  );
  return rows.map(({ address }) => address);
}

/** The searches that found a link, the first finder first. */
export async function readLinkSources({ orm }: Reads, linkId: Id): Promise<LinkSourceRow[]> {
  const view = linkSourcesView;
  return orm.select().from(view).where(eq(view.link_id, linkId)).orderBy(asc(view.nth)).limit(100);
}

export type LinkRank = {
  search: string;
  run_id: Id;
  observed_at: Date;
  /** Source group, and ranks in it and in the whole response, from 1; null if the response did not contain it. */
  source: Source | null;
  rank: number | null;
  place: number | null;
};

/** The ranks of a link per run, oldest first: the newest runs of each of the first ten searches that found it. */
export async function readLinkRanks({ pool }: Pooled, linkId: Id): Promise<LinkRank[]> {
  // Like the view `link_ranks`, but also with runs that did not return the link.
  return rowsOf<LinkRank>(
    pool,
    statement`SELECT q.slug AS search, r.id AS run_id, r.ended_at AS observed_at, u.source, u.place,
        (SELECT count(*)::int FROM unnest(rr.link_sources[1:u.place]) AS b(source) WHERE b.source = u.source) AS rank
      FROM (SELECT * FROM strandline.link_sightings WHERE link_id = ${linkId} ORDER BY first_seen_at LIMIT 10) s
      JOIN strandline.searches q ON q.id = s.search_id
      CROSS JOIN LATERAL (
        SELECT id, ended_at FROM strandline.runs
        WHERE search_id = s.search_id AND id >= s.first_run_id AND status = 'succeeded' ORDER BY id DESC LIMIT 100
      ) r
      JOIN strandline.run_results rr ON rr.run_id = r.id
      CROSS JOIN LATERAL (SELECT p.place, rr.link_sources[p.place] AS source FROM (SELECT array_position(rr.link_ids, s.link_id) AS place) p) u
      ORDER BY r.ended_at, r.id`,
  );
}

export type Citing = {
  completion_id: Id;
  run_id: Id;
  search: string;
  topic: string;
  observed_at: Date;
  summary: string | null;
};

/** The newest completions that cite a link. */
export async function readCiting({ pool }: Pooled, linkId: Id): Promise<Citing[]> {
  // Bounded both ways: by the link if few completions cite it, by the newest if many do.
  return rowsOf<Citing>(
    pool,
    statement`SELECT c.id AS completion_id, c.run_id, q.slug AS search, t.slug AS topic, c.observed_at,
        left(coalesce(c.summary, c.microblog_summary, c.discussion_board_summary, c.news_forum_summary), 400) AS summary
      FROM strandline.completions c
      JOIN strandline.searches q ON q.id = c.search_id
      JOIN strandline.topics t ON t.id = q.topic_id
      WHERE c.completion_links @> ARRAY[${linkId}::bigint]
      ORDER BY c.observed_at DESC, c.run_id DESC LIMIT 20`,
  );
}

export type PostWithLink = {
  id: Id;
  author_id: Id | null;
  author_username: string | null;
  text: string;
  created_at: Date | null;
  like_count: number | null;
};

/** The newest posts with one of the link's addresses in their text. */
export async function readPostsWithLink({ pool }: Pooled, linkId: Id): Promise<PostWithLink[]> {
  return rowsOf<PostWithLink>(
    pool,
    statement`SELECT p.id, p.author_id, a.username AS author_username, p.text, p.created_at, c.like_count::float8 AS like_count
      FROM strandline.posts p LEFT JOIN strandline.authors a ON a.id = p.author_id
      LEFT JOIN strandline.post_counters c ON c.post_id = p.id
      WHERE p.id IN (SELECT post_id FROM strandline.post_links WHERE link_id = ${linkId})
      ORDER BY ${verbatim(postTimeSql('p'))} DESC, p.id DESC LIMIT 20`,
  );
}
