/** Asks for a brief, and then in one request whether its items state its sentences. What they do not state is dropped. */
import { SECOND } from '../../lib/time.ts';
import type { BriefReply, BriefRequest } from '../../model/briefs.ts';
import { MAX_BRIEF_SENTENCES } from '../../model/value-shapes.ts';
import { askInTime } from './ask-in-time.ts';
import { buildBriefing } from './briefing.ts';
import type { MeteredModel } from './metered-model.ts';
import { endSentence } from './quotable-sentences.ts';
import { buildSupportCheck } from './support-check.ts';

/** A digest waits for both requests together (`MAX_BRIEF_WAIT_MS`). */
const TIMEOUTS_MS = { write: 30 * SECOND, check: 20 * SECOND };

/**
 * Two requests at most, both counted as `brief` before they are sent. Without verdicts that can be believed nothing is written: a
 * brief is never the only content, so that none is better than one that nobody checked.
 * @throws the signal's reason if it aborts
 */
export async function askForBrief(
  model: Pick<MeteredModel, 'ask' | 'countFailure'>,
  request: BriefRequest,
  signal: AbortSignal,
  timeoutsMs = TIMEOUTS_MS,
): Promise<BriefReply> {
  const briefing = buildBriefing(request);
  if (briefing === undefined) return { outcome: 'written', sentences: [] };
  const unusable = (reason: string): BriefReply => {
    model.countFailure('brief');
    return { outcome: 'unusable', reason };
  };
  const written = await askInTime(model, briefing.question, signal, timeoutsMs.write);
  if (written.outcome !== 'answered') return written;
  const statements = briefing.read(written.answer);
  if (statements === undefined) return unusable('returned no brief');
  const check = buildSupportCheck(statements);
  let kept = statements;
  if (check !== undefined) {
    const asked = await askInTime(model, { ...check.question, purpose: 'brief' }, signal, timeoutsMs.check);
    if (asked.outcome !== 'answered') return asked;
    const isSupported = check.read(asked.answer);
    if (isSupported === undefined) return unusable('returned verdicts that cannot be used');
    kept = statements.filter(isSupported);
  }
  return {
    outcome: 'written',
    sentences: kept.slice(0, MAX_BRIEF_SENTENCES).map(({ text, sources }) => ({
      text: endSentence(text),
      cites: sources.map(briefing.placeOf),
    })),
  };
}
