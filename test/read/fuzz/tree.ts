/** JSON as it is written: a member may come twice, a number may be one that no JavaScript holds. */
export type Tree = string | number | boolean | null | Raw | Tree[] | Members;

/** A literal, put down as it is. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export class Members {
  readonly pairs: [name: string, value: Tree][];
  constructor(pairs: [name: string, value: Tree][]) {
    this.pairs = pairs;
  }
}

/** @param value what `JSON.parse` made */
export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return value.map(treeOf);
  if (typeof value === 'object' && value !== null)
    return new Members(Object.entries(value).map(([name, inside]) => [name, treeOf(inside)]));
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

export function written(tree: Tree): string {
  if (tree instanceof Raw) return tree.text;
  if (Array.isArray(tree)) return `[${tree.map(written).join()}]`;
  if (tree instanceof Members)
    return `{${tree.pairs.map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`).join()}}`;
  return JSON.stringify(tree);
}

/** A place in a tree: it can be read, written, and taken away or doubled with what holds it. */
export type Spot = { get(): Tree; set(value: Tree): void; holder: Tree[] | Members; at: number };

/** Every place below the root. */
export function spotsOf(tree: Tree): Spot[] {
  if (Array.isArray(tree)) {
    return tree.flatMap((inside, at) => [
      {
        get: () => inside,
        set: (value: Tree) => {
          tree[at] = value;
        },
        holder: tree,
        at,
      },
      ...spotsOf(inside),
    ]);
  }
  if (!(tree instanceof Members)) return [];
  return tree.pairs.flatMap((pair, at) => [
    {
      get: () => pair[1],
      set: (value: Tree) => {
        pair[1] = value;
      },
      holder: tree,
      at,
    },
    ...spotsOf(pair[1]),
  ]);
}
