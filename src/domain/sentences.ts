/**
 * Where the sentences of a text end, and when two of them say the same. A rule of our own and not the runtime's: what a
 * sentence is decides what a statement is, and must not change with a version of the runtime. Terminal marks of several
 * scripts, abbreviations, initials, numbers. Where it errs it joins two sentences, it cuts none.
 */
import { createHash } from 'node:crypto';

/** Stands in a text where a citation stood; behind the end of a sentence it belongs to that sentence. */
export const MARK = '\ue000';

/** Between Latin letters 。 is no full stop: browsers take it for a dot. */
const BOUNDARY =
  /(?<![.!?؟।॥…])[.!?؟।॥…]+["'”’»)\]*_]*(?=[\s\ue000]|$)|(?!(?<=[A-Za-z0-9])。[A-Za-z0-9])[。！？]+["”’」』）*_]*|\n+/gu;
const TRAILING_MARKS = /(?:[^\S\n]*\ue000)+/y;
/** A wrapped line goes on in the next one. */
const LINE_WRAP = /(?<=[^\s.!?؟。！？:])[^\S\n]*\n[^\S\n]*(?=\p{Ll})/gu;

const readWords = (list: string) => new Set(list.split(/\s+/));
const ABBREVIATIONS = readWords(
  `dr prof mr mrs ms mx st jr sr rev gen col lt sgt capt gov sen rep vs inc ltd corp dept est approx jan feb apr jun jul aug
   sep sept oct nov dec mt ave blvd al cf bzw ca usw vgl evtl ggf inkl tel mme mlle mgr sra ud uds dhr mevr`,
);
/** Words too: the cat sat, in the sun. Abbreviations with a capital only. */
const CAPITAL_ABBREVIATIONS = readWords('Mar Mon Tue Wed Thu Fri Sat Sun Hon Pres Str Hr Fr');
/** Words too: before a number alone abbreviations. "No. 5", but "He said no." */
const NUMBER_ABBREVIATIONS = readWords('no nr art fig figs vol p pp ch sec eq abs kap nos num op');
const NAMED_AFTER_NUMBER =
  /^\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert)/;
const LIST_NUMBER = /^\d{1,3}\.(?=\s)/;

/** The first sentence of a list's item without its number; "3. Oktober" has none. */
export function removeListNumber(sentence: string): string {
  const rest = sentence.replace(LIST_NUMBER, '');
  return NAMED_AFTER_NUMBER.test(rest) ? sentence : rest.trimStart();
}

/** Lines that a width wrapped, as one line again. */
export function unwrapLines(text: string): string {
  return text.replace(LINE_WRAP, ' ');
}

/**
 * The sentences of a text, cut behind each end, be it a mark or the end of a line.
 * @param options.lowerCaseBegins a sentence may begin with a small letter: a full stop before one is an end too
 * @returns pieces in order, which joined are the text
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

/** Whether a full stop ends its sentence, or belongs to an abbreviation, an initial, an ordinal or a list. */
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
 * What makes two wordings one statement: compatibility forms, case and white space do not count, all else does.
 * Identities are stored: another rule would make every statement new.
 * @returns 128 bits in hexadecimal
 */
export function hashStatement(text: string): string {
  const bare = text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  return createHash('sha256').update(bare).digest('hex').slice(0, 32);
}
