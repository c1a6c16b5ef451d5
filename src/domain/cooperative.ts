/**
 * Work that can pause: reading a large answer takes longer than others in the process should have to wait.
 * It is written once, as a generator that yields wherever it may pause; who does it decides whether it does.
 */
export type Cooperative<T> = Generator<undefined, T, undefined>;

/** Does the work without a pause. */
export function runToEnd<T>(work: Cooperative<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
