import { until, type WorkerProcess } from '../processes.ts';

/** Waits until a worker has logged a line like this. */
export async function says({ log }: WorkerProcess, words: RegExp): Promise<void> {
  await until(`it says ${words}`, () => Promise.resolve(log.some((line) => words.test(line))));
}
