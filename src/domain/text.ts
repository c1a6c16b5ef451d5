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

/** Control characters, and those that turn the direction of what follows or number a language (tags). */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** White space that is not one space becomes one, and no control character is left: for one line on any screen. */
export function cleanLine(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(CONTROLS, '').trim();
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
