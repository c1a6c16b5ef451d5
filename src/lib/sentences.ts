/**
 * Splits texts into sentences, and compares sentences. Uses our own rules instead of the runtime's, since statement
 * identities must not change with its version. Handles terminal marks of several scripts, abbreviations, initials and
 * numbers. If in doubt, it joins two sentences.
 */
import { createHash } from 'node:crypto';

/** Placeholder for a citation; after the end of a sentence, it belongs to that sentence. */
export const MARK = '\ue000';

/** 。 between Latin letters is no full stop: browsers treat it as a dot. */
const BOUNDARY =
  /(?<![.!?؟।॥…])[.!?؟।॥…]+["'”’»)\]*_]*(?=[\s\ue000]|$)|(?!(?<=[A-Za-z0-9])。[A-Za-z0-9])[。！？]+["”’」』）*_]*|\n+/gu;
const TRAILING_MARKS = /(?:[^\S\n]*\ue000)+/y;
/** A wrapped line continues on the next. */
const LINE_WRAP = /(?<=[^\s.!?؟。！？:])[^\S\n]*\n[^\S\n]*(?=\p{Ll})/gu;

const readWords = (list: string) => new Set(list.split(/\s+/));
const ABBREVIATIONS = readWords(
  `dr prof mr mrs ms mx st jr sr rev gen col lt sgt capt gov sen rep vs inc ltd corp dept est approx jan feb apr jun jul aug
   sep sept oct nov dec mt ave blvd al cf bzw ca usw vgl evtl ggf inkl tel mme mlle mgr sra ud uds dhr mevr`,
);
/** Also words ("sat", "sun"), so abbreviations only when capitalized. */
const CAPITAL_ABBREVIATIONS = readWords('Mar Mon Tue Wed Thu Fri Sat Sun Hon Pres Str Hr Fr');
/** Also words, so abbreviations only before a number: "No. 5", but "He said no." */
const NUMBER_ABBREVIATIONS = readWords('no nr art fig figs vol p pp ch sec eq abs kap nos num op');
const NAMED_AFTER_NUMBER =
  /^\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert)/;
const LIST_NUMBER = /^\d{1,3}\.(?=\s)/;

/** Removes the number of a list item; "3. Oktober" has none. */
export function removeListNumber(sentence: string): string {
  const rest = sentence.replace(LIST_NUMBER, '');
  return NAMED_AFTER_NUMBER.test(rest) ? sentence : rest.trimStart();
}

/** Joins wrapped lines. */
export function unwrapLines(text: string): string {
  return text.replace(LINE_WRAP, ' ');
}

/**
 * Splits a text after each sentence or line end.
 * @param options.lowerCaseBegins sentences may start with a lower-case letter, so a full stop before one ends a
 *   sentence
 * @returns consecutive pieces that form the text
 */
export function splitSentences(text: string, { lowerCaseBegins = false } = {}): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    let end = match.index + match[0].length;
    if (match.index < from) continue;
    if (match[0].startsWith('.') && !endsSentence(text, match.index, end, lowerCaseBegins)) continue;
    if (!match[0].startsWith('\n')) {
      const behind = new RegExp(TRAILING_MARKS);
      behind.lastIndex = end;
      if (behind.test(text)) end = behind.lastIndex;
    }
    pieces.push(text.slice(from, end));
    from = end;
  }
  return from < text.length ? [...pieces, text.slice(from)] : pieces;
}

/** Whether a full stop ends a sentence, rather than an abbreviation, initial, ordinal or list number. */
function endsSentence(text: string, dot: number, end: number, lowerCaseBegins: boolean): boolean {
  const next = text.slice(end, end + 14);
  if (!lowerCaseBegins && /^\s+\p{Ll}/u.test(next)) return false;
  if (/^\s*\ue000/.test(next)) return true;
  const before = /[^\s("'“„«]*$/u.exec(text.slice(Math.max(0, dot - 12), dot))?.[0] ?? '';
  if (/^\d{1,3}$/.test(before))
    return !NAMED_AFTER_NUMBER.test(next) && !startsLine(text, dot, before.length);
  const word = before.toLowerCase();
  if (NUMBER_ABBREVIATIONS.has(word) && /^\s+(?:\d|[IVXLCDM]{2,}\b)/.test(next)) return false;
  if (/^\p{L}$/u.test(before) || /^\p{L}{1,2}(?:\.\p{L}{1,2})+$/u.test(before)) return false;
  return !ABBREVIATIONS.has(word) && !CAPITAL_ABBREVIATIONS.has(before);
}

/** `3. Third item` */
function startsLine(text: string, dot: number, digits: number): boolean {
  return /(?:^|\n)[^\S\n]*$/.test(text.slice(Math.max(0, dot - digits - 20), dot - digits));
}

/**
 * The identity of a statement: ignores compatibility forms, case and white space only. Identities are stored: changing
 * the rule would make every statement new.
 * @returns 128 bits in hexadecimal
 */
export function hashStatement(text: string): string {
  const bare = text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return createHash('sha256').update(bare).digest('hex').slice(0, 32);
}
