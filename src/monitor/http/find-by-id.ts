/** Things that a request names by their id. */

import { createNotFound } from '../../model/errors.ts';
import type { Id } from '../../store/db/database.ts';

/** @param kind such as `post` @param pendingRow the row with this id @throws Refused `not_found` */
export async function findById<Row>(
  kind: string,
  id: Id,
  pendingRow: Promise<Row | undefined>,
): Promise<Row> {
  const row = await pendingRow;
  if (row === undefined) throw createNotFound(kind, id);
  return row;
}
