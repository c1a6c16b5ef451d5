/** The posts and links that documents of the archive stand for. */
import { inArray } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import type { LinkRow } from '../reads/links.ts';
import type { PostRow } from '../reads/posts.ts';
import { linksView } from '../schema/analytics/links.ts';
import { postsView } from '../schema/analytics/posts.ts';
import { authors } from '../schema/posts.ts';

export type AuthorRow = typeof authors.$inferSelect;
export type ArchiveThing =
  | { kind: 'post'; id: Id; post: PostRow; author: AuthorRow | null }
  | { kind: 'link'; id: Id; link: LinkRow };

/** In no order; what was purged since it was indexed is not there. */
export async function readThings(
  { orm }: Pick<Database, 'orm'>,
  documents: readonly { kind: string; thing: Id }[],
): Promise<ArchiveThing[]> {
  const idsOf = (kind: string) => documents.filter((one) => one.kind === kind).map(({ thing }) => thing);
  const postIds = idsOf('post');
  const linkIds = idsOf('link');
  const posts =
    postIds.length === 0
      ? []
      : await orm.select().from(postsView).where(inArray(postsView.id, postIds)).limit(postIds.length);
  const authorIds = posts.flatMap(({ author_id }) => author_id ?? []);
  const written =
    authorIds.length === 0
      ? []
      : await orm.select().from(authors).where(inArray(authors.id, authorIds)).limit(authorIds.length);
  const byId = new Map(written.map((author) => [author.id, author]));
  const links =
    linkIds.length === 0
      ? []
      : await orm.select().from(linksView).where(inArray(linksView.id, linkIds)).limit(linkIds.length);
  return [
    ...posts.map((post): ArchiveThing => {
      const author = post.author_id === null ? null : (byId.get(post.author_id) ?? null);
      return { kind: 'post', id: post.id, post, author };
    }),
    ...links.map((link): ArchiveThing => ({ kind: 'link', id: link.id, link })),
  ];
}
