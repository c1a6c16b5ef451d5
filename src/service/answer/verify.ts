/**
 * What a language model wrote, held against what it was given. A sentence that names no source, holds a
 * figure that its sources do not hold, or says what they do not say, is left out. An answer that shows
 * that somebody else's orders were followed is refused whole.
 */
import { stopWordsOf } from '../rank/stop-words.ts';
import { indexWords } from '../../relevance/words.ts';
import { z } from 'zod';
import type { Briefing, Numbered } from './briefing.ts';
import { type Draft, KEY_ITEMS, type Role, SECTIONS } from './draft.ts';
import { figuresOf } from './figures.ts';
import { holdsAddress, holdsHost, holdsMarkup } from './hostile.ts';
import { lenientObject } from './json.ts';
import { holdsOrder } from './orders.ts';
import { plainLine } from './plain.ts';
import { singular } from './words.ts';

/** The answer as a whole cannot be used. */
export class Rejected extends Error {
  readonly reason: 'not_json' | 'fence' | 'system_text' | 'address' | 'markup' | 'unsupported';

  constructor(reason: Rejected['reason']) {
    super(reason);
    this.name = 'Rejected';
    this.reason = reason;
  }
}

const SENTENCE_MAX = 600;
const KEY_MAX = 300;
const SENTENCES_MAX = 14;
const CITES_MAX = 4;
/** Of more sentences than these none is looked at. */
const READ_MOST = 40;
/** So many words in a row of what we told it are no coincidence. */
const SYSTEM_RUN = 8;
/**
 * The share of a sentence's telling words that its sources must hold. Faithful paraphrases keep more than
 * half (names, things); a sentence of the model's own, or of an order's, keeps next to none.
 */
const SUPPORT = 0.4;
/** Where one other item holds so much more of a sentence, the wrong one is cited. */
const ELSEWHERE = 0.25;
/** So many letters of a word are compared: endings differ between a source and what is said of it. */
const ROOT = 5;

const number = z.union([
  z.int(),
  z
    .string()
    .regex(/^\D?\d{1,4}\D?$/)
    .transform((text) => Number(text.replace(/\D/g, ''))),
]);
const said = z.object({ text: z.string(), cites: z.array(number) });
const key = z.object({ cite: number, text: z.string() });
const part = z.object({ summary: z.array(z.unknown()).catch([]), key: z.array(z.unknown()).catch([]) });

/**
 * @param answer as the model wrote it
 * @returns what may be used, for each part that holds any sentence
 * @throws Rejected
 */
export function verified(answer: string, briefing: Briefing): ReadonlyMap<Role, Draft> {
  const whole = z.record(z.string(), z.unknown()).safeParse(lenientObject(answer));
  if (!whole.success) throw new Rejected('not_json');
  refuse(answer, briefing);
  const words = rootsOf(briefing.items);
  const drafts = new Map<Role, Draft>();
  for (const role of briefing.roles) {
    const read = part.safeParse(whole.data[role]);
    if (!read.success) continue;
    const draft = draftOf(role, read.data, briefing.items, words);
    if (draft.said.length > 0) drafts.set(role, draft);
  }
  if (drafts.size === 0) throw new Rejected('unsupported');
  return drafts;
}

/** @throws Rejected for what no honest answer holds */
function refuse(answer: string, { nonce, question }: Briefing): void {
  if (answer.includes(nonce) || /<<\s*\/?\s*src\b/i.test(answer)) throw new Rejected('fence');
  const told = runsOf(question.system);
  for (const run of runsOf(answer)) if (told.has(run)) throw new Rejected('system_text');
}

function runsOf(text: string): Set<string> {
  const words = indexWords(text);
  const runs = new Set<string>();
  for (let i = 0; i + SYSTEM_RUN <= words.length; i++) runs.add(words.slice(i, i + SYSTEM_RUN).join(' '));
  return runs;
}

