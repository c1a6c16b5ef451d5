/** The pages of a command that lists: `--limit`, and `--after` with the place that the previous page said. */
import { InvalidInput } from '../model/errors.ts';
import { createCursor, type Page } from '../monitor/http/cursors.ts';
import { type AnyOperation, nameList, readRows } from '../monitor/operation.ts';
import { MAX_LIMIT } from './option-values.ts';

export type ListOptions = { limit?: number; after?: string };

/** What a command shows of a reply. */
export type Shown = {
  /** A list: its items. */
  reply: unknown;
  /** Of a list: the other members of the reply. */
  beside: object;
  /** Of a list: the place after which the next page begins; null: there is none. */
  next: string | null;
};

export type ShownPage = {
  /** The rows that the operation reads. */
  page: { limit: number; after: unknown };
  show: (made: unknown) => Shown;
};

/**
 * @param typed what chose the rows, as it was typed: a place is valid only for the same
 * @throws InvalidInput if `--after` is no place that the same list said
 */
export function openPage(operation: AnyOperation, { limit, after }: ListOptions, typed: object): ShownPage {
  const { list } = operation;
  if (list === undefined)
    return {
      page: { limit: 0, after: undefined },
      show: (made) => ({ reply: made, beside: {}, next: null }),
    };
  const { item = (row) => row, key, cursor } = list;
  if (list.shown === undefined)
    return {
      page: { limit: MAX_LIMIT, after: undefined },
      show: (made) => {
        const { rows, beside } = readRows(operation, made);
        return { reply: (rows as never[]).map(item), beside, next: null }; // rows of this list
      },
    };
  const cursors = createCursor(nameList(operation), cursor);
  const place = after === undefined ? undefined : cursors.param.safeParse(after);
  const refuse = () =>
    new InvalidInput([
      {
        path: 'after',
        given: after,
        expected: 'what the previous page said after --after, with the same options',
      },
    ]);
  if (place?.success === false) throw refuse();
  let opened: Page<unknown, object>;
  try {
    opened = cursors.pageOf({ limit: limit ?? list.shown, cursor: place?.data, ...typed });
  } catch {
    throw refuse();
  }
  return {
    page: opened,
    show: (made) => {
      const { rows, beside } = readRows(operation, made);
      const { items, next_cursor } = opened.reply(rows as never[], key); // rows of this list
      return { reply: items.map(item), beside, next: next_cursor };
    },
  };
}
