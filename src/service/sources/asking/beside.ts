/** Asking for what stands beside that which was found, and without which nothing is lost. */
import { SECOND } from '../../../engine/clock.ts';
import type { Asking } from '../adapter.ts';

const MOST_MS = 2 * SECOND;
/** Of the time that is left: what was found already must be given within it. */
const SHARE = 1 / 3;

/** Asks as it is asked here, but each request is given up soon: after a third of what is left, two seconds at most. */
export function beside(asking: Asking): Asking {
  const mostMs = () => Math.floor(Math.min(MOST_MS, asking.leftMs() * SHARE));
  return { ...asking, ask: (question) => asking.ask(question, mostMs()) };
}
