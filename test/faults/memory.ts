import { readFileSync, writeFileSync } from 'node:fs';

/** Starts to watch the memory of a process. @returns its current resident size in bytes */
export function watchMemory(pid: number | undefined): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // resets the highest resident size
  return sizeIn(pid, 'VmRSS');
}

/** The highest resident size of a process since it is watched, in bytes. */
export function mostMemory(pid: number | undefined): number {
  return sizeIn(pid, 'VmHWM');
}

function sizeIn(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error(`the system does not tell the ${name} of process ${pid}`);
  return Number(kilobytes) * 1_024;
}
