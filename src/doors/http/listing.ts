/** Lists: what every one of them takes, and how it is answered. */
import { z } from 'zod';
import type { Cursor } from './cursor.ts';

const LIMIT_MAX = 200;
const LIMIT = 50;

const EXPECTED = `a whole number from 1 to ${LIMIT_MAX}`;

export const givenLimit = z.coerce
  .number(EXPECTED)
  .int(EXPECTED)
  .min(1, EXPECTED)
  .max(LIMIT_MAX, EXPECTED)
  .default(LIMIT)
  .meta({ description: 'Most items of a page.' });

/** The query of a list: `limit`, `cursor`, and the filters of its own. */
export function listQuery<Keys, M extends z.ZodRawShape>({ given }: Cursor<Keys>, filters: M) {
  return z.strictObject({ limit: givenLimit, cursor: given.optional(), ...filters });
}

/** The query of a list that is ordered by its cursor and has no filters, or of a thing without options. */
export const noQuery = z.strictObject({});

/** The reply of a list. */
export function listOf(item: z.core.$ZodType) {
  return z.object({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .describe('Goes into cursor for the next page; null where this is the last.'),
  });
}
