import { asc, desc, eq } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { completionsView } from '../schema/analytics/completions.ts';
import { keyItemsView, linksView } from '../schema/analytics/links.ts';
import { amongIds } from './among-ids.ts';
import type { LinkRow } from './links.ts';

export type CompletionRow = typeof completionsView.$inferSelect;
export type KeyItemRow = typeof keyItemsView.$inferSelect;

type Reads = Pick<Database, 'orm'>;

export async function readCompletionOfRun({ orm }: Reads, runId: Id): Promise<CompletionRow | undefined> {
  const [row] = await orm.select().from(completionsView).where(eq(completionsView.run_id, runId)).limit(1);
  return row;
}

/** The newest completion of a search. */
export async function readLastCompletion({ orm }: Reads, search: string): Promise<CompletionRow | undefined> {
  const [row] = await orm
    .select()
    .from(completionsView)
    .where(eq(completionsView.search, search))
    .orderBy(desc(completionsView.id))
    .limit(1);
  return row;
}

export async function readKeyItems({ orm }: Reads, completionId: Id, limit = 1_000): Promise<KeyItemRow[]> {
  return orm
    .select()
    .from(keyItemsView)
    .where(eq(keyItemsView.completion_id, completionId))
    .orderBy(asc(keyItemsView.list), asc(keyItemsView.position))
    .limit(limit);
}

/** Links in the order of the ids that were given. */
export async function readLinksOf({ orm }: Reads, ids: readonly Id[]): Promise<LinkRow[]> {
  if (ids.length === 0) return [];
  const rows = await orm
    .select()
    .from(linksView)
    .where(amongIds(linksView.id))
    .prepare('links_of')
    .execute({ ids: [...new Set(ids)] });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
}
