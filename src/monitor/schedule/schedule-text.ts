/** Schedules and slots as text for people. */
import cronstrue from 'cronstrue';
import { MINUTE, SECOND } from '../../domain/time.ts';
import { type AdaptiveSchedule, describeInterval, type SearchSchedule } from './schedule.ts';
import { offsetAt } from './time-zone.ts';

/** `at 08:00, Monday through Friday, Europe/Berlin time`, `every 15 minutes` or `adaptive, every 2 minutes to 6 hours`. */
export function describeSchedule(schedule: SearchSchedule): string {
  if (schedule.kind === 'auto') return describeAdaptive(schedule);
  if (schedule.kind === 'every') return `every ${describeInterval(schedule.seconds)}`;
  const words = cronstrue.toString(expandSteps(schedule.cron), {
    use24HourTimeFormat: true,
    throwExceptionOnParseError: false,
  });
  return `${tidyDescription(words)}, ${schedule.tz === 'UTC' ? 'UTC' : `${schedule.tz} time`}`;
}

function describeAdaptive({ leastMs, mostMs, callsPerDay }: AdaptiveSchedule): string {
  const bounds = [leastMs, mostMs].map((ms) => describeInterval(ms / SECOND));
  const budget = callsPerDay === null ? '' : `, at most ${callsPerDay} calls a day`;
  return `adaptive, every ${bounds.join(' to ')}${budget}`;
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

/** `Sat 2026-11-21 14:00 +01:00 Europe/Berlin`, `Sat 2026-11-21 13:00 UTC`; with seconds if they are not zero. */
export function formatSlot(at: Date | number, tz: string): string {
  const offset = offsetAt(tz, Number(at));
  const local = new Date(Number(at) + offset);
  const [date, time] = local.toISOString().split('T');
  const seconds = local.getUTCSeconds() === 0 ? 5 : 8;
  const zone = tz === 'UTC' ? tz : `${formatOffset(offset)} ${tz}`;
  return `${WEEKDAYS[local.getUTCDay()]} ${date} ${time?.slice(0, seconds)} ${zone}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function formatOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / MINUTE);
  const [h, m] = [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${h}:${m}`;
}
