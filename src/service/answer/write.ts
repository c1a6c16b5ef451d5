/** From what was found to a completion: by a language model where there is one, otherwise in quotations. */
import type { Completion } from '../../contract/completion.ts';
import type { Logger } from '../../engine/logger.ts';
import type { Findings } from '../retrieve.ts';
import { type Draft, type Role, ROLES, SECTIONS } from './draft.ts';
import { createQuoter } from './extractive.ts';
import type { LanguageModel } from './model.ts';
import { draftsByModel } from './modelled.ts';
import { emptyPage } from './page.ts';

export type { Role } from './draft.ts';

export const NOTHING_FOUND = 'No results for the selected tools and period.';
/** Nothing that was found holds a sentence that may stand here: titles alone, markup, orders to a machine. */
export const NOTHING_QUOTABLE = 'Results were found, but nothing in them can be quoted.';

export type Writing = {
  prompt: string;
  at: Date;
  /** What is left for writing, in milliseconds. */
  budgetMs: number;
  signal: AbortSignal;
  log: Logger;
  /** Undefined: the completion is made of quotations. */
  model: LanguageModel | undefined;
  /** Told of each text as soon as it is final. */
  told?: (role: Role, text: string) => void;
};

export type Written = {
  completion: Completion;
  /** The addresses that the completion cites, in the order of their first citation. */
  links: string[];
  /**
   * Who wrote the summary. `none`: nothing was found, so nothing was written. A part that a model could not
   * write is quoted, whoever wrote the others.
   */
  writer: 'none' | 'extractive' | 'model';
};

/** So the first link of the summary is `[1]`. */
const SUMMARY_FIRST: readonly Role[] = ['summary', ...ROLES.filter((role) => role !== 'summary')];
/** Up to this budget there is time for one question about everything; above it for one of each part. */
const ONE_QUESTION_MS = 10_000;
const ONE_QUESTION_MOST_MS = 6_000;
/** Nor is one of several questions waited for longer: who waits for an answer wants one. */
const QUESTION_MOST_MS = 25_000;
/** Kept for quoting what the model did not write, and for sending it. */
const RESERVE_MS = 300;
/** In less time no model answers. */
const LEAST_MS = 500;

/** @throws the signal's reason when the client is gone; nothing else */
export async function writeCompletion(findings: Findings, writing: Writing): Promise<Written> {
  const { model, signal, told } = writing;
  signal.throwIfAborted();
  const page = emptyPage();
  const written = (writer: Written['writer']) => ({ completion: page.completion, links: page.links, writer });
  const tellAll = () => ROLES.forEach((role) => told?.(role, page.completion[role]));
  if ([...findings.values()].every((found) => found.length === 0)) {
    page.completion.summary = NOTHING_FOUND;
    tellAll();
    return written('none');
  }
  const quoter = createQuoter(findings, writing);
  const set = (role: Role, drafts: ReadonlyMap<Role, Draft>) => {
    const draft = drafts.get(role);
    page.set(
      role,
      draft === undefined || draft.key.length === 0 ? { ...quoter.write(role), ...said(draft) } : draft,
    );
    const wanted = SECTIONS[role].reads.some((source) => (findings.get(source) ?? []).length > 0);
    if (page.completion[role] === '' && wanted) page.completion[role] = NOTHING_QUOTABLE;
    return page.completion[role];
  };
  const limitMs = writing.budgetMs - RESERVE_MS;
  if (model === undefined || limitMs < LEAST_MS) {
    for (const role of SUMMARY_FIRST) set(role, new Map());
    tellAll();
    return written('extractive');
  }
  const asked = { prompt: writing.prompt, model, signal, log: writing.log };
  if (writing.budgetMs <= ONE_QUESTION_MS) {
    const limit = { ...asked, limitMs: Math.min(limitMs, ONE_QUESTION_MOST_MS) };
    const drafts = await draftsByModel(ROLES, findings, limit);
    for (const role of SUMMARY_FIRST) set(role, drafts);
    tellAll();
    return written(drafts.has('summary') ? 'model' : 'extractive');
  }
  const byModel = await Promise.all(
    ROLES.map(async (role) => {
      const drafts = await draftsByModel([role], findings, {
        ...asked,
        limitMs: Math.min(limitMs, QUESTION_MOST_MS),
      });
      const text = set(role, drafts);
      told?.(role, text);
      return drafts.has(role) ? role : undefined;
    }),
  );
  return written(byModel.includes('summary') ? 'model' : 'extractive');
}

/** The model's sentences, where its key items are missing and quoted ones stand in. */
function said(draft: Draft | undefined): Pick<Draft, 'said'> | undefined {
  return draft && { said: draft.said };
}
