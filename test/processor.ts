import { openSync, readSync } from 'node:fs';

/**
 * Counts the processor time of this process from now on, in milliseconds: waiting for a processor depends on the
 * machine, and no test fails for it.
 */
export function watchProcessor(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

/**
 * The same of the main thread alone, where events are handled: garbage that other threads
 * collect and what they compress is not counted. Linux tells it, some hundred times a second.
 */
export function watchMainThread(): () => number {
  file ??= openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const computed = () => Number.parseInt(textOf(file ?? 0), 10) / 1e6;
  const before = computed();
  return () => computed() - before;
}

let file: number | undefined;
const bytes = Buffer.alloc(80);

function textOf(opened: number): string {
  return bytes.toString('latin1', 0, readSync(opened, bytes, 0, bytes.length, 0));
}
