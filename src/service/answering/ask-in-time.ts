/** Sends a question of the monitor to a language model, within a time, and says in words how it ended. */
import type { ModelTrouble } from '../../model/model-use.ts';
import {
  describeModelFailure,
  type LanguageModel,
  ModelFailed,
  type ModelQuestion,
} from './language-model.ts';

/** Of a model that responded: it may respond otherwise to the same question, but not for long. */
const RESPONDED: ReadonlySet<ModelFailed['reason']> = new Set([
  'too_large',
  'unreadable',
  'refused',
  'empty',
]);

type Asked = { outcome: 'answered'; answer: string } | ModelTrouble;

/** @throws the signal's reason if it aborts */
export async function askInTime(
  model: Pick<LanguageModel, 'ask'>,
  question: ModelQuestion,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Asked> {
  try {
    const answer = await model.ask(question, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    return { outcome: 'answered', answer };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelFailed)) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        return { outcome: 'unavailable', reason: 'did not respond in time' };
      throw error;
    }
    const outcome = RESPONDED.has(error.reason) ? 'unusable' : 'unavailable';
    return { outcome, reason: describeModelFailure(error) };
  }
}
