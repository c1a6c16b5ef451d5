import { phaseOf } from './interval.ts';
import type { Schedule } from './schedule.ts';

/** The schedule of a stored search. @throws where the row holds neither a cron expression nor an interval */
export function scheduleOf(row: {
  slug: string;
  cron: string | null;
  every_seconds: number | null;
  tz: string;
}): Schedule {
  if (row.cron !== null) return { kind: 'cron', cron: row.cron, tz: row.tz };
  if (row.every_seconds === null) throw new Error(`search ${row.slug} has no schedule`);
  return { kind: 'every', seconds: row.every_seconds, phase: phaseOf(row.slug, row.every_seconds) };
}
