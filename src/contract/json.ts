/**
 * JSON text to a value, without two losses of `JSON.parse`: an integer that JavaScript would round (an id
 * of 19 digits) stays its digits, as a string, and a text nested without measure is refused before it is
 * built.
 */
const DEPTH_MAX = 1_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

export type ParsedJson =
  | { value: unknown; problem?: undefined }
  | { value?: undefined; problem: 'not_json' | 'too_deep' };

/** Parses JSON. Never throws; takes linear time. */
export function parseJson(text: string): ParsedJson {
  const scanned = scan(text);
  if (scanned === null) return { problem: 'too_deep' };
  try {
    return { value: JSON.parse(scanned) };
  } catch {
    return { problem: 'not_json' };
  }
}

/** The text with unsafe integers between quotes; null where it is nested too deep. */
function scan(text: string): string | null {
  const pieces: string[] = [];
  let copied = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = endOfString(text, i);
    } else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > DEPTH_MAX) return null;
    } else if (unit === 0x5d || unit === 0x7d) {
      depth--;
    } else if (unit >= ZERO && unit <= NINE) {
      const end = endOfNumber(text, i);
      if (end - i >= 16 && isUnsafeInteger(text.slice(i, end))) {
        const start = text[i - 1] === '-' ? i - 1 : i;
        pieces.push(text.slice(copied, start), '"', text.slice(start, end), '"');
        copied = end;
      }
      i = end - 1;
    }
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied);
}

/** Where the string that begins at `start` has its closing quote; the end of the text if it has none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end, start)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number, start: number): boolean {
  let backslashes = 0;
  while (at - 1 - backslashes > start && text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** Where the number whose first digit is at `start` ends: behind digits, a point, an exponent with its sign. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isNumberPart(text.charCodeAt(end))) end++;
  return end;
}

/** A digit or one of `.eE+-`; NaN, beyond the end, is none of them. */
function isNumberPart(unit: number): boolean {
  if (unit >= ZERO && unit <= NINE) return true;
  return unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d;
}

function isUnsafeInteger(number: string): boolean {
  // Asked for what is *not* a digit: a pattern of many digits would need a stack as deep as the number is long.
  return !number.startsWith('0') && !/\D/.test(number) && !Number.isSafeInteger(Number(number));
}
