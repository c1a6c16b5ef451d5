/**
 * The sentences of a text that a machine wrote in Markdown. A rule of our own and not the runtime's: what a
 * sentence is decides what a claim is, and must not change with a version of the runtime. Where it errs it joins.
 */
import { MARK } from './marks.ts';

const FENCED = /```[\s\S]*?(?:```|$)/g;
/** `# Title`, and a line that is bold as a whole and no sentence. */
const HEADING =
  /^[^\S\n]{0,3}#{1,6}[^\S\n][^\n]*$|^[^\S\n]*(?:[-*+•][^\S\n]+)?(\*\*|__)[^*_\n]{1,300}(?<![.!?。！？])\1:?[^\S\n]*$/gmu;
/** A wrapped line goes on in the next one. */
const WRAP = /(?<=[^\s.!?؟。！？:])[^\S\n]*\n[^\S\n]*(?=\p{Ll})/gu;
const BOUNDARY = /(?<![.!?؟।॥…])[.!?؟।॥…]+["'”’»)\]*_]*(?=[\s\ue000]|$)|[。！？]+["”’」』）*_]*|\n+/gu;
/** Marks behind the end of a sentence are marks of that sentence. */
const BEHIND = /(?:[^\S\n]*\ue000)+/y;

const ABBREVIATION = new Set(
  `dr prof mr mrs ms jr sr rev gen col lt sgt gov sen rep vs inc ltd corp dept est approx jan feb mar apr jun jul
   aug sep sept oct nov dec st mt ave bzw ca usw vgl evtl ggf inkl nr art abs fig figs vol pp eq cf al sra mme tel`.split(
    /\s+/,
  ),
);
const NAMED_AFTER_NUMBER =
  /^\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert)/;

/** A text without code blocks and headings, which say nothing of their own. */
export function withoutScaffold(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(FENCED, '\n').replace(HEADING, '');
}

/** @param text with place holders; none is lost. @returns pieces in order, which joined are the text (but for wraps) */
export function splitSentences(text: string): string[] {
  const whole = text.replace(WRAP, ' ');
  const pieces: string[] = [];
  let from = 0;
  for (const match of whole.matchAll(BOUNDARY)) {
    let end = match.index + match[0].length;
    if (match.index < from) continue;
    if (match[0].startsWith('.') && !endsSentence(whole, match.index, end)) continue;
    if (!match[0].startsWith('\n')) {
      const behind = new RegExp(BEHIND);
      behind.lastIndex = end;
      if (behind.test(whole)) end = behind.lastIndex;
    }
    pieces.push(whole.slice(from, end));
    from = end;
  }
  return [...pieces, whole.slice(from)];
}

/** Whether a full stop ends its sentence, or belongs to an abbreviation, an initial, an ordinal or a list. */
function endsSentence(text: string, dot: number, end: number): boolean {
  const next = text.slice(end, end + 14);
  if (/^\s+\p{Ll}/u.test(next)) return false;
  if (/^\s*\ue000/.test(next)) return true;
  const before = /[^\s("'“„«]*$/u.exec(text.slice(Math.max(0, dot - 12), dot))?.[0] ?? '';
  if (before === '' || before.endsWith(MARK)) return true;
  if (/^\p{L}$/u.test(before) || /^\p{L}{1,2}(?:\.\p{L}{1,2})+$/u.test(before)) return false;
  if (/^\d{1,3}$/.test(before))
    return !NAMED_AFTER_NUMBER.test(next) && !startsLine(text, dot, before.length);
  return !ABBREVIATION.has(before.toLowerCase());
}

/** `3. Third item` */
function startsLine(text: string, dot: number, digits: number): boolean {
  return /(?:^|\n)[^\S\n]*$/.test(text.slice(Math.max(0, dot - digits - 20), dot - digits));
}
