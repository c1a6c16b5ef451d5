/** Operation A: find, write, put together. */
import type { ServedAiAnswer } from '../contract/extras.ts';
import type { Source } from '../contract/enumerations.ts';
import { monotonicMs } from '../engine/clock.ts';
import type { Logger } from '../engine/logger.ts';
import type { LanguageModel } from './answer/model.ts';
import { type Role, writeCompletion } from './answer/write.ts';
import { assembleAnswer } from './assemble.ts';
import { type Retrieval, retrieve } from './retrieve.ts';
import type { Found, SearchSource } from './source.ts';
import { TIERS } from './tiers.ts';

export type AiSearchContext = {
  sources: readonly SearchSource[];
  log: Logger;
  /** Writes completions; without one they are made of quotations. */
  model: LanguageModel | undefined;
  /** Whether web pages have a results group, which the specification does not show. */
  webGroup: boolean;
};

/** Who hears of the parts of an answer before the whole is there. */
export type Listener = {
  ready: (source: Source, found: readonly Found[]) => void;
  told: (role: Role, text: string) => void;
};

/**
 * The whole answer, within the budget of its model.
 * @throws the signal's reason once the client is gone
 */
export async function aiSearch(
  ctx: AiSearchContext,
  asked: Retrieval,
  signal: AbortSignal,
  listener?: Listener,
): Promise<ServedAiAnswer> {
  const began = monotonicMs();
  const retrieved = await retrieve(ctx, asked, signal, listener?.ready);
  const written = await writeCompletion(retrieved.findings, {
    prompt: asked.prompt,
    at: asked.at,
    // Whole milliseconds: timers take no others.
    budgetMs: Math.max(0, Math.floor(TIERS[asked.model].budgetMs - (monotonicMs() - began))),
    signal,
    log: ctx.log,
    model: ctx.model,
    ...(listener && { told: listener.told }),
  });
  return assembleAnswer(retrieved, written, ctx.webGroup);
}
