/**
 * Reads what a language model wrote. Drops sentences that cite no source, or that no cited source can say (source-support.ts); whether
 * it does say them is decided afterwards (support-check.ts). Rejects the whole response if it shows that the model followed
 * injected instructions.
 */

import { isPlain } from '../../lib/json-values.ts';
import { splitSentences } from '../../lib/sentences.ts';
import { splitIndexWords } from '../../model/relevance.ts';
import { createStopWordFilter } from '../planning/question-words.ts';
import {
  COMPLETION_SECTIONS,
  type CompletionRole,
  MAX_KEY_ITEMS,
  type SectionDraft,
} from './completion-draft.ts';
import { containsInjection } from './injection.ts';
import type { CitableItem, ModelPrompt } from './model-prompt.ts';
import { parseLenientObject } from './lenient-json.ts';
import { endSentence } from './quotable-sentences.ts';
import { type Evidence, indexEvidence, judgeByWords, type WordSupport } from './source-support.ts';
import { containsAddress, containsHost, containsMarkup, isEncoded, toVisibleLine } from './unsafe-markup.ts';
import { z } from 'zod';

/** The response as a whole cannot be used. */
export class DraftRejected extends Error {
  readonly reason: 'not_json' | 'fence' | 'system_text' | 'address' | 'markup' | 'unsupported';

  constructor(reason: DraftRejected['reason']) {
    super(reason);
    this.name = 'Rejected';
    this.reason = reason;
  }
}

const MAX_SENTENCE_LENGTH = 600;
const MAX_KEY_LENGTH = 300;
const MAX_SENTENCES = 14;
const MAX_CITES = 4;
/** Sentences used of one `text`, which should be a single sentence. */
const MAX_SENTENCES_PER_TEXT = 8;
/** Sentences checked per part. */
const MAX_PARSED_SENTENCES = 40;
/** A run of this many words from our instructions is a leak, not a coincidence. */
const SYSTEM_RUN_WORDS = 8;
const citeNumber = z.union([
  z.int(),
  z
    .string()
    .regex(/^\D?\d{1,4}\D?$/)
    .transform((text) => Number(text.replace(/\D/g, ''))),
]);
export const sentencePart = z.object({ text: z.string(), cites: z.array(citeNumber) });
const keyPart = z.object({ cite: citeNumber, text: z.string() });
const sectionPart = z.object({
  summary: z.array(z.unknown()).catch([]),
  key: z.array(z.unknown()).catch([]),
  missing: z.array(z.unknown()).catch([]),
});

/** A sentence of a model, and what its words say about it. */
export type Statement = { text: string; sources: readonly CitableItem[]; byWords: WordSupport };

/** A part as a model wrote it, before it is decided which statements are supported. */
type DraftedSection = {
  sentences: readonly Statement[];
  /** Each of one or more statements about one item. */
  key: readonly (readonly Statement[])[];
  missing: readonly string[];
};
export type Drafts = ReadonlyMap<CompletionRole, DraftedSection>;

/**
 * @param answer the raw response
 * @returns each part that has any statement left
 * @throws DraftRejected
 */
export function readDrafts(answer: string, briefing: ModelPrompt): Drafts {
  const found = parseLenientObject(answer, (object) => hasRole(object, briefing));
  const whole = z.record(z.string(), z.unknown()).safeParse(found);
  if (!whole.success) throw new DraftRejected('not_json');
  rejectForeignText(answer, briefing);
  const ground = indexEvidence(briefing.items, briefing.prompt);
  const drafts = new Map<CompletionRole, DraftedSection>();
  for (const role of briefing.roles) {
    const read = sectionPart.safeParse(whole.data[role]);
    if (!read.success) continue;
    const draft = readSection(role, read.data, briefing, ground);
    if (draft.sentences.length > 0) drafts.set(role, draft);
  }
  if (drafts.size === 0) throw new DraftRejected('unsupported');
  return drafts;
}

function hasRole(object: unknown, { roles }: ModelPrompt): boolean {
  return isPlain(object) && roles.some((role) => isPlain(object[role]));
}

/** The parts with their supported statements; those without any are left out. */
export function settleDrafts(
  drafts: Drafts,
  isSupported: (statement: Statement) => boolean,
): ReadonlyMap<CompletionRole, SectionDraft> {
  const settled = new Map<CompletionRole, SectionDraft>();
  for (const [role, { sentences, key, missing }] of drafts) {
    const kept = sentences.filter(isSupported).slice(0, MAX_SENTENCES);
    if (kept.length === 0) continue;
    const keys = key.flatMap((statements) => {
      const said = statements.filter(isSupported);
      const link = said[0]?.sources[0]?.link;
      return link === undefined ? [] : [{ text: said.map(({ text }) => text).join(' '), link }];
    });
    settled.set(role, {
      sentences: kept.map(({ text, sources }) => ({
        text: endSentence(text),
        links: [...new Set(sources.map(({ link }) => link))],
      })),
      key: keys
        .filter(({ link }, i) => keys.findIndex((other) => other.link === link) === i)
        .slice(0, MAX_KEY_ITEMS),
      missing,
    });
  }
  return settled;
}

