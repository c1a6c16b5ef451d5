/** What is known about links from elsewhere: the post that a link names, and a title that no result had. */
import type { Id, Reads } from '../db/database.ts';
import { execute, statement, verbatim } from '../db/statement.ts';
import type { DiscoveryRow } from './discoveries.ts';
import { type PostRow, readPostsByIds } from './post-detail.ts';

/** `post`: the post at the address of the link. `title`: of a result, or the newest text of a key item with the link. */
export type KnownLink = { post: PostRow | null; title: string | null };

/**
 * The post that a link `l` names. Several services may have it. Without `OFFSET 0`, all posts are read in the order of their
 * ids as long as there are no statistics on keys, as after a migration.
 */
export const NAMED_POST_SQL = `(SELECT min(p.id) FROM (SELECT id FROM strandline.posts WHERE key = l.canonical OFFSET 0) p)`;
/** The title of a link `l`, or the newest text of a key item with it. */
export const LINK_TITLE_SQL = `coalesce(nullif(l.title, ''), (SELECT k.text FROM strandline.key_items k WHERE k.link_id = l.id AND k.text <> ''
    ORDER BY k.completion_id DESC, k.list, k.position LIMIT 1))`;

/** @returns by the ID of the link */
export async function readKnownLinks(db: Reads, ids: readonly Id[]): Promise<ReadonlyMap<Id, KnownLink>> {
  if (ids.length === 0) return new Map();
  type Row = { id: Id; post_id: Id | null; title: string | null };
  const { rows } = await execute<Row>(
    db.pool,
    statement`SELECT l.id, ${verbatim(NAMED_POST_SQL)} AS post_id, ${verbatim(LINK_TITLE_SQL)} AS title
      FROM strandline.links l WHERE l.id = ANY (${ids}::bigint[])`,
    'known_links',
  );
  const postIds = [...new Set(rows.flatMap(({ post_id }) => post_id ?? []))];
  const posts = new Map((await readPostsByIds(db, postIds)).map((post) => [post.id, post]));
  return new Map(
    rows.map(({ id, post_id, title }) => [
      id,
      { title, post: post_id === null ? null : (posts.get(post_id) ?? null) },
    ]),
  );
}

/** The text of a link in a line: that of its post, or its title; null if neither is known. */
export function describeKnownLink(known: KnownLink | undefined): string | null {
  const { post = null, title = null } = known ?? {};
  if (post === null || post.text === '') return title;
  return post.author_username === null ? post.text : `@${post.author_username}: ${post.text}`;
}

/** The titles of links, for people: a substitute for links without a title, and the posts that links name. */
export async function describeTitles<Row extends { title: string | null }>(
  db: Reads,
  rows: readonly Row[],
  readId: (row: Row) => Id,
): Promise<Row[]> {
  const known = await readKnownLinks(db, rows.map(readId));
  return rows.map((row) => ({ ...row, title: describeKnownLink(known.get(readId(row))) ?? row.title }));
}

/** Discoveries for people: a link that names a post has its text, author, time and counters. */
export async function describeLinks(db: Reads, rows: readonly DiscoveryRow[]): Promise<DiscoveryRow[]> {
  const known = await readKnownLinks(
    db,
    rows.flatMap(({ link_id: id }) => id ?? []),
  );
  return rows.map((row) => {
    const { post = null, title = null } = (row.link_id === null ? undefined : known.get(row.link_id)) ?? {};
    if (post === null) return row.kind === 'link' && row.text === null ? { ...row, text: title } : row;
    const { author_username, like_count, repost_count, reply_count, view_count } = post;
    return {
      ...row,
      text: post.text === '' ? (row.text ?? title) : post.text,
      created_at: post.created_at ?? row.created_at,
      author_username,
      like_count,
      repost_count,
      reply_count,
      view_count,
    };
  });
}
