/** Leaves a source alone that fails, and one that asks for it; then lets one trial through. */
import { MINUTE } from '../../../domain/time.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { OutageCode } from '../../../protocol/service-status.ts';
import { SourceDown } from '../outage.ts';

/** So many failures one after the other open the circuit, for so long. */
const MAX_SOURCE_FAILURES = 3;
const BREAKER_OPEN_MS = MINUTE;

export type CircuitBreaker = {
  /**
   * Lets a request through; whoever got through says how it ended, once.
   * @throws SourceDown why the source is left alone, and for how much longer
   */
  enter(): BreakerPass;
  /** Until when it is left alone; undefined while it is not. */
  openUntil(): Date | undefined;
};

export type BreakerPass = {
  succeeded(): void;
  failed(): void;
  /** It ended without saying anything about the source. */
  dropped(): void;
  /** The source asks to be left alone. */
  rest(ms: number, code: OutageCode): void;
};

export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  /** Failures that were counted, ever. */
  let known = 0;
  let open: { until: number; code: OutageCode } | undefined;
  let trial: BreakerPass | undefined;

  const now = () => clock.now().getTime();
  function openFor(ms: number, code: OutageCode) {
    const until = now() + ms;
    // Of two reasons the one that lasts longer counts.
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
          // Only a trial closes: others may have set out before the source asked to be left alone.
          if (trial === pass) open = undefined;
          leave();
        },
        failed() {
          // Those that were under way when one failed met the same moment, and say nothing new.
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
