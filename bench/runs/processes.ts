/** What a process has used so far, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of the clock in which Linux counts a process's time. */
const TICK_MS = 10;

/** User and system time of processes, and of those of their children that ended, in milliseconds. */
export function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const times = statOf(pid).slice(11, 15).map(Number);
    return sum + times.reduce((all, ticks) => all + ticks, 0) * TICK_MS;
  }, 0);
}

/** Memory that a process holds, in MB. */
export function residentMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** A process and all that it started, and they. */
export function withChildren(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(statOf(Number(name))[1] ?? 0)] as const);
  const all = [pid];
  for (const one of all) all.push(...parents.filter(([, parent]) => parent === one).map(([child]) => child));
  return all;
}

/** After the name in brackets, which may hold spaces, come the third field and those after it. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
