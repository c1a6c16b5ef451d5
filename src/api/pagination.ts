/** Pagination of lists: query and reply. */

import type { Cursor } from '../monitor/http/cursors.ts';
import { limitParam, nextCursor } from '../monitor/common-inputs.ts';
import { z } from 'zod';

/** The query of a list: `limit`, `cursor` and its filters. */
export function defineListQuery<Keys, M extends z.ZodRawShape>({ param }: Cursor<Keys>, filters: M) {
  return z.strictObject({ limit: limitParam, cursor: param.optional(), ...filters });
}

/** The reply of a list. */
export function defineListReply(item: z.core.$ZodType) {
  return z.object({
    items: z.array(item),
    next_cursor: nextCursor,
  });
}
