import { desc, inArray, sql } from 'drizzle-orm';
import type { Id, Orm } from '../db/database.ts';
import { linksView, postsView } from '../schema/analytics-views.ts';

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
  { orm }: Orm,
  { newPosts, newLinks }: { newPosts: readonly Id[]; newLinks: readonly Id[] },
): Promise<Highlight[]> {
  const [ofPosts, ofLinks] = [postsView, linksView];
  const { author_username, text, url, like_count, repost_count } = ofPosts;
  const posts =
    newPosts.length === 0
      ? []
      : await orm
          .select({ author_username, text, url, like_count, repost_count })
          .from(ofPosts)
          .where(inArray(ofPosts.id, [...newPosts]))
          .orderBy(sql`${like_count} desc nulls last`, desc(ofPosts.id))
          .limit(MAX_HIGHLIGHTS);
  const links =
    newLinks.length === 0 || posts.length === MAX_HIGHLIGHTS
      ? []
      : await orm
          .select({ text: ofLinks.title, url: ofLinks.url })
          .from(ofLinks)
          .where(inArray(ofLinks.id, [...newLinks]))
          .orderBy(ofLinks.id)
          .limit(MAX_HIGHLIGHTS - posts.length);
  const ofPost = { author_username: null, like_count: null, repost_count: null };
  return [
    ...posts.map((post): Highlight => ({ kind: 'post', ...post })),
    ...links.map((link): Highlight => ({ kind: 'link', ...ofPost, ...link })),
  ];
}
