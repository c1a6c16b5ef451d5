/**
 * Work that can pause: parsing a large response takes longer than others in the process should have to wait.
 * It is written once, as a generator that yields wherever it may pause; the caller decides whether it does.
 */
export type Cooperative<T> = Generator<undefined, T, undefined>;

/** Does the work without a pause. */
export function runToEnd<T>(work: Cooperative<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
