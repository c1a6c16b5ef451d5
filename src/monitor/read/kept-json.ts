import { isPoisonous, type Plain } from '../../contract/plain.ts';
import { clean } from '../../contract/text.ts';

/** How much of a value is kept: levels of nesting, values in all, characters of one text. */
export type Bounds = { depth: number; nodes: number; text: number };

/** What is kept of a post's `media` and `entities`. */
export const KEPT: Bounds = { depth: 16, nodes: 5_000, text: 10_000 };

/**
 * A copy of a JSON value that can be stored: texts cleaned, numbers finite, keys harmless, and never
 * larger than its bounds. What lies beyond them is left out (null where something has to stand).
 */
export function boundedJson(value: unknown, bounds: Bounds = KEPT): unknown {
  let left = bounds.nodes;

  function copy(from: unknown, depth: number): unknown {
    if (typeof from === 'string') return clean(from, bounds.text);
    if (typeof from === 'number') return Number.isFinite(from) ? from : null;
    if (typeof from !== 'object' || from === null) return typeof from === 'boolean' ? from : null;
    if (depth >= bounds.depth) return null;
    return Array.isArray(from) ? copyArray(from, depth) : copyObject(from as Plain, depth); // not an array, not null
  }

  function copyArray(from: unknown[], depth: number): unknown[] {
    const to: unknown[] = [];
    for (const item of from) {
      if (left-- <= 0) break;
      to.push(copy(item, depth + 1));
    }
    return to;
  }

  function copyObject(from: Plain, depth: number): Plain {
    const to: Plain = {};
    for (const key in from) {
      if (isPoisonous(key)) continue;
      if (left-- <= 0) break;
      to[clean(key, bounds.text)] = copy(from[key], depth + 1);
    }
    return to;
  }

  return copy(value, 0);
}
