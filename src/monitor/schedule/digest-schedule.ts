/** When a digest is sent, as people write it. Pure. */
import { InvalidInput } from '../../model/errors.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { slotsBetween } from './cadence.ts';
import { normalizeCron, parseCron } from './cron.ts';
import { offsetAt } from './time-zone.ts';

export const EXPECTED_DIGEST =
  'daily 8:00, weekdays 8:00, weekly mon 8:00, or a cron expression of at most 24 times a day, such as 0 8 * * 1-5';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WRITTEN = /^(daily|weekdays|weekly(?:\s+on)?\s+([a-z]+))(?:\s+at)?\s+([01]?\d|2[0-3])(?::([0-5]\d))?$/;
/** A message an hour is no digest any more. */
const MAX_TIMES = 24;

/** A cron expression. @throws InvalidInput */
export function parseDigestSchedule(text: string): string {
  const [, when, day = '', hour, minute = '0'] = WRITTEN.exec(text.trim().toLowerCase()) ?? [];
  if (when !== undefined) {
    const weekday = WEEKDAYS.findIndex((name) => day.startsWith(name));
    const days = when === 'daily' ? '*' : when === 'weekdays' ? '1-5' : String(weekday);
    if (days !== '-1') return `${Number(minute)} ${Number(hour)} * * ${days}`;
  } else if (text.trim().split(/\s+/).length === 5 && parseCron(text).times.length <= MAX_TIMES) {
    return normalizeCron(text);
  }
  throw new InvalidInput([{ path: 'digest', given: text, expected: EXPECTED_DIGEST }]);
}

const WEEKDAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A time of day on all days, weekdays or one weekday; null: a cron expression of another kind. */
function readTimeOfDay(cron: string): { time: string; day: string } | null {
  const [, minute = '', hour = '', day = ''] = /^(\d+) (\d+) \* \* (\*|1-5|[0-6])$/.exec(cron) ?? [];
  return day === '' ? null : { time: `${hour}:${minute.padStart(2, '0')}`, day };
}

/** `daily at 8:00`, `Monday to Friday at 8:00`, `on Mondays at 8:00`, or the cron expression. @param cron as it is stored */
export function describeDigestSchedule(cron: string): string {
  const known = readTimeOfDay(cron);
  if (known === null) return cron;
  const { time, day } = known;
  const days =
    day === '*' ? 'daily' : day === '1-5' ? 'Monday to Friday' : `on ${WEEKDAY_NAMES[Number(day)]}s`;
  return `${days} at ${time}`;
}

/** How it is typed: `daily 8:00`, or the cron expression. @param cron as it is stored */
export function writeDigestSchedule(cron: string): string {
  const known = readTimeOfDay(cron);
  if (known === null) return cron;
  const { time, day } = known;
  const days = day === '*' ? 'daily' : day === '1-5' ? 'weekdays' : `weekly ${WEEKDAYS[Number(day)]}`;
  return `${days} ${time}`;
}

/** In 28 days, a daily schedule is due 28 times and a weekly schedule four times; a change of the clock adds none. */
const SPAN_DAYS = 28;

/**
 * The schedule with the next fewer digests: several a day become one a day, several a week one a week, each at the next time that it
 * was due. Null: it is due once a week or less.
 */
export function findFewerDigests(cron: string, tz: string, now: Date): string | null {
  const from = now.getTime();
  const slots = [...slotsBetween({ kind: 'cron', cron, tz }, from, from + SPAN_DAYS * DAY)];
  const [next] = slots;
  if (next === undefined || slots.length <= SPAN_DAYS / 7) return null;
  const local = next + offsetAt(tz, next);
  const minute = Math.floor(local / MINUTE) % 60;
  const hour = Math.floor(local / HOUR) % 24;
  // 1 January 1970 was a Thursday.
  const weekday = (Math.floor(local / DAY) + 4) % 7;
  return `${minute} ${hour} * * ${slots.length > SPAN_DAYS ? '*' : weekday}`;
}
