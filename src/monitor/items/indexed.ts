/** What a query cannot find yet. */
import { z } from 'zod';
import type { ArchiveBacklog } from '../../store/archive/index-archive.ts';
import type { Database } from '../../store/db/database.ts';

/** For the reply of a list with a query. */
export const notIndexed = z
  .int()
  .describe(
    'Items that are not indexed yet, so that a query cannot find them. Usually 0; try again later otherwise.',
  );

/** Indexes what is new, if there is a query. @returns how many items it cannot find */
export async function catchUpForQuery(db: Database, text: string | undefined): Promise<number> {
  if (text === undefined) return 0;
  const { catchUpArchive } = await import('../../store/archive/index-archive.ts');
  return countNotIndexed(await catchUpArchive(db));
}

export function countNotIndexed(backlog: ArchiveBacklog | null): number {
  return backlog === null ? 0 : backlog.total - backlog.indexed;
}
