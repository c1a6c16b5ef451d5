/** Makes outside text safe to store, log, send and print. */

declare global {
  // Supported by Node 20, but missing from the es2023 library.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

/** Maximum stored length of a text member, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 100_000;

/**
 * Makes an outside string safe to store, log and send: well-formed (a lone surrogate becomes U+FFFD), without NUL
 * (Postgres rejects it), at most `max` code units, never cut inside a surrogate pair. All outside text passes through
 * this function once.
 */
export function cleanText(text: string, max = MAX_TEXT_LENGTH): string {
  // Twice the limit is enough input; the rest is ignored.
  const near = text.length > max * 2 ? text.slice(0, max * 2) : text;
  const whole = near.isWellFormed() ? near : near.toWellFormed();
  const bare = whole.includes('\0') ? whole.replaceAll('\0', '') : whole;
  if (bare.length <= max) return bare;
  const cut = isHighSurrogate(bare.charCodeAt(max - 1)) ? max - 1 : max;
  return bare.slice(0, cut);
}

/*
 * Non-printing characters by effect, as classes for regular expressions with the flag `u`; all cleaners use them. ZERO
 * WIDTH JOINER and NON-JOINER are only in HIDING: emoji, Persian and Hindi need them.
 */

/** C0 and C1, which terminals interpret; includes tab and line ends. */
export const CONTROLS = String.raw`\p{Cc}`;
/** Line ends for some readers only. */
const LINE_SEPARATORS = String.raw`\u2028\u2029`;
/** Change the text direction, so that a text appears as a different one. */
export const DIRECTIONS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
/** Zero-width: spaces, word joiners, operators, annotations, the byte order mark. */
const ZERO_WIDTHS = String.raw`\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb`;
/** Invisible copies of ASCII. */
const TAGS = String.raw`\u{e0000}-\u{e007f}`;
/** Removing these does not change what a person sees. */
export const INVISIBLES = DIRECTIONS + ZERO_WIDTHS + TAGS;
/**
 * Everything that can hide words from a person but not from a language model: all format characters, fillers, and
 * variation selectors except U+FE0F, which colors emoji.
 */
export const HIDING = String.raw`${CONTROLS}\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0e\u{e0100}-\u{e01ef}`;

/** Scripts without spaces between words, and the long-vowel mark, which belongs to two of them. A class, as above. */
export const UNSPACED_SCRIPTS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`;

const INVISIBLE = new RegExp(`[${INVISIBLES}]`, 'gu');
const BLANK = new RegExp(String.raw`[\s${CONTROLS}]+`, 'gu');
/** All controls except tab and line feed, which JSON and text use for layout. */
const UNSAFE = new RegExp(String.raw`(?![\t\n])[${CONTROLS}${LINE_SEPARATORS}${INVISIBLES}]`, 'gu');

/** One line for display: white space and controls become single spaces, invisible characters are removed. */
export function cleanLine(text: string): string {
  return text.replace(INVISIBLE, '').replace(BLANK, ' ').trim();
}

/** Removes what a terminal would interpret; keeps line ends and tabs. */
export function removeUnsafe(text: string): string {
  return text.replace(UNSAFE, '');
}

/** Whether a text has a word, or part of one: a letter or digit of any script. */
export function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** JSON escapes for the same characters: inside JSON, the meaning is unchanged. */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (sign) =>
    sign.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Longest character, with its marks, that is kept whole or dropped whole. Of longer ones (dozens of marks) a part is kept. */
const MAX_GRAPHEME_LENGTH = 64;

/** At most `max` code units, well-formed; a truncated text ends with an ellipsis, after a whole character with its marks. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  if (max < 1) return '';
  const near = text.slice(0, max + MAX_GRAPHEME_LENGTH);
  const start = graphemes.segment(near).containing(max - 1)?.index ?? 0;
  const isWhole = max - start <= MAX_GRAPHEME_LENGTH;
  const cut = isHighSurrogate(near.charCodeAt(max - 2)) ? max - 2 : max - 1;
  return `${near
    .slice(0, isWhole ? start : Math.max(cut, 0))
    .trimEnd()
    .toWellFormed()}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as a part of HTML, also within a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Shorter secrets occur in ordinary words and numbers: masking them would garble the text and protect nothing. */
export const MIN_SECRET_LENGTH = 4;

/** With an uppercase first letter. */
export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
