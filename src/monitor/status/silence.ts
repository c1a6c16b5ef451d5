/**
 * Which searches are silent: active, and without a successful run while three of their slots passed. The rule asks neither
 * why, nor what the scheduler believes: it finds what every other check missed.
 */
import { setImmediate } from 'node:timers/promises';
import { HOUR, SECOND } from '../../engine/clock.ts';
import { RUN_CODES } from '../../errors.ts';
import {
  groupBySchedule,
  type ScheduleGroup,
  type SilentSearch,
  silentSearches,
} from '../../store/reads/silence.ts';
import type { Context } from '../context.ts';
import { slotsBetween } from '../schedule/cadence.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { scheduleOf } from '../schedule/schedule-of.ts';

/** Slots without a successful run. */
const SLOTS = 3;
/** Three slots of any schedule lie within this: 29 February, past a year without one. */
const LONGEST_MS = 30 * 366 * 24 * HOUR;
/** The most that are named; all of them are counted. */
const MAX_NAMED = 100;
/** Schedules that are computed before the event loop gets its turn: a tenth of a millisecond each. */
const AT_ONCE = 100;

export type Silence = {
  total: number;
  /** Those without a successful run for longest, first; at most 100. */
  searches: SilentSearch[];
};

/**
 * A search is silent when its last successful run came before this time: since then three of its slots passed, or three
 * intervals. Where it has not run yet, or was resumed or edited since, that time counts instead.
 * @param graceMs how long the run of a slot may take: later slots do not count yet
 * @returns milliseconds since 1970; -Infinity where fewer than three slots ever passed
 */
export function silentBefore(schedule: Schedule, now: Date, graceMs: number): number {
  const until = now.getTime() - graceMs;
  if (schedule.kind === 'every') return until - SLOTS * schedule.seconds * SECOND;
  for (let span = HOUR; span < LONGEST_MS; span *= 4) {
    const slot = [...slotsBetween(schedule, until - span, until)].at(-SLOTS);
    if (slot !== undefined) return slot;
  }
  return -Infinity;
}

/** The silent searches of everything but running simulations, whose clock is their own. */
export async function readSilence({
  db,
  clock,
  config,
}: Pick<Context, 'db' | 'clock' | 'config'>): Promise<Silence> {
  const graceMs = Math.max(...Object.values(config.callTimeoutMs));
  const now = clock.now();
  const limits: { schedule: string; before: Date }[] = [];
  for (const [i, group] of (await groupBySchedule(db)).entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const before = limitOf(group, now, graceMs);
    if (group.oldest.getTime() < before) limits.push({ schedule: group.schedule, before: new Date(before) });
  }
  if (limits.length === 0) return { total: 0, searches: [] };
  return silentSearches(db, limits, MAX_NAMED);
}

function limitOf(group: ScheduleGroup, now: Date, graceMs: number): number {
  try {
    // The phase of an interval plays no part in the rule; the slug decides nothing else.
    return silentBefore(scheduleOf({ ...group, slug: '' }), now, graceMs);
  } catch {
    return -Infinity; // a schedule that cannot be read: the scan marks its searches as broken
  }
}

/** How the last run of a silent search ended: `the last run failed: no answer in time`. */
export function lastRunInWords({
  run_status: status,
  run_code: code,
  run_reason: reason,
}: SilentSearch): string {
  if (status === null) return 'no run has ended yet';
  const why = code === null ? reason : RUN_CODES[code];
  return `the last run ${status === 'skipped' || status === 'cancelled' ? 'was ' : ''}${status}${why === null ? '' : `: ${why}`}`;
}