function draftOf(role: Role, read: z.infer<typeof part>, items: readonly Numbered[], words: WordsOf): Draft {
  const { reads, keyOf } = SECTIONS[role];
  const cited = (cite: number, of: readonly string[]) => {
    const item = items[cite - 1];
    return item !== undefined && of.includes(item.source) ? [item] : [];
  };
  const sentences = read.summary.slice(0, READ_MOST).flatMap((one) => {
    const sentence = said.safeParse(one);
    if (!sentence.success) return [];
    const sources = [...new Set(sentence.data.cites)]
      .flatMap((cite) => cited(cite, reads))
      .slice(0, CITES_MAX);
    const text = usable(sentence.data.text, SENTENCE_MAX, sources, words);
    return text === undefined ? [] : [{ text: ended(text), links: linksOf(sources) }];
  });
  const keys = read.key.slice(0, READ_MOST).flatMap((one) => {
    const item = key.safeParse(one);
    if (!item.success) return [];
    const [source] = cited(item.data.cite, keyOf);
    const text = source && usable(item.data.text, KEY_MAX, [source], words);
    return source === undefined || text === undefined ? [] : [{ text, link: source.link }];
  });
  const distinct = keys.filter(({ link }, i) => keys.findIndex((other) => other.link === link) === i);
  return { said: sentences.slice(0, SENTENCES_MAX), key: distinct.slice(0, KEY_ITEMS) };
}

/**
 * The text in one line, or undefined where its sources do not carry it.
 * @throws Rejected for markup and addresses: it was told to write none, so somebody else told it to
 */
function usable(raw: string, most: number, sources: readonly Numbered[], words: WordsOf): string | undefined {
  // Numbers in brackets would look like ours; emphasis is harmless, and goes.
  const text = plainLine(raw, most * 2)
    .replace(/\s*\[\s*\d+(?:\s*[,;–-]\s*\d+)*\s*\](?!\()/g, '')
    .replace(/\*\*|__|`/g, '');
  if (holdsAddress(text)) throw new Rejected('address');
  if (holdsMarkup(text)) throw new Rejected('markup');
  if (text === '' || text.length > most || sources.length === 0) return undefined;
  if (holdsHost(text) || holdsOrder(text)) return undefined;
  const figures = figuresOf(sources.map((source) => `${source.text} ${source.date}`).join(' '));
  if ([...figuresOf(text)].some((figure) => !figures.has(figure))) return undefined;
  return isSupported(text, sources, words) ? text : undefined;
}

/** Whether the sources hold enough of a sentence's telling words, and no other item holds many more. */
function isSupported(text: string, sources: readonly Numbered[], words: WordsOf): boolean {
  const all = indexWords(text);
  const isLittle = stopWordsOf(all);
  const telling = all.filter((word) => !isLittle(word) && !/^\d/.test(word)).map(root);
  if (telling.length === 0) return false;
  const heldBy = (items: readonly ReadonlySet<string>[]) =>
    telling.filter((word) => items.some((item) => item.has(word))).length / telling.length;
  const support = heldBy(sources.flatMap((source) => words.get(source) ?? []));
  const elsewhere = Math.max(...[...words.values()].map((item) => heldBy([item])));
  return support >= SUPPORT && elsewhere - support < ELSEWHERE;
}

/** The roots of the words of each item. */
type WordsOf = ReadonlyMap<Numbered, ReadonlySet<string>>;

function rootsOf(items: readonly Numbered[]): WordsOf {
  return new Map(items.map((item) => [item, new Set(indexWords(item.text).map(root))]));
}

function root(word: string): string {
  return singular(word).slice(0, ROOT);
}

function ended(text: string): string {
  return /[.!?؟।。！？…]["'”’»)\]」』）]*$/u.test(text) ? text : `${text}.`;
}

function linksOf(sources: readonly Numbered[]): string[] {
  return [...new Set(sources.map(({ link }) => link))];
}
