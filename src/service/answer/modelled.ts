/** Parts of a completion written by a language model: asked, held against the sources, or left to quotations. */
import type { Logger } from '../../engine/logger.ts';
import { monotonicMs } from '../../engine/clock.ts';
import type { Findings } from '../retrieve.ts';
import { briefingFor } from './briefing.ts';
import type { Draft, Role } from './draft.ts';
import { type LanguageModel, ModelFailed } from './model.ts';
import { Rejected, verified } from './verify.ts';

export type Asked = {
  prompt: string;
  model: LanguageModel;
  /** For the whole call, in milliseconds. */
  limitMs: number;
  /** The client's: once it has aborted nothing is written at all. */
  signal: AbortSignal;
  log: Logger;
};

/** The most items of one question: with 600 characters each about 10,000 tokens. */
const ITEMS_MOST = 70;

/**
 * One question for some parts. What the model cannot write is not there, and the log says why.
 * @throws the signal's reason when the client is gone
 */
export async function draftsByModel(
  roles: readonly Role[],
  findings: Findings,
  { prompt, model, limitMs, signal, log }: Asked,
): Promise<ReadonlyMap<Role, Draft>> {
  const briefing = briefingFor(roles, findings, { prompt, most: ITEMS_MOST });
  if (briefing.items.length === 0) return new Map();
  const began = monotonicMs();
  const limit = AbortSignal.timeout(Math.max(0, Math.floor(limitMs)));
  try {
    const answer = await model.ask(briefing.question, AbortSignal.any([signal, limit]));
    const drafts = verified(answer, briefing);
    const quoted = briefing.roles.filter((role) => !drafts.has(role));
    if (quoted.length > 0) {
      log.warn(
        { model: model.name, parts: quoted, reason: 'unsupported' },
        'parts of a completion are quoted',
      );
    }
    return drafts;
  } catch (error) {
    signal.throwIfAborted();
    const tookMs = Math.round(monotonicMs() - began);
    const why = limit.aborted ? { reason: 'time' } : failureOf(error);
    log.warn({ model: model.name, parts: roles, tookMs, ...why }, 'a language model wrote nothing of use');
    return new Map();
  }
}

/** @throws whatever is our own fault */
function failureOf(error: unknown): { reason: string; status?: ModelFailed['status'] } {
  if (error instanceof ModelFailed) return { reason: error.reason, status: error.status };
  if (error instanceof Rejected) return { reason: error.reason };
  throw error;
}
