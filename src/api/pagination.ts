/** Pagination of lists: query and reply. */

import { createCursor, type Cursor } from '../monitor/http/cursors.ts';
import { limitParam } from '../monitor/common-inputs.ts';
import { idParam } from '../model/value-shapes.ts';
import { z } from 'zod';

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
