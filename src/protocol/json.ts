/**
 * JSON text to a value, without two losses of `JSON.parse`: an integer that JavaScript would round (an id
 * of 19 digits) stays its digits, as a string, and what is nested without measure is not built: it is left
 * out, and null stands in its place, so that one deep item does not take the others down.
 * And access to the members of what came from outside.
 */
import { type Cooperative, runToEnd } from '../domain/cooperative.ts';

/** Levels that are built. Whatever is read stands far above: a post quoted in a post that is quoted, and so on. */
export const MAX_DEPTH = 64;
/** Members and items of one text: those of five hundred posts with everything in them. More keep the event loop. */
export const MAX_VALUES = 150_000;
/** Members of one object. Names are what costs most: each that was not met before is a shape of its own. */
export const MAX_MEMBERS = 10_000;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const ZERO = 0x30;
const NINE = 0x39;

export type ParsedJson =
  | { value: unknown; values: number; problem?: undefined }
  | { value?: undefined; values?: undefined; problem: 'not_json' | 'too_many' };

/** Parses JSON. Never throws; takes linear time. `values` is how many members and items were built, about. */
export function parseJson(text: string): ParsedJson {
  return runToEnd(parseJsonCooperatively(text));
}

/** The same with a pause between its two steps. */
export function* parseJsonCooperatively(text: string): Cooperative<ParsedJson> {
  const scanned = scan(text);
  if (scanned === null) return { problem: 'too_many' };
  yield;
  try {
    return { value: JSON.parse(scanned.text), values: scanned.values };
  } catch {
    return { problem: 'not_json' };
  }
}

/** The text with unsafe integers between quotes and nothing too deep; null where it holds too many values. */
function scan(text: string): { text: string; values: number } | null {
  /** Where what is written otherwise begins and ends, by turns. */
  const cuts: number[] = [];
  let depth = 0;
  let values = 1;
  const members = [Number.NEGATIVE_INFINITY];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = findEndOfString(text, i);
    } else if (unit === COMMA) {
      const n = (members[depth] ?? 0) + 1;
      if (++values > MAX_VALUES || n >= MAX_MEMBERS) return null;
      members[depth] = n;
    } else if (isOpening(unit)) {
      if (++values > MAX_VALUES) return null;
      members[++depth] = unit === OPEN_BRACE ? 0 : Number.NEGATIVE_INFINITY;
      if (depth <= MAX_DEPTH) continue;
      const end = findEndOfNesting(text, i);
      cuts.push(i, end + 1);
      i = end;
      depth--;
    } else if (isClosing(unit)) {
      depth--;
    } else if (isDigit(unit)) {
      const end = findEndOfNumber(text, i);
      if (isUnsafeInteger(text, i, end)) cuts.push(text[i - 1] === '-' ? i - 1 : i, end);
      i = end - 1;
    }
  }
  return { text: cuts.length === 0 ? text : rewriteNumbers(text, cuts), values };
}

function rewriteNumbers(text: string, cuts: readonly number[]): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < cuts.length; at += 2) {
    const [start = 0, end = 0] = [cuts[at], cuts[at + 1]];
    pieces.push(text.slice(copied, start));
    pieces.push(isOpening(text.charCodeAt(start)) ? 'null' : `"${text.slice(start, end)}"`);
    copied = end;
  }
  return pieces.join('') + text.slice(copied);
}

function isOpening(unit: number): boolean {
  return unit === 0x5b || unit === OPEN_BRACE;
}

function isClosing(unit: number): boolean {
  return unit === 0x5d || unit === 0x7d;
}

/** Where the list or object that begins at `start` is closed; the end of the text if it never is. */
function findEndOfNesting(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) i = findEndOfString(text, i);
    else if (isOpening(unit)) depth++;
    else if (isClosing(unit) && --depth === 0) return i;
  }
  return text.length;
}

/** Where the string that begins at `start` has its closing quote; the end of the text if it has none. */
function findEndOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    // A quote behind an odd number of backslashes belongs to the string.
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

/** Where the number whose first digit is at `start` ends: behind digits, a point, an exponent with its sign. */
function findEndOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isNumberPart(text.charCodeAt(end))) end++;
  return end;
}

/** A digit or one of `.eE+-`; NaN, beyond the end, is none of them. */
function isNumberPart(unit: number): boolean {
  if (isDigit(unit)) return true;
  return unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

/** Whether the number between two places is one that JavaScript rounds: 2^53 has 16 digits. */
function isUnsafeInteger(text: string, start: number, end: number): boolean {
  if (end - start < 16 || text.charCodeAt(start) === ZERO) return false;
  for (let i = start; i < end; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return end - start > 16 || !Number.isSafeInteger(Number(text.slice(start, end)));
}

/** A JSON object as it came from outside: any member may hold anything, or be absent. */
export type Plain = Record<string, unknown>;

/** Whether a JSON value is an object (not null, not an array). */
export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that a copy never carries over: as assignments they reach into prototypes. */
export function isPoisonous(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/**
 * The value of an object's *own* member. `JSON.parse` makes ordinary objects, so a plain look-up of a
 * name from outside (`constructor`, `toString`) would find what every object inherits.
 */
export function own(object: Plain, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
