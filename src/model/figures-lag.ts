/** How far figures may be behind the responses they are derived from. */
import { SECOND } from '../lib/time.ts';

/** Data this recent may still be in progress, so figures up to this old count as current. */
const MAX_LAG_MS = 15 * SECOND;

/** Whether to show that figures are behind. */
export function isBehind(until: Date, now: Date): boolean {
  return now.getTime() - until.getTime() > MAX_LAG_MS;
}
