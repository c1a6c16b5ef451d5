import { setMaxListeners } from 'node:events';

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

export function startLimit(timeoutMs: number, caller: AbortSignal): Limit {
  setMaxListeners(0, caller); // all calls of a process may share the signal of its end; no leak
  const controller = new AbortController();
  let ended: Limit['ended'];
  const end = (by: 'time' | 'caller') => {
    ended ??= by;
    controller.abort();
  };
  const onCaller = () => end('caller');
  const timer = setTimeout(() => end('time'), timeoutMs);
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
