/** Who and what the posts of a time speak of most, over whole days. */
import type { Database, Id } from '../database.ts';
import type { ServiceKind } from '../services.ts';

type Reads = Pick<Database, 'pool'>;

/** A search, or a topic: of a topic each post counts once. Without either, all topics: once in each. */
export type TopsFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Whole days (UTC): from this one on, and before that one. */
  from: Date;
  until: Date;
  limit: number;
};

type Top = { service_kind: ServiceKind; posts: number };
export type TopAuthor = Top & {
  author_id: Id;
  author_username: string | null;
  followers_count: number | null;
};
export type TopHashtag = Top & { hashtag: string };
export type TopLanguage = Top & { lang: string };
export type TopDomain = Top & { domain: string; links: number };

type Counted = 'k.posts' | 'k.topic_posts';

/**
 * As the views `top_authors` to `top_domains`, but summed once, over rows as they are kept, and looked up after that: a busy
 * topic has tens of thousands of them. $1 search, $2 topic, $3 from, $4 until.
 */
const of = (counted: Counted, ...kinds: readonly string[]) => `
  FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.search_tops k ON k.search_id = s.id AND k.day_at >= $3 AND k.day_at < $4
    AND k.kind = ${kinds.length === 1 ? `'${kinds[0]}'` : `ANY ('{${kinds.join(',')}}')`} AND ${counted} > 0
  WHERE ($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2)`;

/** $5 most. An author belongs to one service: which, is looked up for those alone that are told. */
const authors = (counted: Counted) => `
SELECT sv.kind AS service_kind, a.id AS author_id, a.username AS author_username, c.followers_count::float8, g.posts
FROM (
  SELECT k.name, sum(${counted})::int AS posts ${of(counted, 'author')}
  GROUP BY k.name ORDER BY posts DESC, k.name LIMIT $5
) g
JOIN strandline.authors a ON a.id = g.name::bigint
LEFT JOIN strandline.author_counters c ON c.author_id = a.id
JOIN strandline.services sv ON sv.id = a.service_id
ORDER BY g.posts DESC, a.id`;

/** Services of a kind are counted together. $5 most. */
const names = (as: string, kind: string) => (counted: Counted) =>
  `
SELECT sv.kind AS service_kind, g.name AS ${as}, sum(g.posts)::int AS posts
FROM (SELECT s.service_id, k.name, sum(${counted}) AS posts ${of(counted, kind)} GROUP BY s.service_id, k.name) g
JOIN strandline.services sv ON sv.id = g.service_id
GROUP BY sv.kind, g.name ORDER BY posts DESC, g.name LIMIT $5`;

/** `domain` counts posts, `site` links. $5 most. */
const domains = (counted: Counted) => `
SELECT sv.kind AS service_kind, g.name AS domain, sum(g.posts)::int AS posts, sum(g.links)::int AS links
FROM (
  SELECT s.service_id, k.name, coalesce(sum(${counted}) FILTER (WHERE k.kind = 'domain'), 0) AS posts,
    coalesce(sum(${counted}) FILTER (WHERE k.kind = 'site'), 0) AS links ${of(counted, 'domain', 'site')}
  GROUP BY s.service_id, k.name
) g
JOIN strandline.services sv ON sv.id = g.service_id
GROUP BY sv.kind, g.name ORDER BY sum(g.posts) + sum(g.links) DESC, g.name LIMIT $5`;

export const readTopAuthors = readerOf<TopAuthor>(authors);
export const readTopHashtags = readerOf<TopHashtag>(names('hashtag', 'hashtag'));
export const readTopLanguages = readerOf<TopLanguage>(names('lang', 'language'));
/** By posts that link there and links that were found there, together. */
export const readTopDomains = readerOf<TopDomain>(domains);

function readerOf<Row extends Top>(statement: (counted: Counted) => string) {
  const ofSearch = statement('k.posts');
  const ofTopic = statement('k.topic_posts');
  return async ({ pool }: Reads, { search, topic, from, until, limit }: TopsFilter): Promise<Row[]> => {
    const { rows } = await pool.query<Row>(search === undefined ? ofTopic : ofSearch, [
      search ?? null,
      topic ?? null,
      from,
      until,
      limit,
    ]);
    return rows;
  };
}
