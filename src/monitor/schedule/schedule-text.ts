/** Schedules, slots and changes of intervals as text for people. */
import cronstrue from 'cronstrue';
import { nameZone, formatCount } from '../../lib/display-format.ts';
import { InvalidInput } from '../../model/errors.ts';
import type { IntervalReason } from '../../model/enumerations.ts';
import { SECOND } from '../../lib/time.ts';
import type { IntervalChange, PaceRow } from '../../store/runs/pace.ts';
import { readSchedule, type ScheduleRow, tryToRead, UNREADABLE_SCHEDULE } from './cadence.ts';
import { type AdaptiveSchedule, describeInterval, type SearchSchedule } from './schedule.ts';
import { DateTime, IANAZone } from 'luxon';

/** `at 08:00, Monday through Friday, Europe/Berlin time`, `every 15 minutes` or `adaptive, every 2 minutes to 6 hours`. */
export function describeSchedule(schedule: SearchSchedule): string {
  if (schedule.kind === 'auto') return describeAdaptive(schedule);
  if (schedule.kind === 'every') return `every ${describeInterval(schedule.seconds)}`;
  const words = cronstrue.toString(expandSteps(schedule.cron), {
    use24HourTimeFormat: true,
    throwExceptionOnParseError: false,
  });
  return `${tidyDescription(words)}, ${nameZone(schedule.tz)}`;
}

/** The schedule of a stored search, or that it cannot be read. */
export function describeStoredSchedule(row: ScheduleRow): string {
  return tryToRead(() => describeSchedule(readSchedule(row))) ?? UNREADABLE_SCHEDULE;
}

function describeAdaptive({ leastMs, mostMs, callsPerDay }: AdaptiveSchedule): string {
  const bounds = [leastMs, mostMs].map((ms) => describeInterval(ms / SECOND));
  const budget = callsPerDay === null ? '' : `, at most ${formatCount(callsPerDay, 'call')} a day`;
  return `adaptive, every ${bounds.join(' to ')}${budget}`;
}

/** A reason in words, with what it is based on. */
const REASONS: Readonly<Record<IntervalReason, (change: IntervalChange) => string>> = {
  learning: () => 'its rate is not known yet',
  rate: (change) => describeRate(change) ?? 'by the rate of its posts',
  truncated: ({ waited_seconds: waited }) =>
    `the response did not reach back to the one ${waited === null ? 'before' : `${describeRounded(waited)} before`}`,
  quiet: ({ waited_seconds: waited }) =>
    `nothing new${waited === null ? '' : ` in ${describeRounded(waited)}`}`,
  found: ({ new_items: n }) => `${n ?? 'some'} new ${n === 1 ? 'item' : 'items'}`,
  least: (change) => addRate('the shortest allowed', change),
  most: (change) => addRate('the longest allowed', change),
  budget: (change) =>
    addRate(
      change.calls_per_day === null
        ? 'limited by the calls a day of its service'
        : `limited to ${formatCount(change.calls_per_day, 'call')} a day`,
      change,
    ),
};

/** `every 5 minutes, before every 15 minutes: about 240 posts an hour, at most 20 in a response` */
export function describeIntervalChange(change: IntervalChange): string {
  const { seconds, seconds_before: before, reason } = change;
  const from = before === null ? '' : `, before every ${describeRounded(before)}`;
  return `every ${describeRounded(seconds)}${from}: ${REASONS[reason](change)}`;
}

function addRate(words: string, change: IntervalChange): string {
  const rate = describeRate(change);
  return rate === null ? words : `${words}; ${rate}`;
}

function describeRate({ per_hour, room }: IntervalChange): string | null {
  if (per_hour === null) return null;
  const [n, span] = per_hour < 1 ? [per_hour * 24, 'a day'] : [per_hour, 'an hour'];
  const posts =
    n < 1 ? 'less than one post a day' : `about ${formatCount(Number(n.toPrecision(2)), 'post')} ${span}`;
  return room === null ? posts : `${posts}, at most ${Math.round(room)} in a response`;
}

/** The current interval of an adaptive search: `every 5 minutes`; null for a fixed schedule. */
export function describeCurrentInterval(row: Pick<PaceRow, 'auto' | 'interval_seconds'>): string | null {
  if (row.auto === null) return null;
  return row.interval_seconds === null
    ? 'every 15 minutes or as allowed, until its rate is known'
    : `every ${describeRounded(row.interval_seconds)}`;
}

/** To the second below five minutes, and to the minute from there on. */
function describeRounded(seconds: number): string {
  return describeInterval(seconds < 300 ? Math.max(1, Math.round(seconds)) : Math.round(seconds / 60) * 60);
}

/** The first and last value of each field; Sunday counts once. */
const FIELD_RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/**
 * A step that does not divide its field restarts with each cycle, so that `*\/7` is not every seven minutes. Such steps are
 * replaced by their values.
 */
function expandSteps(cron: string): string {
  return cron
    .split(' ')
    .map((field, i) => {
      const [first, last] = FIELD_RANGES[i] ?? [0, 0];
      const step = Number(/^\*\/(\d+)$/.exec(field)?.[1] ?? 1);
      const length = last - first + 1;
      if (step < 1 || length % step === 0) return field;
      return Array.from({ length: Math.ceil(length / step) }, (_, n) => first + n * step).join(',');
    })
    .join(' ');
}

/** Number of minutes of an hour that are listed before an ellipsis. */
const MAX_NAMED_MINUTES = 4;

function tidyDescription(words: string): string {
  const plain = (words.charAt(0).toLowerCase() + words.slice(1)).replace(/^on the hour, (?=every)/, '');
  return plain.replace(/^at ([\d, and]+) minutes past the hour/, (_all, list: string) => {
    const minutes = list.match(/\d+/g) ?? [];
    const named =
      minutes.length > MAX_NAMED_MINUTES ? [...minutes.slice(0, MAX_NAMED_MINUTES - 1), '…'] : minutes;
    return `at minute ${named.join(', ')} of each hour`;
  });
}

/**
 * `Sat 2026-11-21 14:00 +01:00 Europe/Berlin`, `Sat 2026-11-21 13:00 UTC`; with seconds if they are not zero. In UTC if this
 * machine does not know the zone (luxon also reads `local`): such a search is broken, and everything else is still to be read.
 * @throws InvalidInput if the instant is invalid
 */
export function formatSlot(at: Date | number, tz: string): string {
  const zone = IANAZone.isValidZone(tz) ? tz : 'utc';
  const local = DateTime.fromMillis(Number(at), { zone, locale: 'en' });
  if (!local.isValid) throw new InvalidInput([{ path: 'at', given: String(at), expected: 'a time' }]);
  const seconds = local.second === 0 ? '' : ':ss';
  return `${local.toFormat(`ccc yyyy-MM-dd HH:mm${seconds}${tz === 'UTC' ? '' : ' ZZ'}`)} ${tz}`;
}
