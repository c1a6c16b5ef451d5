/** Sends the question about a goal, and says in the words of the monitor how it ended. */
import { SECOND } from '../../lib/time.ts';
import type { JudgeReply, JudgeRequest } from '../../model/judging.ts';
import { buildJudging } from './judging.ts';
import { describeModelFailure, ModelFailed } from './language-model.ts';
import type { MeteredModel } from './metered-model.ts';

/** Nobody waits for the response, but others wait for the next. */
const TIMEOUT_MS = 30 * SECOND;
/** Of a model that responded: it may respond otherwise to the same question, but not for long. */
const RESPONDED: ReadonlySet<ModelFailed['reason']> = new Set([
  'too_large',
  'unreadable',
  'refused',
  'empty',
]);

/** One request, counted before it is sent. @throws the signal's reason if it aborts */
export async function askForVerdicts(
  model: Pick<MeteredModel, 'ask' | 'countFailure'>,
  request: JudgeRequest,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<JudgeReply> {
  const judging = buildJudging(request);
  if (judging === undefined) return { outcome: 'judged', verdicts: request.texts.map(() => null) };
  try {
    const answer = await model.ask(
      judging.question,
      AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    );
    const verdicts = judging.read(answer);
    if (verdicts !== undefined) return { outcome: 'judged', verdicts };
    model.countFailure('judge');
    return { outcome: 'unusable', reason: 'returned no verdicts' };
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
