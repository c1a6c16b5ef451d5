/** What searches are called where people read, whatever topic they belong to. */
import { desc, eq, sql } from 'drizzle-orm';
import { nameSearch } from '../../model/search-name.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Orm } from '../db/database.ts';
import { searchesView as searches } from '../schema/analytics-views.ts';
import { topics } from '../schema/topic-tables.ts';

/** `Posts` of `Night trains` */
export type SearchName = { topic: string; search: string };

/** As many characters of a prompt as a name needs. */
const PROMPT_LENGTH = 60;

/** By slug, including removed searches: of the newest ones, if there are more. */
export async function readSearchNames({ orm }: Orm, limit: number): Promise<ReadonlyMap<string, SearchName>> {
  const rows = await orm
    .select({
      slug: searches.slug,
      operation: searches.operation,
      prompt: sql<string>`left(${searches.prompt}, ${PROMPT_LENGTH})`,
      topic: topics.name,
      topic_id: searches.topic_id,
    })
    .from(searches)
    .innerJoin(topics, eq(topics.id, searches.topic_id))
    .orderBy(desc(searches.id))
    .limit(limit);
  const names = new Map<string, SearchName>();
  for (const siblings of groupBy(rows, ({ topic_id }) => topic_id).values())
    for (const row of siblings) names.set(row.slug, { topic: row.topic, search: nameSearch(row, siblings) });
  return names;
}
