/** Text from outside, made safe to store, log, send and print. */

declare global {
  // Node 20 has both; the es2023 library does not name them yet.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

/** The longest text that is kept of any one member, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 100_000;

/**
 * Makes a string from outside safe to store, log and send: well-formed (a lone surrogate becomes U+FFFD),
 * without NUL (Postgres refuses it), at most `max` code units and never cut inside a surrogate pair.
 * This is the one choke point for text; whatever comes from outside passes through it once.
 */
export function cleanText(text: string, max = MAX_TEXT_LENGTH): string {
  // Twice the limit is enough to cut from: what lies beyond it is never looked at.
  const near = text.length > max * 2 ? text.slice(0, max * 2) : text;
  const whole = near.isWellFormed() ? near : near.toWellFormed();
  const bare = whole.includes('\0') ? whole.replaceAll('\0', '') : whole;
  if (bare.length <= max) return bare;
  const cut = isHighSurrogate(bare.charCodeAt(max - 1)) ? max - 1 : max;
  return bare.slice(0, cut);
}

/*
 * Characters that do something other than be seen, by what they do: classes of regular expressions with the flag `u`. Every
 * cleaner is made of them. ZERO WIDTH JOINER and NON-JOINER are in none but HIDING: emoji, Persian and Hindi need them.
 */

/** C0 and C1, to which terminals listen; tab and line ends are among them. */
export const CONTROLS = String.raw`\p{Cc}`;
/** End a line for some readers and not for others. */
const LINE_SEPARATORS = String.raw`\u2028\u2029`;
/** Turn the direction of what follows, so that a text reads as another one. */
export const DIRECTIONS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
/** Take no room: spaces of no width, joiners of words, operators, annotations, the byte order mark. */
const ZERO_WIDTHS = String.raw`\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb`;
/** Copies of ASCII that nothing shows. */
const TAGS = String.raw`\u{e0000}-\u{e007f}`;
/** What no reader misses: with it a text is the same to a person. */
export const INVISIBLES = DIRECTIONS + ZERO_WIDTHS + TAGS;
/**
 * All in which words can hide from a person and not from a language model: every format character, fillers, and the
 * selectors of variants, but U+FE0F, which colors emoji.
 */
export const HIDING = String.raw`${CONTROLS}\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0e\u{e0100}-\u{e01ef}`;

const INVISIBLE = new RegExp(`[${INVISIBLES}]`, 'gu');
const BLANK = new RegExp(String.raw`[\s${CONTROLS}]+`, 'gu');
/** All controls but the tab and the line feed, which JSON and lines of text are laid out with. */
const UNSAFE = new RegExp(String.raw`(?![\t\n])[${CONTROLS}${LINE_SEPARATORS}${INVISIBLES}]`, 'gu');

/** One line for any screen: white space and controls become one space, and nothing invisible is left. */
export function cleanLine(text: string): string {
  return text.replace(INVISIBLE, '').replace(BLANK, ' ').trim();
}

/** Removes what could do more to a terminal than be seen; lines and tabs stay. */
export function removeUnsafe(text: string): string {
  return text.replace(UNSAFE, '');
}

/** Escapes the same, as JSON does: inside JSON it means what it meant. */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (sign) =>
    sign.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
