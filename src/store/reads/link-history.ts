import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { linkSourcesView } from '../schema/analytics/links.ts';
import { type LinkFilter, readLinks } from './links.ts';

/** A link with the search that had it first. */
export type FirstFinder = typeof linkSourcesView.$inferSelect & { title: string | null };

/** Links as `readLinks` lists them, each with who had it first: the newest first. */
export async function readFirstFinders(
  db: Pick<Database, 'orm'>,
  filter: LinkFilter,
): Promise<FirstFinder[]> {
  const links = await readLinks(db, filter);
  if (links.length === 0) return [];
  const ids = links.map(({ id }) => id);
  const firsts = await db.orm
    .select()
    .from(linkSourcesView)
    .where(and(inArray(linkSourcesView.link_id, ids), eq(linkSourcesView.nth, 1)))
    .limit(ids.length);
  const byLink = new Map(firsts.map((row) => [row.link_id, row]));
  return links.flatMap(({ id, title }) => {
    const first = byLink.get(id);
    return first === undefined ? [] : [{ ...first, title }];
  });
}
