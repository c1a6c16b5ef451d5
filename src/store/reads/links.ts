import { and, desc, eq, exists, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { linkSightingsView, linksView, searchesView } from '../schema/analytics.ts';
import { searchIs } from './searches.ts';

export type LinkRow = typeof linksView.$inferSelect;

/** Links that a search found, the newest first. */
export async function readLinks(
  { orm }: Pick<Database, 'orm'>,
  filter: { search?: string | undefined; topic?: string | undefined; limit: number },
): Promise<LinkRow[]> {
  const { limit } = filter;
  const sighted = orm
    .select({ one: sql`1` })
    .from(linkSightingsView)
    .innerJoin(searchesView, eq(searchesView.id, linkSightingsView.search_id))
    .where(and(eq(linkSightingsView.link_id, linksView.id), searchIs(filter)));
  return orm
    .select()
    .from(linksView)
    .where(exists(sighted))
    .orderBy(desc(linksView.first_seen_at), desc(linksView.id))
    .limit(limit);
}
