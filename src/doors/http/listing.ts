/** Lists: what every one of them takes, and how it is answered. */
import { z } from 'zod';

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
export function listQuery<C extends z.core.$ZodType, M extends z.ZodRawShape>(cursor: C, filters: M) {
  return z.strictObject({ limit: givenLimit, cursor: z.optional(cursor), ...filters });
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

/**
 * One page of rows that were read with `limit + 1`: the one too many says that there are more.
 * @param cursor what writes the cursor behind a row
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursor: (last: Row) => string,
): { items: Row[]; next_cursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? cursor(last) : null };
}
