/** What is due when, in simulated time: it stands in the queue's place, for one lane. */
import type { Clock } from '../engine/clock.ts';
import type { WaitingRun, WorkQueue } from '../engine/queue/queue.ts';
import { repeatStrategy } from '../monitor/schedule/repeat.ts';
import type { Id } from '../store/database.ts';

/** Something to be done at a time, in ms since 1970. */
export type Due = { at: number } & ({ kind: 'tick'; searchId: Id } | { kind: 'run'; runId: Id });

export type Agenda = {
  /** To be handed to the monitor in place of its queue. */
  queue: WorkQueue;
  /** Takes the earliest of what is due at or before a time; a run comes before a tick. */
  take(until: number): Due | undefined;
  /** How many searches are scheduled here. */
  searches(): number;
};

export function createAgenda(clock: Clock): Agenda {
  const schedules = new Map<Id, { pattern: string; at: number }>();
  const runs: { runId: Id; at: number }[] = [];

  function enqueue(waiting: readonly WaitingRun[]): void {
    const now = clock.now().getTime();
    for (const { runId, delayMs = 0 } of waiting) runs.push({ runId, at: now + delayMs });
  }

  function take(until: number): Due | undefined {
    const run = earliest(runs);
    const tick = earliest([...schedules].map(([searchId, { at }]) => ({ searchId, at })));
    if (run !== undefined && run.at <= until && (tick === undefined || run.at <= tick.at)) {
      runs.splice(runs.indexOf(run), 1);
      return { kind: 'run', ...run };
    }
    if (tick === undefined || tick.at > until) return undefined;
    const schedule = schedules.get(tick.searchId);
    if (schedule !== undefined) schedule.at = repeatStrategy(tick.at, schedule);
    return { kind: 'tick', ...tick };
  }

  const queue: WorkQueue = {
    kind: 'postgres',
    enqueue: async (waiting) => enqueue(waiting),
    // Nobody is told of a past that is made up.
    enqueueChannels: async () => {},
    schedule: async (searchId, pattern) => {
      schedules.set(searchId, { pattern, at: repeatStrategy(clock.now().getTime(), { pattern }) });
    },
    unschedule: async (searchId) => {
      schedules.delete(searchId);
    },
    schedules: async () => new Map([...schedules].map(([searchId, { pattern }]) => [searchId, pattern])),
    countSchedules: async () => schedules.size,
    depth: async () => ({ waiting: runs.length }),
    ping: async () => {},
    close: async () => {},
  };
  return { queue, take, searches: () => schedules.size };
}

function earliest<T extends { at: number }>(all: readonly T[]): T | undefined {
  let first = all[0];
  for (const one of all) if (first !== undefined && one.at < first.at) first = one;
  return first;
}
