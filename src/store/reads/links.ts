import { and, desc, eq, exists, gte, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { linkSightingsView, linksView } from '../schema/analytics/links.ts';
import { searchesView } from '../schema/analytics/topics.ts';
import { searchIs } from './searches.ts';

export type LinkRow = typeof linksView.$inferSelect;

export type LinkFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** First seen at this time or later, by whichever search. */
  since?: Date | undefined;
  limit: number;
};

/** Links that a search found, the newest first. */
export async function readLinks({ orm }: Pick<Database, 'orm'>, filter: LinkFilter): Promise<LinkRow[]> {
  const { since, limit } = filter;
  const sighted = orm
    .select({ one: sql`1` })
    .from(linkSightingsView)
    .innerJoin(searchesView, eq(searchesView.id, linkSightingsView.search_id))
    .where(and(eq(linkSightingsView.link_id, linksView.id), searchIs(filter)));
  return orm
    .select()
    .from(linksView)
    .where(and(exists(sighted), since === undefined ? undefined : gte(linksView.first_seen_at, since)))
    .orderBy(desc(linksView.first_seen_at), desc(linksView.id))
    .limit(limit);
}
