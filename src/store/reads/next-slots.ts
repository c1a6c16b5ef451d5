import { and, asc, isNotNull, isNull } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { searchesView } from '../schema/analytics/topics.ts';

export type NextSlot = { search: string; topic: string; tz: string; next_due_at: Date };

/** Which searches are due next, the nearest first; each once. */
export async function nextSlots({ orm }: Pick<Database, 'orm'>, most = 5): Promise<NextSlot[]> {
  const { slug, topic, tz, next_due_at, archived_at } = searchesView;
  const rows = await orm
    .select({ search: slug, topic, tz, next_due_at })
    .from(searchesView)
    .where(and(isNotNull(next_due_at), isNull(archived_at)))
    .orderBy(asc(next_due_at), asc(slug))
    .limit(most);
  return rows.flatMap((row) => (row.next_due_at === null ? [] : [{ ...row, next_due_at: row.next_due_at }]));
}
