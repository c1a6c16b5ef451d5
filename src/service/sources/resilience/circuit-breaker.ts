/** Pauses a source that fails repeatedly or asks for a pause; afterwards, lets one trial request through. */
import { MINUTE } from '../../../lib/time.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { OutageCode } from '../../../model/tool-coverage.ts';
import { SourceDown } from '../outage.ts';

/** Consecutive failures that open the circuit. */
const MAX_SOURCE_FAILURES = 3;
const BREAKER_OPEN_MS = MINUTE;

export type CircuitBreaker = {
  /**
   * Admits a request; the caller must report its outcome, once.
   * @throws SourceDown with the reason for the pause and the time left
   */
  enter(): BreakerPass;
  /** End of the pause; undefined if the source is not paused. */
  openUntil(): Date | undefined;
};

export type BreakerPass = {
  succeeded(): void;
  failed(): void;
  /** The outcome says nothing about the source. */
  dropped(): void;
  /** The source asked for a pause. */
  rest(ms: number, code: OutageCode): void;
};

export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  /** Failures counted since the start. */
  let known = 0;
  let open: { until: number; code: OutageCode } | undefined;
  let trial: BreakerPass | undefined;

  const now = () => clock.now().getTime();
  function openFor(ms: number, code: OutageCode) {
    const until = now() + ms;
    // The longer of two pauses applies.
    if (open === undefined || open.until < until) open = { until, code };
  }

  return {
    openUntil: () => (open === undefined || open.until <= now() ? undefined : new Date(open.until)),
    enter() {
      if (open !== undefined) {
        const leftMs = open.until - now();
        if (leftMs > 0) throw new SourceDown(open.code, { retryAfterMs: leftMs, unasked: true });
        if (trial !== undefined) throw new SourceDown('source_resting', { unasked: true });
      }
      const knownBefore = known;
      const pass: BreakerPass = {
        succeeded() {
          failures = 0;
          // Only the trial closes the circuit: other requests may have been sent before the pause.
          if (trial === pass) open = undefined;
          leave();
        },
        failed() {
          // Requests that ran during an earlier failure probably hit the same outage, so they do not count again.
          if (known === knownBefore) {
            known += 1;
            failures += 1;
          }
          if (failures >= MAX_SOURCE_FAILURES || trial === pass) openFor(BREAKER_OPEN_MS, 'source_resting');
          leave();
        },
        dropped: () => leave(),
        rest(ms, code) {
          openFor(ms, code);
          leave();
        },
      };
      const leave = () => {
        if (trial === pass) trial = undefined;
      };
      if (open !== undefined) trial = pass;
      return pass;
    },
  };
}
