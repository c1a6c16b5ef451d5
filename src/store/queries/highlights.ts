import { desc, inArray, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { linksView as linksViews, postsView as postsViews } from '../schema/analytics/post-views.ts';

const linksView = linksViews.real;
const postsView = postsViews.real;

/** A new item in one line. */
export type Highlight = {
  kind: 'post' | 'link';
  author_username: string | null;
  text: string | null;
  url: string | null;
  like_count: number | null;
  repost_count: number | null;
};

/** The most notable first sightings of a run: posts by likes, then links in the order of the response. */
export async function readHighlights(
  db: Pick<Database, 'orm'>,
  diff: { newPosts: readonly Id[]; newLinks: readonly Id[] },
  most = 3,
): Promise<Highlight[]> {
  const posts = await readTopPosts(db, diff.newPosts, most);
  return [...posts, ...(await readFirstLinks(db, diff.newLinks, most - posts.length))];
}

async function readTopPosts(
  { orm }: Pick<Database, 'orm'>,
  ids: readonly Id[],
  most: number,
): Promise<Highlight[]> {
  if (ids.length === 0 || most < 1) return [];
  const { author_username, text, url, like_count, repost_count } = postsView;
  const rows = await orm
    .select({ author_username, text, url, like_count, repost_count })
    .from(postsView)
    .where(inArray(postsView.id, [...ids]))
    .orderBy(sql`${like_count} desc nulls last`, desc(postsView.id))
    .limit(most);
  return rows.map((row) => ({ kind: 'post', ...row }));
}

async function readFirstLinks(
  { orm }: Pick<Database, 'orm'>,
  ids: readonly Id[],
  most: number,
): Promise<Highlight[]> {
  if (ids.length === 0 || most < 1) return [];
  const rows = await orm
    .select({ id: linksView.id, text: linksView.title, url: linksView.url })
    .from(linksView)
    .where(inArray(linksView.id, [...ids]))
    .orderBy(linksView.id)
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
