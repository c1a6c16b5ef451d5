import { setImmediate } from 'node:timers/promises';
import type { Turns } from '../../contract/turns.ts';
import { monotonicMs } from '../../engine/clock.ts';

/** So long one turn works before others get theirs; what lies between two pauses is always done. */
const TURN_MS = 20;

/** Does work that can pause in turns, between which the event loop goes on. */
export async function inTurns<T>(work: Turns<T>): Promise<T> {
  let began = monotonicMs();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (monotonicMs() - began < TURN_MS) continue;
    await setImmediate();
    began = monotonicMs();
  }
}
