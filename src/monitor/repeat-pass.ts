/** Repeats work of a worker that waits for a language model, outside of runs, of the follower and of recurring work. */
import type { Context } from './context.ts';

/**
 * Calls a pass at each interval; passes never overlap, and one that fails is logged.
 * @param name for the log: `judging`
 * @returns stops it: a pass in progress is aborted, and awaited
 */
export function repeatPass(
  { log }: Pick<Context, 'log'>,
  name: string,
  pass: (signal: AbortSignal) => Promise<void>,
  intervalMs: number,
): () => Promise<void> {
  const stopping = new AbortController();
  let inProgress: Promise<void> | undefined;
  const attempt = async () => {
    try {
      await pass(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, `${name} failed`);
    }
  };
  const timer = setInterval(() => {
    inProgress ??= attempt().finally(() => {
      inProgress = undefined;
    });
  }, intervalMs);
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await inProgress;
  };
}
