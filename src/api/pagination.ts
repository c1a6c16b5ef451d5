/** Pagination of lists: query and reply. */

import { createCursor, type Cursor } from '../monitor/http/cursors.ts';
import { idParam } from './request-shapes.ts';
import { z } from 'zod';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

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

/** The query of a route without options. */
export const emptyQuery = z.strictObject({});

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
