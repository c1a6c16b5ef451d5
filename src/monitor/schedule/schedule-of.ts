import { nextSlot } from './cadence.ts';
import { phaseOf } from './interval.ts';
import type { Schedule } from './schedule.ts';

/** The members of a stored search that its schedule stands in. */
type Row = { slug: string; cron: string | null; every_seconds: number | null; tz: string };

/** The schedule of a stored search. @throws where the row holds neither a cron expression nor an interval */
export function scheduleOf(row: Row): Schedule {
  if (row.cron !== null) return { kind: 'cron', cron: row.cron, tz: row.tz };
  if (row.every_seconds === null) throw new Error(`search ${row.slug} has no schedule`);
  return { kind: 'every', seconds: row.every_seconds, phase: phaseOf(row.slug, row.every_seconds) };
}

/** What a search says of itself whose schedule stems from an older release, or names a zone that is no more. */
export const UNREADABLE = 'its schedule cannot be read; edit it';

/** The first slot of a stored search after a time; `null` where its schedule cannot be read. */
export function nextSlotOf(row: Row, after: Date): Date | null {
  try {
    return new Date(nextSlot(scheduleOf(row), after));
  } catch {
    return null;
  }
}
