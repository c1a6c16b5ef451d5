/**
 * What a language model wrote, held against what it was given. A sentence that names no source, or that its
 * sources do not carry (support.ts), is left out. An answer that shows that somebody else's orders were
 * followed is refused whole.
 */
import { indexWords } from '../../relevance/words.ts';
import { z } from 'zod';
import type { Briefing, Numbered } from './briefing.ts';
import { type Draft, KEY_ITEMS, type Role, SECTIONS } from './draft.ts';
import { holdsAddress, holdsMarkup, isEncoded } from './hostile.ts';
import { holdsHost } from './hosts.ts';
import { lenientObject } from './json.ts';
import { holdsOrder } from './orders.ts';
import { plainLine } from './plain.ts';
import { cut } from './sentences.ts';
import { type Ground, groundOf, isSupported } from './support.ts';

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
/** Of one `text`, which is to be one sentence. */
const TOGETHER_MOST = 8;
/** Of more sentences than these none is looked at. */
const READ_MOST = 40;
/** So many words in a row of what we told it are no coincidence. */
const SYSTEM_RUN = 8;
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
  const ground = groundOf(briefing.items, briefing.prompt);
  const drafts = new Map<Role, Draft>();
  for (const role of briefing.roles) {
    const read = part.safeParse(whole.data[role]);
    if (!read.success) continue;
    const draft = draftOf(role, read.data, briefing.items, ground);
    if (draft.said.length > 0) drafts.set(role, draft);
  }
  if (drafts.size === 0) throw new Rejected('unsupported');
  return drafts;
}

/** @throws Rejected for what no honest answer holds */
function refuse(answer: string, { nonce, question }: Briefing): void {
  if (answer.includes(nonce) || /<<\s*(?:\/\s*)?src\b/i.test(answer)) throw new Rejected('fence');
  const told = runsOf(question.system);
  for (const run of runsOf(answer)) if (told.has(run)) throw new Rejected('system_text');
}

function runsOf(text: string): Set<string> {
  const words = indexWords(text);
  const runs = new Set<string>();
  for (let i = 0; i + SYSTEM_RUN <= words.length; i++) runs.add(words.slice(i, i + SYSTEM_RUN).join(' '));
  return runs;
}

function draftOf(role: Role, read: z.infer<typeof part>, items: readonly Numbered[], ground: Ground): Draft {
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
    const text = usable(sentence.data.text, SENTENCE_MAX, sources, ground);
    return text === undefined ? [] : [{ text: ended(text), links: linksOf(sources) }];
  });
  const keys = read.key.slice(0, READ_MOST).flatMap((one) => {
    const item = key.safeParse(one);
    if (!item.success) return [];
    const [source] = cited(item.data.cite, keyOf);
    const text = source && usable(item.data.text, KEY_MAX, [source], ground);
    return source === undefined || text === undefined ? [] : [{ text, link: source.link }];
  });
  const distinct = keys.filter(({ link }, i) => keys.findIndex((other) => other.link === link) === i);
  return { said: sentences.slice(0, SENTENCES_MAX), key: distinct.slice(0, KEY_ITEMS) };
}

/**
 * The sentences of a text that its sources carry, each ended, in one line; undefined where none is.
 * @throws Rejected for markup and addresses: it was told to write none, so somebody else told it to
 */
function usable(raw: string, most: number, sources: readonly Numbered[], ground: Ground): string | undefined {
  // Numbers in brackets would look like ours; emphasis is harmless, and goes.
  const text = plainLine(raw, most * 2)
    .replace(/(?<!\s)\s*[[［【〔⟦]\s*\p{N}+(?:\s*[,;–-]\s*\p{N}+)*\s*[\]］】〕⟧](?!\()/gu, '')
    .replace(/\*\*|__|`/g, '');
  if (holdsAddress(text)) throw new Rejected('address');
  if (holdsMarkup(text)) throw new Rejected('markup');
  if (text === '' || text.length > most || sources.length === 0) return undefined;
  if (holdsMarkup(text.normalize('NFKC')) || isEncoded(text)) return undefined;
  if (holdsHost(text) || holdsOrder(text)) return undefined;
  const carried = cut(text)
    .slice(0, TOGETHER_MOST)
    .filter((sentence) => isSupported(sentence, sources, ground));
  return carried.length === 0 ? undefined : carried.join(' ');
}

function ended(text: string): string {
  return /[.!?؟।。！？…]["'”’»)\]」』）]*$/u.test(text) ? text : `${text}.`;
}

function linksOf(sources: readonly Numbered[]): string[] {
  return [...new Set(sources.map(({ link }) => link))];
}
