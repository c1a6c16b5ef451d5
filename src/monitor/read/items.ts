import { isPlain, own } from '../../contract/plain.ts';

/** One element of a list of an answer, and where it stands in the wire's own names. */
export type Item = { path: string; value: unknown };

/** No list of an answer is read beyond this many items; the rest is one reject. */
export const ITEMS_MAX = 10_000;

export type Items = {
  items: Item[];
  /** Where reading stopped and how many items lay beyond; null when all were read. */
  beyond: { path: string; count: number } | null;
  /** False when the member held something that is no list at all. */
  readable: boolean;
};

/**
 * The items of a member that should be a list and has been other things: null, absent or `{}` (nothing
 * found), a single item by itself, or an object that holds the items by index or id. `isItem` tells
 * a single item from such an object.
 */
export function itemsOf(path: string, list: unknown, isItem: (value: unknown) => boolean): Items {
  if (list === null || list === undefined) return { items: [], beyond: null, readable: true };
  if (Array.isArray(list)) return bounded(path, list, (i) => `${path}[${i}]`);
  if (!isPlain(list)) return { items: [], beyond: null, readable: false };
  if (isItem(list)) return { items: [{ path, value: list }], beyond: null, readable: true };
  const keys = Object.keys(list);
  return bounded(
    path,
    keys.map((key) => list[key]),
    (i) => `${path}[${JSON.stringify(keys[i])}]`,
  );
}

/** Whether an object has any of the members that make it one item and not a container of items. */
export function hasAny(...members: string[]): (value: unknown) => boolean {
  return (value) => isPlain(value) && members.some((member) => own(value, member) !== undefined);
}

function bounded(path: string, values: unknown[], pathOf: (i: number) => string): Items {
  const items = values.slice(0, ITEMS_MAX).map((value, i) => ({ path: pathOf(i), value }));
  const count = values.length - items.length;
  return { items, beyond: count > 0 ? { path: `${path}[${ITEMS_MAX}]`, count } : null, readable: true };
}
