import { SourceDown } from './outage.ts';

/**
 * Waits for work until a signal aborts, and leaves nothing behind on the signal. Work that hears the signal
 * and ends at once, with a reason of its own or with what it has so far, has ended in time.
 * @throws the signal's reason
 */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => void setImmediate(() => reject(signal.reason));
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Whether a signal ended because time was up, and not because somebody went away. */
export function isTimeUp({ reason }: AbortSignal): boolean {
  if (reason instanceof SourceDown) return reason.code === 'source_timeout';
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
