/** Reads single values from the wire without ever throwing: texts, counters, ids, JSON of any size. */

import type { RejectCode } from '../../model/errors.ts';
import { cleanText, MAX_TEXT_LENGTH } from '../../lib/text.ts';
import { isPlain, isPoisonous, type Plain } from '../../lib/json-values.ts';

/** A text, cleaned and truncated to `max`; numbers are converted; null if there is none. */
export function readText(value: unknown, max = MAX_TEXT_LENGTH): string | null {
  if (typeof value === 'string') return cleanText(value, max);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/** A text; null if it is empty. */
export function readNonEmptyText(value: unknown, max = MAX_TEXT_LENGTH): string | null {
  const text = readText(value, max);
  return text === '' ? null : text;
}

/** A short text (a name, a label); null if it is empty. */
export function readWord(value: unknown, max = 1_000): string | null {
  const text = readText(value, max)?.trim();
  return text === undefined || text === '' ? null : text;
}

/** Values that mean "no reference" in reference members only. */
const NO_REFERENCE = new Set(['', 'null', '<string>']);

/**
 * One of the five reference members (replied to, quoted, `quote`); null if it is empty.
 * @param read returns null for null and undefined
 */
export function readUnlessNone<T>(value: unknown, read: (value: unknown) => T | null): T | null {
  return typeof value === 'string' && NO_REFERENCE.has(value.trim()) ? null : read(value);
}

/** A boolean: `true`, `false` and their spellings; anything else is unknown. */
export function readBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  const word = value.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

/**
 * A counter: an integer from 0 to 2^53 - 1, also as digits. Everything else (null, missing, negative, a fraction,
 * `12K`, `1,234`, 1e30) is null, which means unknown, not zero.
 */
export function readCounter(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value + 0 : null;
  if (typeof value !== 'string' || !/^\d{1,16}$/.test(value)) return null;
  const count = Number(value);
  return Number.isSafeInteger(count) ? count : null;
}

const NO_NAMES: ReadonlySet<unknown> = new Set();

/**
 * Wire names of counters that a service writes as 0 because it does not know them (`unknown_counters`, an addition of
 * our own service). Anything else names none.
 */
export function readUnknownCounters(names: unknown): ReadonlySet<unknown> {
  return Array.isArray(names) ? new Set(names.slice(0, 100)) : NO_NAMES;
}

const MAX_ID_LENGTH = 256;

type IdResult =
  | { id: string; code?: undefined }
  | { id?: undefined; code: Extract<RejectCode, 'no_id' | 'bad_id' | 'unsafe_number_id'> };

/**
 * An identifier: text of 1 to 256 visible characters, trimmed but otherwise unchanged (`"00123"` and `"123"` are two
 * ids, `" 123 "` and `"123"` are one). A safe integer becomes its digits; a larger number was already rounded and is
 * refused (json.ts keeps large integers as text, so this only affects `1.79e18` and the like).
 */
export function readId(value: unknown): IdResult {
  if (typeof value === 'string') {
    const id = value.trim();
    return isValidId(id) ? { id } : { code: 'bad_id' };
  }
  if (value === undefined || value === null) return { code: 'no_id' };
  if (typeof value !== 'number' || value < 0) return { code: 'bad_id' };
  if (Number.isSafeInteger(value)) return { id: String(value) };
  return { code: Number.isInteger(value) ? 'unsafe_number_id' : 'bad_id' };
}

/** The id in a reference member, or null. */
export function readReference(value: unknown): string | null {
  return readId(value).id ?? null;
}

/** Maximum IDs in a list. */
const MAX_IDS = 100;

/** The valid ids in a list; null if there is no list. */
export function readIdList(list: unknown): string[] | null {
  return Array.isArray(list) ? list.slice(0, MAX_IDS).flatMap((id) => readReference(id) ?? []) : null;
}

function isValidId(text: string): boolean {
  if (text.length === 0 || text.length > MAX_ID_LENGTH) return false;
  return /^[\w:.@/#-]+$/.test(text) || !/[\s\p{C}]/u.test(text);
}

/** Limits of a stored value: nesting levels, total values, characters per text. */
type JsonBounds = { depth: number; nodes: number; text: number };

/** Limits of a post's `media` and `entities`. */
const POST_JSON_BOUNDS: JsonBounds = { depth: 16, nodes: 5_000, text: 10_000 };

/**
 * Bounds a JSON value so that it can be stored: texts cleaned, numbers finite, keys safe, size limited. Values beyond
 * the size limit are omitted; values nested too deeply become null. Returns the value itself if it already complies, as
 * nearly all do; otherwise a copy.
 */
export function boundJson(value: unknown, bounds: JsonBounds = POST_JSON_BOUNDS): unknown {
  const left = () => ({ nodes: bounds.nodes, text: bounds.text });
  return fitsBounds(value, bounds.depth, left()) ? value : copyValue(value, bounds.depth, left());
}

/** Whether {@link copyValue} would return an equal value. */
function fitsBounds(value: unknown, depth: number, left: RemainingBudget): boolean {
  if (typeof value === 'string') return cleanText(value, left.text) === value;
  if (typeof value !== 'object') return Number.isFinite(value) || typeof value === 'boolean';
  if (value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value))
    return value.every((item) => left.nodes-- > 0 && fitsBounds(item, depth - 1, left));
  const object = value as Plain; // neither null nor a list
  for (const key in object) {
    if (left.nodes-- <= 0 || isPoisonous(key) || cleanText(key, left.text) !== key) return false;
    if (!fitsBounds(object[key], depth - 1, left)) return false;
  }
  return true;
}

/** Remaining size of a copy: `nodes` counts down. */
type RemainingBudget = { nodes: number; readonly text: number };

function copyValue(from: unknown, depth: number, left: RemainingBudget): unknown {
  if (typeof from === 'string') return cleanText(from, left.text);
  if (typeof from === 'number') return Number.isFinite(from) ? from : null;
  if (typeof from === 'boolean') return from;
  if (depth === 0) return null;
  if (Array.isArray(from)) return copyArray(from, depth - 1, left);
  return isPlain(from) ? copyObject(from, depth - 1, left) : null;
}

function copyArray(from: readonly unknown[], depth: number, left: RemainingBudget): unknown[] {
  const to: unknown[] = [];
  for (const item of from) {
    if (left.nodes-- <= 0) break;
    to.push(copyValue(item, depth, left));
  }
  return to;
}

function copyObject(from: Plain, depth: number, left: RemainingBudget): Plain {
  const to: Plain = {};
  for (const key of Object.keys(from)) {
    if (isPoisonous(key)) continue;
    if (left.nodes-- <= 0) break;
    to[cleanText(key, left.text)] = copyValue(from[key], depth, left);
  }
  return to;
}
