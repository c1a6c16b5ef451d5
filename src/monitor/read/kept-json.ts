import { isPlain, isPoisonous, type Plain } from '../../contract/plain.ts';
import { clean } from '../../contract/text.ts';

/** How much of a value is kept: levels of nesting, values in all, characters of one text. */
export type Bounds = { depth: number; nodes: number; text: number };

/** What is kept of a post's `media` and of its `entities`. */
export const KEPT: Bounds = { depth: 16, nodes: 5_000, text: 10_000 };

/**
 * A copy of a JSON value that can be stored: texts cleaned, numbers finite, keys harmless, and never
 * larger than its bounds. What lies beyond them is left out (null where something has to stand).
 */
export function boundedJson(value: unknown, bounds: Bounds = KEPT): unknown {
  return copy(value, bounds.depth, { nodes: bounds.nodes, text: bounds.text });
}

/** What may still be copied: `nodes` counts down. */
type Left = { nodes: number; readonly text: number };

function copy(from: unknown, depth: number, left: Left): unknown {
  if (typeof from === 'string') return clean(from, left.text);
  if (typeof from === 'number') return Number.isFinite(from) ? from : null;
  if (typeof from === 'boolean') return from;
  if (depth === 0) return null;
  if (Array.isArray(from)) return copyArray(from, depth - 1, left);
  return isPlain(from) ? copyObject(from, depth - 1, left) : null;
}

function copyArray(from: readonly unknown[], depth: number, left: Left): unknown[] {
  const to: unknown[] = [];
  for (const item of from) {
    if (left.nodes-- <= 0) break;
    to.push(copy(item, depth, left));
  }
  return to;
}

function copyObject(from: Plain, depth: number, left: Left): Plain {
  const to: Plain = {};
  for (const key of Object.keys(from)) {
    if (isPoisonous(key)) continue;
    if (left.nodes-- <= 0) break;
    to[clean(key, left.text)] = copy(from[key], depth, left);
  }
  return to;
}
