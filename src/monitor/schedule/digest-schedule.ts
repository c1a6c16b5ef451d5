/** When a digest is sent, as people write it. Pure. */
import { InvalidInput } from '../../domain/errors.ts';
import { normalizeCron, parseCron } from './cron.ts';

export const EXPECTED_DIGEST =
  'daily 8:00, weekdays 8:00, weekly mon 8:00, or a cron expression of at most 24 times a day, such as 0 8 * * 1-5';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WRITTEN = /^(daily|weekdays|weekly(?:\s+on)?\s+([a-z]+))(?:\s+at)?\s+([01]?\d|2[0-3])(?::([0-5]\d))?$/;
/** A message an hour is no digest any more. */
const MAX_TIMES = 24;

/** A cron expression. @throws InvalidInput */
export function parseDigestSchedule(given: string): string {
  const [, when, day = '', hour, minute = '0'] = WRITTEN.exec(given.trim().toLowerCase()) ?? [];
  if (when !== undefined) {
    const weekday = WEEKDAYS.findIndex((name) => day.startsWith(name));
    const days = when === 'daily' ? '*' : when === 'weekdays' ? '1-5' : String(weekday);
    if (days !== '-1') return `${Number(minute)} ${Number(hour)} * * ${days}`;
  } else if (given.trim().split(/\s+/).length === 5 && parseCron(given).times.length <= MAX_TIMES) {
    return normalizeCron(given);
  }
  throw new InvalidInput([{ path: 'digest', given, expected: EXPECTED_DIGEST }]);
}
