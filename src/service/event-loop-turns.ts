/**
 * Divides long computations into slices. All requests share one queue with one slice per turn of the event loop, so that
 * many requests at once block the loop no longer than a single request.
 */

import { setImmediate } from 'node:timers/promises';
import { monotonicMs } from '../platform/clock.ts';

/** After this much computation, others get a turn. The rest of the slice is at most one step of the work. */
const MAX_SLICE_MS = 10;

let last: Promise<void> = Promise.resolve();

/** Waits for the next turn of the event loop that no other computation has taken. */
export function takeTurn(): Promise<void> {
  last = last.then(() => setImmediate());
  return last;
}

/** @returns to be awaited between two steps: takes a turn if the slice has lasted long enough */
export function createSlices(): () => Promise<void> {
  let began = monotonicMs();
  return async () => {
    if (monotonicMs() - began < MAX_SLICE_MS) return;
    await takeTurn();
    began = monotonicMs();
  };
}
