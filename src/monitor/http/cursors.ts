/**
 * Cursors of lists, for the API and for pages. A cursor contains the keys of the last row of a page and is opaque to
 * clients.
 */

import { toJson, tryParseJson } from '../../lib/json-values.ts';
import { InvalidInput } from '../../model/errors.ts';
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A count, or microseconds since 1970, which may be negative. */
export const orderKey = z.codec(z.string().regex(/^-?\d{1,18}$/), z.bigint(), {
  decode: BigInt,
  encode: String,
});

const MAX_CURSOR_LENGTH = 512;
const EXPECTED_CURSOR = 'a next_cursor that this list returned; omit cursor for the first page';
const EXPECTED_FILTERS =
  'a next_cursor that this list returned for the same path, filters and order; omit cursor for the first page';

/** Characters of a SHA-256 in base64url. The hash only has to detect mistakes. */
const FILTER_HASH_LENGTH = 11;

/**
 * A decoded cursor: the keys, and a hash of the filters of the page that returned it, as the client sent them: so a topic that
 * was renamed in between does not end the list.
 */
type CursorContent<Keys> = { keys: Keys; filters: string };

type ListQuery<Keys> = { limit: number; cursor?: CursorContent<Keys> | undefined };

/** One requested page of a list. */
export type Page<Keys, Filter> = {
  /** Rows to read: one more than the page has, which shows that there is a next one. */
  limit: number;
  /** Keys of the last row before this page; undefined for the first page. */
  after: Keys | undefined;
  /** The query without `limit` and `cursor`. */
  filter: Filter;
  /** The reply of the rows that were read. @param getKeys keys of a row */
  reply: <Row>(
    rows: readonly Row[],
    getKeys: (last: Row) => Keys,
  ) => { items: Row[]; next_cursor: string | null };
  /** The cursor after a row, for a list that finds its next page by itself. */
  encode: (keys: Keys) => string;
};

export type Cursor<Keys> = {
  /** The query parameter; refuses anything that this list did not return. */
  param: z.ZodType<CursorContent<Keys>, string>;
  /**
   * @param path path parameters that identify the list
   * @throws InvalidInput if the cursor belongs to another path, other filters or another order
   */
  pageOf<Q extends ListQuery<Keys>>(query: Q, path?: object): Page<Keys, Omit<Q, 'limit' | 'cursor'>>;
};

/**
 * Creates cursors over the keys that a list is ordered by.
 * @param list the list's name, so that cursors of other lists are refused
 * @param codec a tuple of codecs, in the order of the list
 */
export function createCursor<Keys, In>(list: string, codec: z.core.$ZodType<Keys, In>): Cursor<Keys> {
  const param = z
    .string()
    .max(MAX_CURSOR_LENGTH, EXPECTED_CURSOR)
    .transform((text, { issues }): CursorContent<Keys> => {
      const [name, keys, filters] = decodeCursor(text);
      const decoded = z.safeDecode(codec, keys as In); // validated by the codec
      if (name === list && decoded.success && typeof filters === 'string')
        return { keys: decoded.data, filters };
      issues.push({ code: 'custom', message: EXPECTED_CURSOR, input: text });
      return z.NEVER;
    })
    .meta({ description: 'The next_cursor of the previous page. Send the same filters.' });
  return {
    param,
    pageOf: ({ limit, cursor, ...filter }, path = {}) => {
      const filters = hashFilters(toJson([path, filter]));
      if (cursor !== undefined && cursor.filters !== filters)
        throw new InvalidInput([{ path: 'query.cursor', given: undefined, expected: EXPECTED_FILTERS }]);
      const encode = (keys: Keys) =>
        Buffer.from(JSON.stringify([list, z.encode(codec, keys), filters]), 'utf8').toString('base64url');
      return {
        limit: limit + 1,
        after: cursor?.keys,
        filter,
        encode,
        reply: (rows, getKeys) => {
          const items = rows.slice(0, limit);
          const last = items.at(-1);
          return {
            items,
            next_cursor: rows.length > limit && last !== undefined ? encode(getKeys(last)) : null,
          };
        },
      };
    },
  };
}

function hashFilters(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, FILTER_HASH_LENGTH);
}

function decodeCursor(text: string): readonly unknown[] {
  const value = tryParseJson(Buffer.from(text, 'base64url').toString('utf8'));
  return Array.isArray(value) ? value : [];
}
