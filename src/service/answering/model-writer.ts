/** Writes the parts of a completion with a language model: drafts, then one check of all statements against their sources. */

import { CLAIM_ROLES } from '../../model/enumerations.ts';
import { createTimeLimit, monotonicMs } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { COMPLETION_UNCHECKED, type ServedWarning } from '../../protocol/extensions.ts';
import type { Findings } from '../planning/retrieval.ts';
import { COMPLETION_ROLES, type CompletionRole, type SectionDraft } from './completion-draft.ts';
import { describeModelFailure, type LanguageModel, ModelFailed } from './language-model.ts';
import { buildModelPrompt } from './model-prompt.ts';
import {
  DraftRejected,
  type Drafts,
  readDrafts,
  settleDrafts,
  type Statement,
} from './model-verification.ts';
import { buildSupportCheck, isSupportedByWords } from './support-check.ts';

/** Up to this time, one prompt covers all parts; above it, each part has its own. */
const SINGLE_QUESTION_BUDGET_MS = 10_000;
const MAX_SINGLE_QUESTION_MS = 6_000;
/** Maximum wait for one of several prompts. */
const MAX_QUESTION_MS = 25_000;
/** No model responds in less. */
export const MIN_MODEL_MS = 500;
/** Maximum wait for the check, and the share of the time that drafts leave to it. */
const MAX_CHECK_MS = 15_000;
const CHECK_SHARE = 0.35;
/** At up to 600 characters each, about 10,000 tokens. */
const MAX_PROMPT_ITEMS = 70;

export type ModelWriting = {
  prompt: string;
  /** The questions that the prompt was divided into. */
  questions: readonly string[];
  at: Date;
  model: LanguageModel;
  /** Time limit of all requests together, in milliseconds. */
  limitMs: number;
  /** Aborts when the client disconnects; nothing is written then. */
  signal: AbortSignal;
  log: Logger;
};

export type ModelWritten = {
  /** Parts that the model could not write are missing. */
  drafts: ReadonlyMap<CompletionRole, SectionDraft>;
  warnings: readonly ServedWarning[];
};

/** @throws the signal's reason if the client disconnects */
export async function writeWithModel(findings: Findings, writing: ModelWriting): Promise<ModelWritten> {
  const began = monotonicMs();
  const { limitMs, log, model } = writing;
  const reserved = CHECK_SHARE * limitMs;
  const draftMs = Math.floor(reserved < MIN_MODEL_MS ? limitMs : limitMs - reserved);
  const drafts = await draftParts(findings, writing, draftMs);
  const roles = CLAIM_ROLES.filter((role) => drafts.has(role));
  if (roles.length === 0) return { drafts: new Map(), warnings: [] };
  const statements = roles.flatMap((role) => listStatements(drafts, role));
  const leftMs = Math.floor(limitMs - (monotonicMs() - began));
  const checked = await checkStatements(statements, writing, Math.min(leftMs, MAX_CHECK_MS));
  const settled = settleDrafts(drafts, checked.isSupported);
  const quoted = roles.filter((role) => !settled.has(role));
  if (quoted.length > 0)
    log.warn({ model: model.name, parts: quoted, reason: 'unsupported' }, 'completion partly quoted');
  return { drafts: settled, warnings: settled.size > 0 ? checked.warnings : [] };
}

async function draftParts(findings: Findings, writing: ModelWriting, limitMs: number): Promise<Drafts> {
  if (writing.limitMs <= SINGLE_QUESTION_BUDGET_MS)
    return draft(COMPLETION_ROLES, findings, writing, Math.min(limitMs, MAX_SINGLE_QUESTION_MS));
  const parts = await Promise.all(
    COMPLETION_ROLES.map((role) => draft([role], findings, writing, Math.min(limitMs, MAX_QUESTION_MS))),
  );
  return new Map(parts.flatMap((part) => [...part]));
}

function listStatements(drafts: Drafts, role: CompletionRole): readonly Statement[] {
  const { sentences = [], key = [] } = drafts.get(role) ?? {};
  return [...sentences, ...key.flat()];
}

/** One prompt for several parts. Parts that the model cannot write are missing, and the reason is logged. */
async function draft(
  roles: readonly CompletionRole[],
  findings: Findings,
  { prompt, questions, at, model, signal, log }: ModelWriting,
  limitMs: number,
): Promise<Drafts> {
  const briefing = buildModelPrompt(roles, findings, { prompt, questions, at, most: MAX_PROMPT_ITEMS });
  if (briefing.items.length === 0) return new Map();
  const began = monotonicMs();
  const limit = createTimeLimit(limitMs, signal);
  try {
    const drafts = readDrafts(await model.ask(briefing.question, limit.signal), briefing);
    const quoted = briefing.roles.filter((role) => !drafts.has(role));
    if (quoted.length > 0)
      log.warn({ model: model.name, parts: quoted, reason: 'unsupported' }, 'completion partly quoted');
    return drafts;
  } catch (error) {
    signal.throwIfAborted();
    const tookMs = Math.round(monotonicMs() - began);
    const why = limit.signal.aborted ? { reason: 'time' } : describeDraftFailure(error);
    log.warn({ model: model.name, parts: roles, tookMs, ...why }, 'language model output unusable');
    return new Map();
  } finally {
    limit.end();
  }
}

/** @throws unexpected errors */
function describeDraftFailure(error: unknown): { reason: string; status?: ModelFailed['status'] } {
  if (error instanceof ModelFailed) return { reason: error.reason, status: error.status };
  if (error instanceof DraftRejected) return { reason: error.reason };
  throw error;
}

type Checked = { isSupported: (statement: Statement) => boolean; warnings: readonly ServedWarning[] };

/** Without verdicts, the words decide, and a warning says so. */
async function checkStatements(
  statements: readonly Statement[],
  { model, signal, log }: ModelWriting,
  limitMs: number,
): Promise<Checked> {
  const check = buildSupportCheck(statements);
  if (check === undefined) return { isSupported: isSupportedByWords, warnings: [] };
  const unchecked = (why: string): Checked => {
    log.warn({ model: model.name, why }, 'statements checked by words only');
    const message = `the language model ${why}, so that its sentences were checked by their words only`;
    return { isSupported: isSupportedByWords, warnings: [{ code: COMPLETION_UNCHECKED, tool: '', message }] };
  };
  if (limitMs < MIN_MODEL_MS) return unchecked('had no time to check what it wrote');
  const limit = createTimeLimit(limitMs, signal);
  try {
    const isSupported = check.read(await model.ask(check.question, limit.signal));
    return isSupported === undefined
      ? unchecked('returned verdicts that cannot be used')
      : { isSupported, warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    return unchecked(
      limit.signal.aborted ? 'did not check what it wrote in time' : describeModelFailure(error),
    );
  } finally {
    limit.end();
  }
}
