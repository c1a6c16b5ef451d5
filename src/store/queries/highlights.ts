import { desc, inArray, sql } from 'drizzle-orm';
import type { Data } from '../../domain/data.ts';
import type { Id, Orm } from '../database.ts';
import { linksView, postsView } from '../schema/analytics/post-views.ts';

/** A new item in one line. */
export type Highlight = {
  kind: 'post' | 'link';
  author_username: string | null;
  text: string | null;
  url: string | null;
  like_count: number | null;
  repost_count: number | null;
};

const MAX_HIGHLIGHTS = 3;

/** The most notable first sightings of a run: posts by likes, then links in the order of the response. */
export async function readHighlights(
  db: Orm,
  data: Data,
  diff: { newPosts: readonly Id[]; newLinks: readonly Id[] },
): Promise<Highlight[]> {
  const posts = await readTopPosts(db, data, diff.newPosts, MAX_HIGHLIGHTS);
  return [...posts, ...(await readFirstLinks(db, data, diff.newLinks, MAX_HIGHLIGHTS - posts.length))];
}

async function readTopPosts(
  { orm }: Orm,
  data: Data,
  ids: readonly Id[],
  most: number,
): Promise<Highlight[]> {
  if (ids.length === 0 || most < 1) return [];
  const view = postsView[data];
  const { author_username, text, url, like_count, repost_count } = view;
  const rows = await orm
    .select({ author_username, text, url, like_count, repost_count })
    .from(view)
    .where(inArray(view.id, [...ids]))
    .orderBy(sql`${like_count} desc nulls last`, desc(view.id))
    .limit(most);
  return rows.map((row) => ({ kind: 'post', ...row }));
}

async function readFirstLinks(
  { orm }: Orm,
  data: Data,
  ids: readonly Id[],
  most: number,
): Promise<Highlight[]> {
  if (ids.length === 0 || most < 1) return [];
  const view = linksView[data];
  const rows = await orm
    .select({ id: view.id, text: view.title, url: view.url })
    .from(view)
    .where(inArray(view.id, [...ids]))
    .orderBy(view.id)
    .limit(most);
  return rows.map(({ text, url }) => ({
    kind: 'link',
    author_username: null,
    text,
    url,
    like_count: null,
    repost_count: null,
  }));
}
