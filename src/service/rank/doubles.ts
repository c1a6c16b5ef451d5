/** The same thing found several times is one thing. */
import { canonicalLink } from '../link.ts';
import type { Found } from '../source.ts';

/** Things by number; the lists name them, each once, at the best place it had. */
export type Folded = { things: Found[]; lists: number[][] };

/** Folds what has the same canonical address; the first that was met is shown. */
export function foldDoubles(lists: readonly (readonly Found[])[]): Folded {
  const things: Found[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (found: Found) => {
    const link = canonicalLink(found.link);
    const known = numbers.get(link);
    if (known !== undefined) return known;
    numbers.set(link, things.length);
    return things.push(found) - 1;
  };
  return { lists: lists.map((list) => [...new Set(list.map(numberOf))]), things };
}
