import { isPlain, own } from '../../contract/plain.ts';

/** One element of a list of an answer, and where it stands in the wire's own names. */
export type Item = { path: string; value: unknown };

/**
 * What became of an item: read, refused for what it says, or unreadable because it is not of the shape
 * that was specified. An answer of mostly unreadable items is not the specification's.
 */
export type Taken = 'read' | 'refused' | 'unreadable';

/** No list of an answer is read beyond this many items; the rest is counted and is one reject. */
export const ITEMS_MAX = 10_000;

export type Items = {
  path: string;
  items: Item[];
  /** How many items lie beyond {@link ITEMS_MAX}. */
  beyond: number;
  /** What stood there instead, where it is no list at all. */
  wrong?: unknown;
};

/**
 * The items of a member that should be a list and has been other things: null, absent or `{}` (nothing
 * found), a single item by itself, or an object that holds the items by index or id. `isItem` tells
 * a single item from such an object.
 */
export function itemsOf(path: string, list: unknown, isItem: (value: unknown) => boolean): Items {
  if (list === null || list === undefined) return { path, items: [], beyond: 0 };
  if (Array.isArray(list)) return bounded(path, list, (i) => `${path}[${i}]`);
  if (!isPlain(list)) return { path, items: [], beyond: 0, wrong: list };
  if (isItem(list)) return { path, items: [{ path, value: list }], beyond: 0 };
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

function bounded(path: string, values: readonly unknown[], pathOf: (i: number) => string): Items {
  const items = values.slice(0, ITEMS_MAX).map((value, i) => ({ path: pathOf(i), value }));
  return { path, items, beyond: values.length - items.length };
}
