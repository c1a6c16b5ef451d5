/**
 * Parses JSON with two differences from `JSON.parse`: integers that JavaScript would round (19-digit ids) become
 * strings, and values nested too deeply become null, so that one deep item does not invalidate the others.
 */
import { type Cooperative, runToEnd } from '../lib/cooperative.ts';
import { findStringEnd } from '../lib/json-values.ts';

/** Maximum nesting. Everything that is read is far less deep: a quoted post in a quoted post, and so on. */
export const MAX_DEPTH = 64;
/** Maximum members and items of one text: five hundred complete posts. More would block the event loop. */
export const MAX_VALUES = 150_000;
/** Maximum members of one object. Names are the most expensive part: each new one creates a new object shape. */
export const MAX_MEMBERS = 10_000;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const ZERO = 0x30;
const NINE = 0x39;

export type ParsedJson =
  | { value: unknown; values: number; problem?: undefined }
  | { value?: undefined; values?: undefined; problem: 'not_json' | 'too_many' };

/** Parses JSON. Never throws; takes linear time. `values` is the approximate number of members and items. */
export function parseJson(text: string): ParsedJson {
  return runToEnd(parseJsonCooperatively(text));
}

/** {@link parseJson} with a pause between its two steps. */
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

/** Quotes unsafe integers and replaces deep values; null if there are too many values. */
function scan(text: string): { text: string; values: number } | null {
  /** Start and end of each replaced part, alternating. */
  const cuts: number[] = [];
  let depth = 0;
  let values = 1;
  const members = [Number.NEGATIVE_INFINITY];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = findStringEnd(text, i);
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

/** The end of the list or object that begins at `start`, or of the text if it is unclosed. */
function findEndOfNesting(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) i = findStringEnd(text, i);
    else if (isOpening(unit)) depth++;
    else if (isClosing(unit) && --depth === 0) return i;
  }
  return text.length;
}

/** The end of the number that begins at `start`, including fraction and exponent. */
function findEndOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isNumberPart(text.charCodeAt(end))) end++;
  return end;
}

/** A digit or one of `.eE+-`; false for NaN, beyond the end of the text. */
function isNumberPart(unit: number): boolean {
  if (isDigit(unit)) return true;
  return unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

/** Whether JavaScript would round the number between two positions: 2^53 has 16 digits. */
function isUnsafeInteger(text: string, start: number, end: number): boolean {
  if (end - start < 16 || text.charCodeAt(start) === ZERO) return false;
  for (let i = start; i < end; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return end - start > 16 || !Number.isSafeInteger(Number(text.slice(start, end)));
}
