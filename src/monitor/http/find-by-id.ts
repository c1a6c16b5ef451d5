/** Things that a request names by their id. */

import { createNotFound } from '../../model/errors.ts';
import type { Id } from '../../store/db/database.ts';

/** @param kind such as `post` @param reading the row with this id @throws Refused `not_found` */
export async function findById<Row>(kind: string, id: Id, reading: Promise<Row | undefined>): Promise<Row> {
  const row = await reading;
  if (row === undefined) throw createNotFound(kind, id);
  return row;
}
