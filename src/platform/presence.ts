/** When this process ran: a machine that sleeps, or a process that is stopped, runs no timers and uses no processor time. */
import { uptime } from 'node:os';
import { MINUTE, SECOND } from '../lib/time.ts';
import { systemClock } from './clock.ts';

export type Presence = {
  startedAt: Date;
  /** When the machine started. */
  bootedAt: Date;
  /** For how many of the milliseconds since `from` this process did not run. */
  absentMs: (from: Date) => number;
};

type Tick = { at: number; cpuMs: number };

const TICK_MS = 10 * SECOND;
/** A timer may be this late on a busy machine. */
const SPARE_MS = MINUTE;
/** If its timer was late and a process used a smaller share of a processor than this, it was not busy: it did not run. */
const MAX_CPU_SHARE = 0.2;
const MAX_SPANS = 100;

/** Spans between two ticks in which a process did not run. Pure. */
export function findAbsence(last: Tick, now: Tick): { from: number; until: number } | null {
  const lateMs = now.at - last.at - TICK_MS;
  if (lateMs < SPARE_MS || now.cpuMs - last.cpuMs > MAX_CPU_SHARE * lateMs) return null;
  return { from: last.at, until: now.at };
}

const absences: { from: number; until: number }[] = [];
let last: Tick | undefined;

function readTick(): Tick {
  const { user, system } = process.cpuUsage();
  return { at: systemClock.now().getTime(), cpuMs: (user + system) / 1_000 };
}

function tick(): void {
  const now = readTick();
  const absence = last === undefined ? null : findAbsence(last, now);
  if (absence !== null) absences.push(absence);
  if (absences.length > MAX_SPANS) absences.shift();
  last = now;
}

/** Observes this process from now on. @returns ends it */
export function observePresence(): () => void {
  tick();
  const timer = setInterval(tick, TICK_MS).unref();
  return () => {
    clearInterval(timer);
    last = undefined;
  };
}

/** What was observed of this process. */
export const ownPresence: Presence = {
  get startedAt() {
    return new Date(systemClock.now().getTime() - process.uptime() * SECOND);
  },
  get bootedAt() {
    return new Date(systemClock.now().getTime() - uptime() * SECOND);
  },
  absentMs: (from) => {
    // The timer may not have noticed yet that the machine is awake.
    if (last !== undefined) tick();
    const since = from.getTime();
    return absences.reduce((ms, span) => ms + Math.max(0, span.until - Math.max(span.from, since)), 0);
  },
};
