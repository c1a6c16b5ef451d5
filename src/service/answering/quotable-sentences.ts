/**
 * Whole sentences of a text, each exactly as it stands there. A rule, not a dictionary: terminal marks of
 * several scripts, abbreviations, initials, numbers. Where it errs it joins two sentences, it cuts none.
 */
import { hasUnspacedScript } from '../../domain/relevance.ts';
import { collapseSpaces } from './unsafe-markup.ts';

const MIN_WORDS = 4;
const MIN_LENGTH = 20;
/** Scripts without spaces say as much in fewer characters. */
const MIN_LENGTH_UNSPACED = 8;
const MAX_LENGTH = 300;

/** Between Latin letters 。 is no full stop: browsers take it for a dot. */
const BOUNDARY =
  /(?<![.!?؟।॥…])[.!?؟।॥…]+["'”’»)\]]*(?=\s|$)|(?!(?<=[A-Za-z0-9])。[A-Za-z0-9])[。！？]+["”’」』）]*|\n+/gu;
const SENTENCE_END = /[.!?؟।॥。！？]["'”’»)\]」』）]*$/u;
const TRAILED_OFF = /(?:…|\.\.)["'”’»)\]]*$/u;
/** A wrapped line goes on in the next one. */
const WRAPPED_LINE = /(?<![.!?؟。！？\n])\n(?=\p{Ll})/gu;

const ABBREVIATIONS = new Set(
  (
    'dr prof mr mrs ms mx st jr sr rev hon gen col lt sgt capt gov sen rep pres vs etc inc ltd corp dept est ' +
    'approx jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun mt ave blvd al cf ' +
    'bzw ca usw vgl evtl ggf inkl str tel hr fr mme mlle mgr sra ud uds dhr mevr'
  ).split(' '),
);
/** These are abbreviations before a number only: "No. 5", but "He said no." */
const NUMBER_ABBREVIATIONS = new Set('no nr art fig figs vol p pp ch sec eq abs kap nos num op'.split(' '));
const MONTH =
  /^\s+(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert)/;

const LEADING_MARKS = /^(?:https?:\/\/\S+|[^\p{L}\p{N}"'“„«¿¡($€£@#「『（])+/u;
const LINK = /^https?:\/\/\S/;
const TAG = /^#[\p{L}\p{N}_]+$/u;
const REPOST_PREFIX = /^RT @\w+:\s*/;

/**
 * @param text as `toVisibleLines` gives it
 * @param loose posts and comments: the end of a line ends a sentence too, and it may begin in lower case
 */
export function extractSentences(text: string, loose = false): string[] {
  const whole = text.replace(REPOST_PREFIX, '').replace(WRAPPED_LINE, ' ');
  const sentences: string[] = [];
  const take = (from: number, to: number, ended: boolean) => {
    const sentence = trimSentence(whole.slice(from, to));
    if (isSentence(sentence, loose, ended)) sentences.push(sentence);
  };
  let from = 0;
  for (const match of whole.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    if (match[0].startsWith('.') && !endsSentence(whole, match.index, end)) continue;
    take(from, end, match[0].startsWith('\n'));
    from = end;
  }
  if (from < whole.length) take(from, whole.length, true);
  return sentences;
}

/** A text cut at the ends of its sentences, nothing left out: what is too short to be quoted is there too. */
export function splitSentences(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    if (match[0].startsWith('.') && !endsSentence(text, match.index, end, false)) continue;
    parts.push(text.slice(from, end).trim());
    from = end;
  }
  parts.push(text.slice(from).trim());
  return parts.filter((part) => part !== '');
}

/** Without what posts are led in by, and without the links and tags that they end with; one tag alone may be a word. */
function trimSentence(part: string): string {
  const words = collapseSpaces(part).replace(LEADING_MARKS, '').split(' ');
  const unlinked = words.slice(0, words.findLastIndex((word) => !LINK.test(word)) + 1);
  const untagged = unlinked.slice(0, Math.max(1, unlinked.findLastIndex((word) => !TAG.test(word)) + 1));
  return (unlinked.length - untagged.length > 1 ? untagged : unlinked).join(' ');
}

/** Whether a full stop ends its sentence, or belongs to an abbreviation, an initial or an ordinal. */
function endsSentence(text: string, dot: number, end: number, begunByCapital = true): boolean {
  const next = text.slice(end, end + 14);
  if (begunByCapital && /^\s+\p{Ll}/u.test(next)) return false;
  const before = /[^\s("'“„«]*$/u.exec(text.slice(Math.max(0, dot - 12), dot))?.[0] ?? '';
  if (/^\p{L}$/u.test(before) || /^\p{L}{1,2}(?:\.\p{L}{1,2})+$/u.test(before)) return false;
  if (/^\d{1,2}$/.test(before)) return !MONTH.test(next);
  const word = before.toLowerCase();
  if (NUMBER_ABBREVIATIONS.has(word)) return !/^\s+\d/.test(next);
  return !ABBREVIATIONS.has(word);
}

function isSentence(text: string, loose: boolean, lineEnds: boolean): boolean {
  if (text.length > MAX_LENGTH || TRAILED_OFF.test(text)) return false;
  if (!SENTENCE_END.test(text) && !(loose && lineEnds)) return false;
  if (!loose && /^\p{Ll}(?!\p{Lu})/u.test(text)) return false;
  if (!isBalanced(text)) return false;
  if (hasUnspacedScript(text)) return text.length >= MIN_LENGTH_UNSPACED;
  const words = text.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
  const tags = words.filter((word) => word.startsWith('#') || word.startsWith('@'));
  return text.length >= MIN_LENGTH && words.length >= MIN_WORDS && tags.length * 2 < words.length;
}

/** A quotation or a bracket that is opened is closed: otherwise it is a piece of something longer. */
function isBalanced(text: string): boolean {
  if (!/["“”„()«»]/.test(text)) return true;
  const count = (mark: string) => text.split(mark).length - 1;
  // “English” and „German“: the mark that opens one closes the other.
  const quoted = count('„') > 0 ? count('„') === count('“') : count('“') === count('”');
  const paired = count('(') === count(')') && count('«') === count('»');
  return quoted && paired && count('"') % 2 === 0;
}
