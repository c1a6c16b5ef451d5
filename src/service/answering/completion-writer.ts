/**
 * Writes a completion: with a language model if configured, otherwise from quotations. Numbers the links, and quotes what a
 * model could not write.
 */

import { CLAIM_ROLES } from '../../model/enumerations.ts';
import { splitSentences } from '../../lib/sentences.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ServedWarning } from '../../protocol/extensions.ts';
import type { Completion } from '../../protocol/specification.ts';
import { takeTurn } from '../event-loop-turns.ts';
import type { Findings } from '../planning/retrieval.ts';
import {
  COMPLETION_ROLES,
  COMPLETION_SECTIONS,
  type CompletionRole,
  type SectionDraft,
} from './completion-draft.ts';
import { explainMissing, explainNoAnswer } from './completion-words.ts';
import { createExtractiveWriter } from './extractive-writer.ts';
import type { LanguageModel } from './language-model.ts';
import { MIN_MODEL_MS, writeWithModel } from './model-writer.ts';

export const NOTHING_FOUND = 'No results for the selected tools and period.';

type CompletionOptions = {
  prompt: string;
  /** The questions that the prompt was divided into, if it asks several things. Default: none are known. */
  questions?: readonly string[];
  /** Time of the request. */
  at: Date;
  /** Time left for writing, in milliseconds. */
  budgetMs: number;
  signal: AbortSignal;
  log: Logger;
  /** Undefined: the completion consists of quotations. */
  model: LanguageModel | undefined;
  /** Called with each text as soon as it is final. */
  onText?: (role: CompletionRole, text: string) => void;
};

export type WrittenCompletion = {
  completion: Completion;
  /** Links that the completion cites, in order of first citation. */
  links: string[];
  /** Who wrote the summary. `none`: no results, or links only. Parts that a model could not write are quoted. */
  writer: 'none' | 'extractive' | 'model';
  /** That statements of a model were not checked by it. */
  warnings: readonly ServedWarning[];
};

/** Reserved for quoting what the model did not write, and for sending it. */
const COMPLETION_RESERVE_MS = 300;
/** For those who want links only. */
export function omitCompletion(): WrittenCompletion {
  const { completion, links } = createCitedCompletion();
  return { completion, links, writer: 'none', warnings: [] };
}

/** @throws the signal's reason if the client disconnects; nothing else */
export async function writeCompletion(
  findings: Findings,
  writing: CompletionOptions,
): Promise<WrittenCompletion> {
  const { model, signal, onText } = writing;
  signal.throwIfAborted();
  const cited = createCitedCompletion();
  const written = (writer: WrittenCompletion['writer'], warnings: readonly ServedWarning[] = []) => ({
    completion: cited.completion,
    links: cited.links,
    writer,
    warnings,
  });
  const reportAll = () => COMPLETION_ROLES.forEach((role) => onText?.(role, cited.completion[role]));
  if ([...findings.values()].every((items) => items.length === 0)) {
    cited.completion.summary = NOTHING_FOUND;
    reportAll();
    return written('none');
  }
  const quote = await createExtractiveWriter(findings, writing.prompt);
  const set = (role: CompletionRole, drafts: ReadonlyMap<CompletionRole, SectionDraft>) => {
    const draft = drafts.get(role);
    cited.set(
      role,
      // Without key items of the model, quoted ones are used.
      draft !== undefined && draft.key.length > 0
        ? draft
        : { ...quote(role), ...(draft && { sentences: draft.sentences }) },
    );
    const missing = (draft?.missing ?? []).map((asked) => explainMissing(writing.prompt, asked));
    cited.completion[role] = [cited.completion[role], ...missing].join(' ');
    const { reads } = COMPLETION_SECTIONS[role];
    const wanted = reads.some((source) => (findings.get(source) ?? []).length > 0);
    // Other words, questions of others, markup or prompt injections.
    if (cited.completion[role] === '' && wanted)
      cited.completion[role] = explainNoAnswer(writing.prompt, findings, reads);
    return cited.completion[role];
  };
  const setAll = async (drafts: ReadonlyMap<CompletionRole, SectionDraft>) => {
    // The summary comes first, so that its first link is `[1]`.
    for (const role of CLAIM_ROLES) {
      await takeTurn();
      set(role, drafts);
    }
  };
  const limitMs = writing.budgetMs - COMPLETION_RESERVE_MS;
  if (model === undefined || limitMs < MIN_MODEL_MS) {
    await setAll(new Map());
    reportAll();
    return written('extractive');
  }
  const { drafts, warnings } = await writeWithModel(findings, { questions: [], ...writing, model, limitMs });
  await setAll(drafts);
  reportAll();
  return written(drafts.has('summary') ? 'model' : 'extractive', warnings);
}

/** A completion that numbers links as its texts are set. */
type CitedCompletion = {
  /** Sets a text and its key items; continues the numbering. */
  set(role: CompletionRole, draft: SectionDraft): void;
  completion: Completion;
  /** Links cited so far, in order of first citation: the first is `[1]`. */
  links: string[];
};

function createCitedCompletion(): CitedCompletion {
  const links: string[] = [];
  const numbers = new Map<string, number>();
  const cite = (link: string) => {
    const known = numbers.get(link) ?? links.push(link);
    numbers.set(link, known);
    return `[${known}](${link})`;
  };
  const completion: Completion = {
    key_posts: [],
    key_microblog_posts: [],
    key_news: [],
    key_sources: [],
    microblog_summary: '',
    summary: '',
    discussion_board_summary: '',
    news_forum_summary: '',
  };
  return {
    completion,
    links,
    set(role, { sentences, key }) {
      // Each sentence has its citations, so that readers who split the text know what each rests on.
      completion[role] = sentences
        .flatMap(({ text, links: cited }) =>
          splitSentences(text).map((sentence) => [sentence.trim(), ...cited.map(cite)].join(' ')),
        )
        .join(' ');
      for (const { link } of key) cite(link);
      completion[COMPLETION_SECTIONS[role].key] = key.map((item) => ({ text: item.text, url: item.link }));
    },
  };
}
