/** "Too many requests", where the answer says by a header of its own when there will be room again. */
import { retryAfterMs, WAIT_MAX_MS } from '../../../contract/retry-after.ts';
import type { Clock } from '../../../engine/clock.ts';
import { SECOND } from '../../../engine/clock.ts';
import { SourceDown } from '../../outage.ts';
import type { Reply } from '../guard/ask.ts';
import { publishedAt } from './published-at.ts';

/**
 * @param header holds the time of the reset: seconds since 1970, or ISO 8601
 * @returns with the longer of that wait and `Retry-After`, at most an hour
 */
export function busyUntil({ status, headers }: Reply, header: string, clock: Clock): SourceDown {
  const now = clock.now();
  const reset = headers.get(header) ?? '';
  const at = /^\d{1,12}$/.test(reset) ? Number(reset) * SECOND : publishedAt(reset)?.getTime();
  const waits = [
    at === undefined ? 0 : Math.min(Math.max(at - now.getTime(), 0), WAIT_MAX_MS),
    retryAfterMs(headers.get('retry-after'), now) ?? 0,
  ];
  const longest = Math.max(...waits);
  return new SourceDown('source_busy', {
    detail: `answered ${status}`,
    retryAfterMs: longest === 0 ? undefined : longest,
  });
}
