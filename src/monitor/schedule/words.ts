/** Schedules and slots as a person reads them. */
import cronstrue from 'cronstrue';
import { MINUTE } from '../../engine/clock.ts';
import { intervalInWords } from './interval.ts';
import type { Schedule } from './schedule.ts';
import { offsetAt } from './zone.ts';

/** `At 08:00, Monday through Friday, Europe/Berlin time` or `every 15 minutes`. */
export function inWords(schedule: Schedule): string {
  if (schedule.kind === 'every') return `every ${intervalInWords(schedule.seconds)}`;
  const words = cronstrue.toString(schedule.cron, {
    use24HourTimeFormat: true,
    throwExceptionOnParseError: false,
  });
  return `${words}, ${schedule.tz === 'UTC' ? 'UTC' : `${schedule.tz} time`}`;
}

/** `Sat 2026-11-21 14:00 +01:00 Europe/Berlin`; with seconds where there are any. */
export function formatSlot(at: Date | number, tz: string): string {
  const offset = offsetAt(tz, Number(at));
  const local = new Date(Number(at) + offset);
  const [date, time] = local.toISOString().split('T');
  const seconds = local.getUTCSeconds() === 0 ? 5 : 8;
  return `${WEEKDAYS[local.getUTCDay()]} ${date} ${time?.slice(0, seconds)} ${signed(offset)} ${tz}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function signed(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / MINUTE);
  const [h, m] = [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, '0'));
  return `${offset < 0 ? '-' : '+'}${h}:${m}`;
}
