import { HOUR } from '../../../engine/clock.ts';
import { SourceDown } from '../../outage.ts';

/**
 * A source says that what was paid for, or may be had in a day or a month, is used up. It is asked again in
 * an hour, whenever it will be more: its user may have paid.
 */
export function usedUp(detail: string): SourceDown {
  return new SourceDown('source_quota', { detail, retryAfterMs: HOUR });
}
