/** Sends the question about a goal, and says in the words of the monitor how it ended. */
import { SECOND } from '../../lib/time.ts';
import type { JudgeReply, JudgeRequest } from '../../model/judging.ts';
import { askInTime } from './ask-in-time.ts';
import { buildJudging } from './judging.ts';
import type { MeteredModel } from './metered-model.ts';

/** Nobody waits for the response, but others wait for the next. */
const TIMEOUT_MS = 30 * SECOND;

/** One request, counted before it is sent. @throws the signal's reason if it aborts */
export async function askForVerdicts(
  model: Pick<MeteredModel, 'ask' | 'countFailure'>,
  request: JudgeRequest,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<JudgeReply> {
  const judging = buildJudging(request);
  if (judging === undefined) return { outcome: 'judged', verdicts: request.texts.map(() => null) };
  const asked = await askInTime(model, judging.question, signal, timeoutMs);
  if (asked.outcome !== 'answered') return asked;
  const verdicts = judging.read(asked.answer);
  if (verdicts !== undefined) return { outcome: 'judged', verdicts };
  model.countFailure('judge');
  return { outcome: 'unusable', reason: 'returned no verdicts' };
}
