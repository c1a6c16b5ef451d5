/**
 * Most frequent authors, hashtags, languages and domains over whole days (UTC), and those that several topics share.
 */

import type { Id, Pooled, Reads } from '../db/database.ts';
import { rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import { type DataScope, isInScope } from './data-scope.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';

/** A search or a topic; within a topic, each post counts once. Without either, all topics: once in each. */
type TopsFilter = DataScope & {
  /** Whole days (UTC); `until` is excluded. */
  from: Date;
  until: Date;
  limit: number;
  /**
   * Whether a name is one row over all services, as lists have its posts; `service_kind` is then that of any of them. Otherwise it
   * has a row per kind of service.
   */
  together?: boolean;
};

type Top = { service_kind: ServiceKind; posts: number };
type TopAuthor = Top & {
  author_id: Id;
  author_username: string | null;
  followers_count: number | null;
};
type TopHashtag = Top & { hashtag: string };
type TopLanguage = Top & { lang: string };
type TopDomain = Top & { domain: string; links: number };

/** @param counted `k.posts` or `k.topic_posts` @param rowKey what has a row */
type SelectTops = (filter: TopsFilter, counted: Statement, rowKey: Statement) => Statement;

/**
 * Like the views `top_authors` to `top_domains`, but aggregates stored rows before looking up names: a busy topic has
 * tens of thousands of them.
 */
const topsOf = (filter: TopsFilter, counted: Statement, ...kinds: readonly string[]) => statement`
  FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.search_tops k ON k.search_id = s.id AND k.day_at >= ${filter.from} AND k.day_at < ${filter.until}
    AND k.kind = ${verbatim(kinds.length === 1 ? `'${kinds[0]}'` : `ANY ('{${kinds.join(',')}}')`)} AND ${counted} > 0
  WHERE ${isInScope(filter)}`;

/** An author belongs to one service, looked up only for returned authors. */
const selectAuthors: SelectTops = (filter, counted) => statement`
SELECT sv.kind AS service_kind, a.id AS author_id, a.username AS author_username, c.followers_count::float8, g.posts
FROM (
  SELECT k.name, sum(${counted})::int AS posts ${topsOf(filter, counted, 'author')}
  GROUP BY k.name ORDER BY posts DESC, k.name LIMIT ${filter.limit}
) g
JOIN strandline.authors a ON a.id = g.name::bigint
LEFT JOIN strandline.author_counters c ON c.author_id = a.id
JOIN strandline.services sv ON sv.id = a.service_id
ORDER BY g.posts DESC, a.id`;

/** Services of a kind are counted together. @param name as lists compare it */
const selectNames =
  (as: string, kind: string, name = 'k.name'): SelectTops =>
  (filter, counted, rowKey) =>
    statement`
SELECT min(sv.kind) AS service_kind, g.name AS ${verbatim(as)}, sum(g.posts)::int AS posts
FROM (SELECT s.service_id, ${verbatim(name)} AS name, sum(${counted}) AS posts ${topsOf(filter, counted, kind)} GROUP BY 1, 2) g
JOIN strandline.services sv ON sv.id = g.service_id
GROUP BY ${rowKey} ORDER BY posts DESC, g.name LIMIT ${filter.limit}`;

/** `domain` counts posts, `site` links. */
const selectDomains: SelectTops = (filter, counted, rowKey) => statement`
SELECT min(sv.kind) AS service_kind, g.name AS domain, sum(g.posts)::int AS posts, sum(g.links)::int AS links
FROM (
  SELECT s.service_id, k.name, coalesce(sum(${counted}) FILTER (WHERE k.kind = 'domain'), 0) AS posts,
    coalesce(sum(${counted}) FILTER (WHERE k.kind = 'site'), 0) AS links ${topsOf(filter, counted, 'domain', 'site')}
  GROUP BY s.service_id, k.name
) g
JOIN strandline.services sv ON sv.id = g.service_id
GROUP BY ${rowKey} ORDER BY sum(g.posts) + sum(g.links) DESC, g.name LIMIT ${filter.limit}`;

export const readTopAuthors = createTopReader<TopAuthor>('authors', selectAuthors);
export const readTopHashtags = createTopReader<TopHashtag>('hashtags', selectNames('hashtag', 'hashtag'));
/** Languages in lower case: services write `pt-BR` and `pt-br`. */
export const readTopLanguages = createTopReader<TopLanguage>(
  'languages',
  selectNames('lang', 'language', 'lower(k.name)'),
);
/** By the sum of posts that link there and links found there. */
export const readTopDomains = createTopReader<TopDomain>('domains', selectDomains);

function createTopReader<Row extends Top>(names: string, select: SelectTops) {
  return ({ pool }: Reads, filter: TopsFilter): Promise<Row[]> => {
    const { search, together = false } = filter;
    const [of, counted] =
      search === undefined ? ['topic', statement`k.topic_posts`] : ['search', statement`k.posts`];
    const rowKey = together ? statement`g.name` : statement`sv.kind, g.name`;
    return rowsOf(
      pool,
      select(filter, counted, rowKey),
      `top_${names}_of_${of}${together ? '_together' : ''}`,
    );
  };
}

export const COMMON_KINDS = ['hashtag', 'domain', 'author'] as const;
export type CommonKind = (typeof COMMON_KINDS)[number];

export type CommonTop = {
  /** Key of an author, a hashtag without #, or a host without www. */
  name: string;
  /** Handle of an author; null if unknown or not an author. */
  username: string | null;
  /** By topic slug, each once per topic: posts, and for domains links that were found there. */
  counts: Record<string, { posts: number; links: number }>;
};

/** Names shared by most of the topics first, then by frequency in each. Whole days (UTC). */
export async function readCommonTops(
  { pool }: Pooled,
  kind: CommonKind,
  { topics, from, until, limit }: { topics: readonly string[]; from: Date; until: Date; limit: number },
): Promise<CommonTop[]> {
  const kinds = kind === 'domain' ? ['domain', 'site'] : [kind];
  // Counts per topic are looked up only for returned names, because there are tens of thousands.
  return rowsOf<CommonTop>(
    pool,
    statement`WITH each AS MATERIALIZED (
        SELECT s.topic_id, k.name, sum(k.topic_posts)::int AS items, coalesce(sum(k.topic_posts) FILTER (WHERE k.kind = 'site'), 0)::int AS links
        FROM strandline.topics t JOIN strandline.searches s ON s.topic_id = t.id JOIN strandline.search_tops k ON k.search_id = s.id
        WHERE t.slug = ANY (${topics}::text[]) AND k.kind = ANY (${kinds}::text[]) AND k.day_at >= ${from} AND k.day_at < ${until}
        GROUP BY 1, 2 HAVING sum(k.topic_posts) > 0
      ), common AS (
        SELECT name, count(*) AS topics, sum(items)::int AS all FROM each GROUP BY name HAVING count(*) > 1
        ORDER BY count(*) DESC, min(items) DESC, sum(items) DESC, name LIMIT ${limit}
      ), told AS (
        SELECT c.name, c.topics, c.all, jsonb_object_agg(t.slug, jsonb_build_object('posts', e.items - e.links, 'links', e.links)) AS counts
        FROM common c JOIN each e USING (name) JOIN strandline.topics t ON t.id = e.topic_id GROUP BY 1, 2, 3
      )
      SELECT c.name, a.username, c.counts
      FROM told c LEFT JOIN strandline.authors a ON a.id = CASE WHEN ${kind === 'author'}::boolean THEN c.name::bigint END
      ORDER BY c.topics DESC, c.all DESC, c.name`,
  );
}