/** @throws DraftRejected if the response contains what only an injection can cause */
export function rejectForeignText(
  answer: string,
  { nonce, question }: Pick<ModelPrompt, 'nonce' | 'question'>,
): void {
  if (answer.includes(nonce) || /<<\s*(?:\/\s*)?src\b/i.test(answer)) throw new DraftRejected('fence');
  const systemRuns = listWordRuns(question.system);
  for (const run of listWordRuns(answer)) if (systemRuns.has(run)) throw new DraftRejected('system_text');
}

function listWordRuns(text: string): Set<string> {
  const words = splitIndexWords(text);
  const runs = new Set<string>();
  for (let i = 0; i + SYSTEM_RUN_WORDS <= words.length; i++)
    runs.add(words.slice(i, i + SYSTEM_RUN_WORDS).join(' '));
  return runs;
}

function readSection(
  role: CompletionRole,
  read: z.infer<typeof sectionPart>,
  { items, prompt, questions }: ModelPrompt,
  ground: Evidence,
): DraftedSection {
  const { reads, keyOf } = COMPLETION_SECTIONS[role];
  const cited = (cite: number, of: readonly string[]) => {
    const item = items[cite - 1];
    return item !== undefined && of.includes(item.source) ? [item] : [];
  };
  const sentences = read.summary.slice(0, MAX_PARSED_SENTENCES).flatMap((part) => {
    const sentence = sentencePart.safeParse(part);
    if (!sentence.success) return [];
    const sources = [...new Set(sentence.data.cites)]
      .flatMap((cite) => cited(cite, reads))
      .slice(0, MAX_CITES);
    return listStatements(sentence.data.text, MAX_SENTENCE_LENGTH, sources, ground);
  });
  const key = read.key.slice(0, MAX_PARSED_SENTENCES).flatMap((part) => {
    const item = keyPart.safeParse(part);
    if (!item.success) return [];
    const sources = cited(item.data.cite, keyOf);
    const statements = listStatements(item.data.text, MAX_KEY_LENGTH, sources, ground);
    return statements.length === 0 ? [] : [statements];
  });
  return {
    sentences,
    key,
    missing: role === 'summary' ? listMissing(read.missing, [prompt, ...questions]) : [],
  };
}

const MAX_MISSING = 3;
const MAX_MISSING_LENGTH = 160;

/** What no source answers, if it is asked: it has no citation, so that it may only use words of the query. */
function listMissing(texts: readonly unknown[], asked: readonly string[]): string[] {
  const known = new Set(asked.flatMap((text) => splitIndexWords(text.normalize('NFKC'))));
  const missing = texts.slice(0, MAX_PARSED_SENTENCES).flatMap((text) => {
    const line = typeof text === 'string' ? toVisibleLine(text, MAX_MISSING_LENGTH * 2) : '';
    const words = splitIndexWords(line.normalize('NFKC'));
    const isStopWord = createStopWordFilter(words);
    const isShort = line.length <= MAX_MISSING_LENGTH && words.length > 0;
    return isShort && words.every((word) => isStopWord(word) || known.has(word)) ? [line] : [];
  });
  return [...new Set(missing)].slice(0, MAX_MISSING);
}

/**
 * The sentences of a text that its sources may say, in one line each.
 * @throws DraftRejected for markup and URLs: our prompt forbids both, so an injection asked for them
 */
export function listStatements(
  raw: string,
  most: number,
  sources: readonly CitableItem[],
  ground: Evidence,
): Statement[] {
  // Bracketed numbers would look like our citations. Emphasis is harmless and removed.
  const text = toVisibleLine(raw, most * 2)
    .replace(/(?<!\s)\s*[[［【〔⟦]\s*\p{N}+(?:\s*[,;–-]\s*\p{N}+)*\s*[\]］】〕⟧](?!\()/gu, '')
    .replace(/\*\*|__|`/g, '');
  if (containsAddress(text)) throw new DraftRejected('address');
  if (containsMarkup(text)) throw new DraftRejected('markup');
  if (text === '' || text.length > most || sources.length === 0) return [];
  if (containsMarkup(text.normalize('NFKC')) || isEncoded(text)) return [];
  if (containsHost(text) || containsInjection(text)) return [];
  return splitSentences(text, { lowerCaseBegins: true })
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .slice(0, MAX_SENTENCES_PER_TEXT)
    .map((sentence) => ({ text: sentence, sources, byWords: judgeByWords(sentence, sources, ground) }))
    .filter(({ byWords }) => byWords !== 'none');
}
