import { openSync, readSync } from 'node:fs';

/**
 * Counts what this process computes from now on, in milliseconds of the processor: how long it waited for one is the
 * machine's affair, and no test fails for it.
 */
export function watchProcessor(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

/**
 * The same of the main thread alone, where events are handled, of this process or another one: garbage that other threads
 * collect and what they compress is not counted. Linux tells it, some hundred times a second.
 */
export function watchMainThread(pid: number = process.pid): () => number {
  const before = computedBy(pid);
  return () => computedBy(pid) - before;
}

const files = new Map<number, number>();
const bytes = Buffer.alloc(80);

/** Milliseconds in which the main thread of a process ran. */
function computedBy(pid: number): number {
  const file = files.get(pid) ?? openSync(`/proc/${pid}/task/${pid}/schedstat`, 'r');
  files.set(pid, file);
  return Number.parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e6;
}
