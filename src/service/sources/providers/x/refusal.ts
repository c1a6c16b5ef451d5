/** Why X refused: its answers are problems with a title, and what they hold is read for nothing else. */
import { z } from 'zod';
import { type Clock, HOUR } from '../../../../engine/clock.ts';
import { SourceDown } from '../../../outage.ts';
import type { Reply } from '../../guard/ask.ts';
import { busyUntil } from '../../reading/rate-reset.ts';
import { optional, readAnswer } from '../../reading/read-answer.ts';

/** Statuses that say that nothing was read, and so nothing charged. */
export const REFUSALS: readonly number[] = [400, 401, 402, 403, 404, 429, 500, 502, 503, 504];

const problem = z.object({
  title: optional(z.string()),
  errors: optional(z.array(z.object({ parameters: optional(z.record(z.string(), z.unknown())) }))),
});

export function refusalOf(reply: Reply, clock: Clock): SourceDown {
  const { status } = reply;
  if (status === 402) {
    return new SourceDown('source_quota', { detail: 'no credits are left there', retryAfterMs: HOUR });
  }
  if (status === 429) {
    const isCap = problemOf(reply)?.title === 'UsageCapExceeded';
    if (isCap) return new SourceDown('source_quota', { detail: 'of this month', retryAfterMs: HOUR });
    return busyUntil(reply, 'x-rate-limit-reset', clock);
  }
  const isTheirs = status >= 500 || status === 404;
  return new SourceDown(isTheirs ? 'source_failed' : 'source_refused', { detail: `answered ${status}` });
}

/** Whether the answer says that this parameter is what it refuses. */
export function blames(reply: Reply, parameter: string): boolean {
  return (problemOf(reply)?.errors ?? []).some(({ parameters = {} }) => Object.hasOwn(parameters, parameter));
}

function problemOf({ text }: Reply): z.infer<typeof problem> | undefined {
  try {
    return readAnswer(text, problem);
  } catch {
    return undefined;
  }
}
