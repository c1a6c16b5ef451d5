/** Runs work that can pause, so that the event loop is free at least every {@link MAX_BLOCKING_MS}. */
import type { Cooperative } from '../lib/cooperative.ts';
import { monotonicMs } from './clock.ts';
import { setImmediate } from 'node:timers/promises';

/** Longest work between two pauses, apart from the last step. */
const MAX_BLOCKING_MS = 20;

/** Does cooperative work and yields to the event loop between steps. */
export async function runCooperatively<T>(work: Cooperative<T>): Promise<T> {
  let began = monotonicMs();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (monotonicMs() - began < MAX_BLOCKING_MS) continue;
    await setImmediate();
    began = monotonicMs();
  }
}
