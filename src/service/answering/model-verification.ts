/**
 * Verifies the response of a language model against its sources. Drops sentences that cite no source or are not
 * supported by it (source-support.ts). Rejects the whole response if it shows that the model followed injected
 * instructions.
 */

import { splitSentences } from '../../lib/sentences.ts';
import { splitIndexWords } from '../../model/relevance.ts';
import {
  COMPLETION_SECTIONS,
  type CompletionRole,
  MAX_KEY_ITEMS,
  type SectionDraft,
} from './completion-draft.ts';
import { containsInjection } from './injection.ts';
import type { ModelPrompt, NumberedItem } from './model-prompt.ts';
import { parseLenientObject } from './lenient-json.ts';
import { endSentence } from './quotable-sentences.ts';
import { type Evidence, indexEvidence, isSupported } from './source-support.ts';
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
const sentencePart = z.object({ text: z.string(), cites: z.array(citeNumber) });
const keyPart = z.object({ cite: citeNumber, text: z.string() });
const sectionPart = z.object({
  summary: z.array(z.unknown()).catch([]),
  key: z.array(z.unknown()).catch([]),
});

/**
 * @param answer the raw response
 * @returns the verified draft of each part that has any sentence left
 * @throws DraftRejected
 */
export function verifyDrafts(
  answer: string,
  briefing: ModelPrompt,
): ReadonlyMap<CompletionRole, SectionDraft> {
  const whole = z.record(z.string(), z.unknown()).safeParse(parseLenientObject(answer));
  if (!whole.success) throw new DraftRejected('not_json');
  rejectForeignText(answer, briefing);
  const ground = indexEvidence(briefing.items, briefing.prompt);
  const drafts = new Map<CompletionRole, SectionDraft>();
  for (const role of briefing.roles) {
    const read = sectionPart.safeParse(whole.data[role]);
    if (!read.success) continue;
    const draft = verifySection(role, read.data, briefing.items, ground);
    if (draft.sentences.length > 0) drafts.set(role, draft);
  }
  if (drafts.size === 0) throw new DraftRejected('unsupported');
  return drafts;
}

/** @throws DraftRejected if the response contains what only an injection can cause */
function rejectForeignText(answer: string, { nonce, question }: ModelPrompt): void {
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

function verifySection(
  role: CompletionRole,
  read: z.infer<typeof sectionPart>,
  items: readonly NumberedItem[],
  ground: Evidence,
): SectionDraft {
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
    const text = keepSupported(sentence.data.text, MAX_SENTENCE_LENGTH, sources, ground);
    return text === undefined
      ? []
      : [{ text: endSentence(text), links: [...new Set(sources.map(({ link }) => link))] }];
  });
  const keys = read.key.slice(0, MAX_PARSED_SENTENCES).flatMap((part) => {
    const item = keyPart.safeParse(part);
    if (!item.success) return [];
    const [source] = cited(item.data.cite, keyOf);
    const text = source && keepSupported(item.data.text, MAX_KEY_LENGTH, [source], ground);
    return source === undefined || text === undefined ? [] : [{ text, link: source.link }];
  });
  const distinct = keys.filter(({ link }, i) => keys.findIndex((other) => other.link === link) === i);
  return { sentences: sentences.slice(0, MAX_SENTENCES), key: distinct.slice(0, MAX_KEY_ITEMS) };
}

/**
 * The supported sentences of a text, each terminated, in one line; undefined if there are none.
 * @throws DraftRejected for markup and URLs: our prompt forbids both, so an injection asked for them
 */
function keepSupported(
  raw: string,
  most: number,
  sources: readonly NumberedItem[],
  ground: Evidence,
): string | undefined {
  // Bracketed numbers would look like our citations. Emphasis is harmless and removed.
  const text = toVisibleLine(raw, most * 2)
    .replace(/(?<!\s)\s*[[［【〔⟦]\s*\p{N}+(?:\s*[,;–-]\s*\p{N}+)*\s*[\]］】〕⟧](?!\()/gu, '')
    .replace(/\*\*|__|`/g, '');
  if (containsAddress(text)) throw new DraftRejected('address');
  if (containsMarkup(text)) throw new DraftRejected('markup');
  if (text === '' || text.length > most || sources.length === 0) return undefined;
  if (containsMarkup(text.normalize('NFKC')) || isEncoded(text)) return undefined;
  if (containsHost(text) || containsInjection(text)) return undefined;
  const supported = splitSentences(text, { lowerCaseBegins: true })
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .slice(0, MAX_SENTENCES_PER_TEXT)
    .filter((sentence) => isSupported(sentence, sources, ground));
  return supported.length === 0 ? undefined : supported.join(' ');
}
