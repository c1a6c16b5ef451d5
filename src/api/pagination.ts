/** Pagination of lists: query and reply. */

import { createCursor, type Cursor } from '../monitor/http/cursors.ts';
import { type ArchiveBacklog, catchUpArchive } from '../store/archive/index-archive.ts';
import type { Database } from '../store/db/database.ts';
import { idParam } from '../model/value-shapes.ts';
import { z } from 'zod';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** For the reply of a list with a query. */
export const notIndexed = z
  .int()
  .describe(
    'Items that are not indexed yet, so that a query cannot find them. Usually 0; try again later otherwise.',
  );

/** Indexes what is new, if there is a query. @returns how many items it cannot find */
export async function catchUpForQuery(db: Database, text: string | undefined): Promise<number> {
  return countNotIndexed(text === undefined ? null : await catchUpArchive(db));
}

export function countNotIndexed(backlog: ArchiveBacklog | null): number {
  return backlog === null ? 0 : backlog.total - backlog.indexed;
}

const EXPECTED_LIMIT = `a whole number from 1 to ${MAX_LIMIT}`;

export const limitParam = z.coerce
  .number(EXPECTED_LIMIT)
  .int(EXPECTED_LIMIT)
  .min(1, EXPECTED_LIMIT)
  .max(MAX_LIMIT, EXPECTED_LIMIT)
  .default(DEFAULT_LIMIT)
  .meta({ description: 'Maximum number of items per page.' });

/** The query of a list: `limit`, `cursor` and its filters. */
export function defineListQuery<Keys, M extends z.ZodRawShape>({ param }: Cursor<Keys>, filters: M) {
  return z.strictObject({ limit: limitParam, cursor: param.optional(), ...filters });
}

/** The reply of a list. */
export function defineListReply(item: z.core.$ZodType) {
  return z.object({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .describe('Value of `cursor` for the next page; null on the last page.'),
  });
}

/** Creates cursors of a list that is ordered by id alone. */
export function createIdCursor(list: string) {
  return createCursor(list, z.tuple([idParam]));
}
