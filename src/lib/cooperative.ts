/**
 * Work that can pause, since parsing a large response takes longer than the event loop should be blocked. Written once,
 * as a generator that yields wherever it may pause; the caller decides whether it does.
 */
export type Cooperative<T> = Generator<undefined, T, undefined>;

/** Runs the work without pauses. */
export function runToEnd<T>(work: Cooperative<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
