import { openSync, readSync } from 'node:fs';

/** What a fixed piece of work takes on the machine that limits of processor time were set on, in milliseconds. */
const REFERENCE_MS = 30;
const REFERENCE = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => ({ id: `${n}`, n })));

/** How many times slower this machine is now: 1 or more, the median of five measurements. */
const SLOWNESS = Math.max(
  1,
  (Array.from({ length: 5 }, measureReference).sort((a, b) => a - b)[2] ?? 0) / REFERENCE_MS,
);

function measureReference(): number {
  const computed = countProcessor();
  JSON.parse(REFERENCE);
  return computed();
}

/** Processor time of this process from now on, in milliseconds of this machine. */
function countProcessor(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

/**
 * Counts the processor time of this process from now on, in milliseconds of the machine that limits were set on: waiting
 * for a processor and its speed, which others slow down, depend on the machine, and no test fails for them.
 */
export function watchProcessor(): () => number {
  const computed = countProcessor();
  return () => computed() / SLOWNESS;
}

/**
 * The same of the main thread alone, where events are handled: garbage that other threads
 * collect and what they compress is not counted. Linux tells it, some hundred times a second.
 */
export function watchMainThread(): () => number {
  file ??= openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const computed = () => Number.parseInt(textOf(file ?? 0), 10) / 1e6 / SLOWNESS;
  const before = computed();
  return () => computed() - before;
}

let file: number | undefined;
const bytes = Buffer.alloc(80);

function textOf(opened: number): string {
  return bytes.toString('latin1', 0, readSync(opened, bytes, 0, bytes.length, 0));
}
