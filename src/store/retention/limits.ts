import type { Config } from '../../config.ts';
import { DAY } from '../../engine/clock.ts';

/** Of each kind, what is older than this goes; null: it is kept for ever. */
export type Limits = { answers: Date; rejects: Date; messages: Date; audit: Date; snapshots: Date | null };

export function limitsAt(
  now: Date,
  {
    answerDays,
    rejectDays,
    messageDays,
    auditDays,
    snapshotDays,
  }: Pick<Config, 'answerDays' | 'rejectDays' | 'messageDays' | 'auditDays' | 'snapshotDays'>,
): Limits {
  const ago = (days: number) => new Date(now.getTime() - days * DAY);
  return {
    answers: ago(answerDays),
    rejects: ago(rejectDays),
    messages: ago(messageDays),
    audit: ago(auditDays),
    snapshots: snapshotDays === undefined ? null : ago(snapshotDays),
  };
}
