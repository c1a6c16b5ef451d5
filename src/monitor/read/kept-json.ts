import { isPlain, isPoisonous, type Plain } from '../../contract/plain.ts';
import { clean } from '../../contract/text.ts';

/** How much of a value is kept: levels of nesting, values in all, characters of one text. */
export type Bounds = { depth: number; nodes: number; text: number };

/** What is kept of a post's `media` and of its `entities`. */
export const KEPT: Bounds = { depth: 16, nodes: 5_000, text: 10_000 };

/**
 * A JSON value that can be stored: texts cleaned, numbers finite, keys harmless, and never larger than its
 * bounds. What lies beyond them is left out (null where something has to stand). The value itself where it is
 * one already, as nearly all are; otherwise a copy.
 */
export function boundedJson(value: unknown, bounds: Bounds = KEPT): unknown {
  const left = () => ({ nodes: bounds.nodes, text: bounds.text });
  return fits(value, bounds.depth, left()) ? value : copy(value, bounds.depth, left());
}

/** Whether {@link copy} would change nothing. */
function fits(value: unknown, depth: number, left: Left): boolean {
  if (typeof value === 'string') return clean(value, left.text) === value;
  if (typeof value !== 'object') return Number.isFinite(value) || typeof value === 'boolean';
  if (value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => left.nodes-- > 0 && fits(item, depth - 1, left));
  const object = value as Plain; // a JSON value that is neither null nor a list
  for (const key in object) {
    if (left.nodes-- <= 0 || isPoisonous(key) || clean(key, left.text) !== key) return false;
    if (!fits(object[key], depth - 1, left)) return false;
  }
  return true;
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
