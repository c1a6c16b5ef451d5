/**
 * Finds silent searches: active, but without a successful run while three of their slots passed. The rule does not depend on the
 * cause or the scheduler's state, so it finds what other checks miss.
 */
import { setImmediate } from 'node:timers/promises';
import { getOrMake } from '../../lib/get-or-make.ts';
import { HOUR, SECOND } from '../../lib/time.ts';
import { RUN_CODES } from '../../model/errors.ts';
import {
  readScheduleGroups,
  readSilentSearches,
  type SilentSearch,
} from '../../store/queries/silent-searches.ts';
import type { ScheduleColumns } from '../../store/topics/search-states.ts';
import type { Context } from '../context.ts';
import { readSchedule, slotsBetween, tryToRead } from '../schedule/cadence.ts';
import { fitInterval, limitCalls } from '../schedule/call-budget.ts';
import type { SearchSchedule } from '../schedule/schedule.ts';

/** Slots without a successful run. */
const SILENT_SLOTS = 3;
/** Searches of any kind may share a schedule. This kind has the fewest calls per day by default. */
const FEWEST_CALLS = { operation: 'ai', service_kind: 'hosted' } as const;
/** Three slots of any schedule are within this span, even of one for 29 February. */
const MAX_SILENCE_SPAN_MS = 30 * 366 * 24 * HOUR;
/** Maximum number that are listed; all are counted. */
const MAX_NAMED = 100;
/** Schedules to compute before yielding to the event loop, at a tenth of a millisecond each. */
export const SCHEDULES_PER_TURN = 100;

export type SilentSearches = {
  total: number;
  /** At most 100, longest silence first. */
  searches: SilentSearch[];
};

/**
 * A search is silent if its last successful run was before this time: three of its slots, or intervals, have passed since. If it
 * has not run yet, or was resumed or edited since, that time counts instead.
 * @param graceMs how long the run of a slot may take; later slots do not count yet
 * @param config its calls per day decide how long an adaptive interval may be
 * @returns milliseconds since 1970; -Infinity if fewer than three slots have passed
 */
export function computeSilentBefore(
  schedule: SearchSchedule,
  now: Date,
  graceMs: number,
  config: Parameters<typeof limitCalls>[0],
): number {
  const until = now.getTime() - graceMs;
  if (schedule.kind === 'auto')
    return until - SILENT_SLOTS * fitInterval(schedule.mostMs, limitCalls(config, FEWEST_CALLS, schedule));
  if (schedule.kind === 'every') return until - SILENT_SLOTS * schedule.seconds * SECOND;
  for (let span = HOUR; span < MAX_SILENCE_SPAN_MS; span *= 4) {
    const slot = [...slotsBetween(schedule, until - span, until)].at(-SILENT_SLOTS);
    if (slot !== undefined) return slot;
  }
  return -Infinity;
}

/**
 * {@link computeSilentBefore} of stored schedules, each computed once; -Infinity for one that cannot be read, whose searches the
 * scan marks as broken.
 */
export function createSilenceLimits(
  now: Date,
  config: Pick<Context['config'], 'callTimeoutMs' | 'callsPerDay'>,
): (row: ScheduleColumns) => number {
  const graceMs = Math.max(...Object.values(config.callTimeoutMs));
  const limits = new Map<string, number>();
  return ({ cron, every_seconds, auto, tz }) =>
    getOrMake(
      limits,
      JSON.stringify([cron, every_seconds, auto, tz]),
      () =>
        // The slug only determines the phase of an interval, which does not matter here.
        tryToRead(() =>
          computeSilentBefore(
            readSchedule({ cron, every_seconds, auto, tz, slug: '' }),
            now,
            graceMs,
            config,
          ),
        ) ?? -Infinity,
    );
}

/** All silent searches, except searches of running simulations, which have their own clock. */
export async function judgeSilence({
  db,
  clock,
  config,
}: Pick<Context, 'db' | 'clock' | 'config'>): Promise<SilentSearches> {
  const limitOf = createSilenceLimits(clock.now(), config);
  const limits: { schedule: string; before: Date }[] = [];
  for (const [i, group] of (await readScheduleGroups(db)).entries()) {
    if (i % SCHEDULES_PER_TURN === SCHEDULES_PER_TURN - 1) await setImmediate();
    const before = limitOf(group);
    if (group.oldest.getTime() < before) limits.push({ schedule: group.schedule, before: new Date(before) });
  }
  if (limits.length === 0) return { total: 0, searches: [] };
  return readSilentSearches(db, limits, MAX_NAMED);
}

/** How the last run of a silent search ended: `the last run failed: no answer in time`. */
export function describeLastRun({
  run_status: status,
  run_code: code,
  run_reason: reason,
}: SilentSearch): string {
  if (status === null) return 'no run has ended yet';
  const why = code === null ? reason : RUN_CODES[code];
  return `the last run ${status === 'skipped' || status === 'cancelled' ? 'was ' : ''}${status}${why === null ? '' : `: ${why}`}`;
}
