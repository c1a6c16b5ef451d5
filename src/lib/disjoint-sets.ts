import { groupBy } from './group-by.ts';

/** Items in sets that are joined pair by pair; items are named by their places. Joining in any order gives the same sets. */
export type DisjointSets<T> = {
  /** The first place in the set of an item. */
  find: (place: number) => number;
  join: (left: number, right: number) => void;
  /** The sets in the order of their first items, each with its items in order. */
  list: () => T[][];
};

/** Each item in a set of its own. A search shortens the paths that it follows (union-find with path compression). */
export function separate<T>(items: readonly T[]): DisjointSets<T> {
  const earlier = items.map((_, place) => place);
  const find = (place: number): number => {
    let first = place;
    for (let next = earlier[first] ?? first; next !== first; next = earlier[first] ?? first) first = next;
    for (let at = place; at !== first; ) {
      const next = earlier[at] ?? first;
      earlier[at] = first;
      at = next;
    }
    return first;
  };
  return {
    find,
    join: (left, right) => {
      const [a, b] = [find(left), find(right)];
      earlier[Math.max(a, b)] = Math.min(a, b);
    },
    list: () =>
      [...groupBy(items.entries(), ([place]) => find(place)).values()].map((set) =>
        set.map(([, item]) => item),
      ),
  };
}
