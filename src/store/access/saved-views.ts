/** Saved views: addresses of the dashboard, each under a name. */
import { asc, eq, gt } from 'drizzle-orm';
import { createOrm, type Id, type Orm, type Transaction } from '../db/database.ts';
import { saved_views } from '../schema/system-tables.ts';

export type SavedView = typeof saved_views.$inferSelect;

/** By name, which no two have in common. @param page.after only those with a name after this one */
export async function readSavedViews(
  { orm }: Orm,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<SavedView[]> {
  return orm
    .select()
    .from(saved_views)
    .where(after === undefined ? undefined : gt(saved_views.name, after))
    .orderBy(asc(saved_views.name))
    .limit(limit);
}

/** @returns undefined if another view has the name */
export async function insertSavedView(
  tx: Transaction,
  view: Omit<SavedView, 'id'>,
): Promise<SavedView | undefined> {
  const [row] = await createOrm(tx).insert(saved_views).values(view).onConflictDoNothing().returning();
  return row;
}

/** @param named its id, or its name. @returns the view that was deleted; undefined if there is none */
export async function deleteSavedView(tx: Transaction, named: Id | string): Promise<SavedView | undefined> {
  const isNamed = typeof named === 'string' ? eq(saved_views.name, named) : eq(saved_views.id, named);
  const [row] = await createOrm(tx).delete(saved_views).where(isNamed).returning();
  return row;
}
