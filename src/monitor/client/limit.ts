import { setMaxListeners } from 'node:events';
import { monotonicMs, SECOND } from '../../engine/clock.ts';

/** Longest time between two looks at the clock. */
const STEP_MS = SECOND;
/** A look that comes so late: this process was suspended, and what came meanwhile waits in its sockets. */
const SUSPENDED_MS = SECOND;

/** The one time limit of a call, joined with the caller's wish to end it. */
export type Limit = {
  /** Aborted by whichever comes first. */
  readonly signal: AbortSignal;
  /** Which of them it was; undefined while neither has come. */
  readonly ended: 'time' | 'caller' | undefined;
  /** Ends it at once, as if its time were over. */
  expire(): void;
  /** To be called once the call has ended. */
  clear(): void;
};

/**
 * Time in which this process was suspended does not count: the response, which was paid for, may have come meanwhile. At
 * least a second is left to read it.
 */
export function startLimit(timeoutMs: number, caller: AbortSignal): Limit {
  setMaxListeners(0, caller); // all calls of a process may share the signal of its end; no leak
  const controller = new AbortController();
  let ended: Limit['ended'];
  const end = (by: 'time' | 'caller') => {
    ended ??= by;
    controller.abort();
  };
  const onCaller = () => end('caller');
  let leftMs = timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  const waitOn = () => {
    const began = monotonicMs();
    const stepMs = Math.min(leftMs, STEP_MS);
    timer = setTimeout(() => {
      const passedMs = monotonicMs() - began;
      leftMs = passedMs > stepMs + SUSPENDED_MS ? Math.max(leftMs, SECOND) : leftMs - passedMs;
      if (leftMs > 0) waitOn();
      else end('time');
    }, stepMs);
  };
  waitOn();
  caller.addEventListener('abort', onCaller, { once: true });
  if (caller.aborted) onCaller();
  return {
    signal: controller.signal,
    get ended() {
      return ended;
    },
    expire: () => end('time'),
    clear() {
      clearTimeout(timer);
      caller.removeEventListener('abort', onCaller);
    },
  };
}
