/**
 * Reads a robots.txt (RFC 9309). Runs in the process of `page-process.ts`: the library's time grows with the rules times
 * the agents that they are for.
 */

import robotsParser from 'robots-parser';
import { SECOND } from '../../../lib/time.ts';
import type { PageOrder, RobotsVerdict } from './page-orders.ts';

export function judgeByRobots(
  bytes: Uint8Array,
  { address, robots, who }: Extract<PageOrder, { kind: 'robots' }>,
): RobotsVerdict {
  const rules = robotsParser(
    robots,
    Buffer.from(bytes)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
  );
  const seconds = rules.getCrawlDelay(who) ?? 0;
  return {
    // Undefined for another site than that of the rules, which does not happen.
    allowed: rules.isAllowed(address, who) !== false,
    delayMs: Number.isFinite(seconds) && seconds > 0 ? seconds * SECOND : 0,
  };
}
