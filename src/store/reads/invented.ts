import { and, inArray, ne } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { searchesView } from '../schema/analytics/topics.ts';

/** Whether all of these searches, given by their slugs, look in the sandbox; false where none is given. */
export async function areInvented(
  { orm }: Pick<Database, 'orm'>,
  slugs: readonly string[],
): Promise<boolean> {
  const given = [...new Set(slugs)];
  if (given.length === 0) return false;
  const [real] = await orm
    .select({ id: searchesView.id })
    .from(searchesView)
    .where(and(inArray(searchesView.slug, given), ne(searchesView.service_kind, 'sandbox')))
    .limit(1);
  return real === undefined;
}
