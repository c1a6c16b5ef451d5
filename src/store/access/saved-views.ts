/** Saved views: addresses of the dashboard, each under a name. */
import { asc, eq } from 'drizzle-orm';
import { createOrm, type Id, type Orm, type Transaction } from '../db/database.ts';
import { saved_views } from '../schema/system-tables.ts';

export type SavedView = typeof saved_views.$inferSelect;

/** By name. */
export async function readSavedViews({ orm }: Orm, limit: number): Promise<SavedView[]> {
  return orm.select().from(saved_views).orderBy(asc(saved_views.name), asc(saved_views.id)).limit(limit);
}

/** @returns false if another view has the name */
export async function insertSavedView(tx: Transaction, view: Omit<SavedView, 'id'>): Promise<boolean> {
  const rows = await createOrm(tx)
    .insert(saved_views)
    .values(view)
    .onConflictDoNothing()
    .returning({ id: saved_views.id });
  return rows.length > 0;
}

/** @returns the view that was deleted; undefined if there is none */
export async function deleteSavedView(tx: Transaction, id: Id): Promise<SavedView | undefined> {
  const [row] = await createOrm(tx).delete(saved_views).where(eq(saved_views.id, id)).returning();
  return row;
}
