/**
 * Writes a completion: with a language model if configured, otherwise from quotations. Numbers the links,
 * verifies what a model wrote, and quotes what it could not write.
 */

import { CLAIM_ROLES } from '../../model/enumerations.ts';
import { splitSentences } from '../../lib/sentences.ts';
import { createTimeLimit, monotonicMs } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Completion } from '../../protocol/specification.ts';
import { takeTurn } from '../event-loop-turns.ts';
import type { Findings } from '../planning/retrieval.ts';
import {
  COMPLETION_ROLES,
  COMPLETION_SECTIONS,
  type CompletionRole,
  type SectionDraft,
} from './completion-draft.ts';
import { explainNoAnswer } from './completion-words.ts';
import { createExtractiveWriter } from './extractive-writer.ts';
import { type LanguageModel, ModelFailed } from './language-model.ts';
import { buildModelPrompt } from './model-prompt.ts';
import { DraftRejected, verifyDrafts } from './model-verification.ts';

export const NOTHING_FOUND = 'No results for the selected tools and period.';

type CompletionOptions = {
  prompt: string;
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
};

/** Up to this budget, one prompt covers all parts; above it, each part has its own. */
const SINGLE_QUESTION_BUDGET_MS = 10_000;
const MAX_SINGLE_QUESTION_MS = 6_000;
/** Maximum wait for one of several prompts. */
const MAX_QUESTION_MS = 25_000;
/** Reserved for quoting what the model did not write, and for sending it. */
const COMPLETION_RESERVE_MS = 300;
/** No model responds in less. */
const MIN_MODEL_MS = 500;

/** For those who want links only. */
export function omitCompletion(): WrittenCompletion {
  const { completion, links } = createCitedCompletion();
  return { completion, links, writer: 'none' };
}

/** @throws the signal's reason if the client disconnects; nothing else */
export async function writeCompletion(
  findings: Findings,
  writing: CompletionOptions,
): Promise<WrittenCompletion> {
  const { model, signal, onText } = writing;
  signal.throwIfAborted();
  const cited = createCitedCompletion();
  const written = (writer: WrittenCompletion['writer']) => ({
    completion: cited.completion,
    links: cited.links,
    writer,
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
  const question = { prompt: writing.prompt, model, signal, log: writing.log };
  if (writing.budgetMs <= SINGLE_QUESTION_BUDGET_MS) {
    const limit = { ...question, limitMs: Math.min(limitMs, MAX_SINGLE_QUESTION_MS) };
    const drafts = await draftWithModel(COMPLETION_ROLES, findings, limit);
    await setAll(drafts);
    reportAll();
    return written(drafts.has('summary') ? 'model' : 'extractive');
  }
  const byModel = await Promise.all(
    COMPLETION_ROLES.map(async (role) => {
      const drafts = await draftWithModel([role], findings, {
        ...question,
        limitMs: Math.min(limitMs, MAX_QUESTION_MS),
      });
      const text = set(role, drafts);
      onText?.(role, text);
      return drafts.has(role) ? role : undefined;
    }),
  );
  return written(byModel.includes('summary') ? 'model' : 'extractive');
}

type ModelDraftOptions = {
  prompt: string;
  model: LanguageModel;
  /** For the whole call, in milliseconds. */
  limitMs: number;
  /** Aborts when the client disconnects; nothing is written then. */
  signal: AbortSignal;
  log: Logger;
};

/** At up to 600 characters each, about 10,000 tokens. */
const MAX_PROMPT_ITEMS = 70;

/**
 * One prompt for several parts. Parts that the model cannot write are missing, and the reason is logged.
 * @throws the signal's reason if the client disconnects
 */
async function draftWithModel(
  roles: readonly CompletionRole[],
  findings: Findings,
  { prompt, model, limitMs, signal, log }: ModelDraftOptions,
): Promise<ReadonlyMap<CompletionRole, SectionDraft>> {
  const briefing = buildModelPrompt(roles, findings, { prompt, most: MAX_PROMPT_ITEMS });
  if (briefing.items.length === 0) return new Map();
  const began = monotonicMs();
  const limit = createTimeLimit(limitMs, signal);
  try {
    const answer = await model.ask(briefing.question, limit.signal);
    const drafts = verifyDrafts(answer, briefing);
    const quoted = briefing.roles.filter((role) => !drafts.has(role));
    if (quoted.length > 0) {
      log.warn({ model: model.name, parts: quoted, reason: 'unsupported' }, 'completion partly quoted');
    }
    return drafts;
  } catch (error) {
    signal.throwIfAborted();
    const tookMs = Math.round(monotonicMs() - began);
    const why = limit.signal.aborted ? { reason: 'time' } : describeModelFailure(error);
    log.warn({ model: model.name, parts: roles, tookMs, ...why }, 'language model output unusable');
    return new Map();
  } finally {
    limit.end();
  }
}

/** @throws unexpected errors */
function describeModelFailure(error: unknown): { reason: string; status?: ModelFailed['status'] } {
  if (error instanceof ModelFailed) return { reason: error.reason, status: error.status };
  if (error instanceof DraftRejected) return { reason: error.reason };
  throw error;
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
