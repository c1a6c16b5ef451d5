import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../src/model/errors.ts';
import { parseSchedule, type WrittenSchedule } from '../../src/monitor/schedule/schedule.ts';
import { formatSlot, describeSchedule } from '../../src/monitor/schedule/schedule-text.ts';

const cron = (text: string, tz?: string) => parseSchedule({ cron: text, tz, slug: 'any' });
const every = (text: string) => parseSchedule({ every: text, slug: 'any' });

function problemsOf(written: Omit<WrittenSchedule, 'slug'>): string {
  try {
    parseSchedule({ ...written, slug: 'any' });
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a cron expression', () => {
  it.each([
    ['', 'five fields'],
    ['   ', 'five fields'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['0 0 * * * * *', 'five fields'],
    ['0 0 * * *\n0 1 * * *', 'five fields'],
    ['0 0 *\n* *', 'five fields'],
    ['0 0 *\u00A0* *', 'five fields'],
    ['@daily', '0 0 * * *'],
    ['@Hourly', '0 * * * *'],
    ['@every 5m', 'an interval instead'],
    ['@reboot', 'five fields'],
    ['60 * * * *', 'cron (minute): got "60"; 0 to 59'],
    ['* 24 * * *', 'cron (hour): got "24"; 0 to 23'],
    ['* * 0 * *', 'cron (day of month)'],
    ['* * 32 * *', 'cron (day of month)'],
    ['* * * 13 *', 'cron (month)'],
    ['* * * * 8', 'cron (day of week)'],
    ['-1 * * * *', 'cron (minute)'],
    ['5-1 * * * *', 'cron (minute)'],
    ['0 0 * * FRI-SUN', '0 and 7 are Sunday'],
    ['1-100000000 * * * *', 'cron (minute)'],
    ['*/0 * * * *', 'cron (minute)'],
    ['*/60 * * * *', 'cron (minute)'],
    ['*/90 * * * *', 'cron (minute)'],
    ['0 */24 * * *', 'cron (hour)'],
    ['*/1e9 * * * *', 'cron (minute)'],
    ['0,0.5 * * * *', 'got "0.5"'],
    ['1,, * * * *', 'got ""'],
    ['*/2/3 * * * *', 'cron (minute)'],
    ['1-2-3 * * * *', 'cron (minute)'],
    ['? * * * *', 'cron (minute)'],
    ['0 0 ? * MON', 'cron (day of month): got "?"'],
    ['0 0 L * *', 'cron (day of month): got "L"'],
    ['0 0 15W * *', 'cron (day of month)'],
    ['0 0 * * 1#5', 'cron (day of week)'],
    ['0 0 * * 1#6', 'cron (day of week)'],
    ['0 0 W * *', 'cron (day of month)'],
    ['0 0 LW * *', 'cron (day of month)'],
    ['0\u0000 0 * * *', 'cron (minute)'],
    ['0 0 * * * ;rm', 'five fields'],
    ['0 0 * * 5L', 'cron (day of week)'],
    ['H * * * *', 'cron (minute): got "H"'],
    ['H(0-9)/3 * * * *', 'cron (minute)'],
    ['٥ * * * *', 'cron (minute)'],
    ['MON * * * *', 'cron (minute)'],
    ['0 0 * FOO *', 'cron (month)'],
    ['0 0 * JANUARY *', 'cron (month)'],
    ['* * * * __proto__', 'cron (day of week)'],
    ['0 0 30 2 *', 'a day that one of its months has'],
    ['0 0 31 2,4,6,9,11 *', 'a day that one of its months has'],
    ['0 0 30 2 */2', 'a day that one of its months has'],
    [`${'1,'.repeat(50_000)}1 * * * *`, 'at most 500 characters'],
  ])('%j is refused', (text, words) => {
    expect(problemsOf({ cron: text })).toContain(words);
  });

  it.each([
    ['* * * * *'],
    ['*/15 9-17 * * MON-FRI'],
    ['0 0 1 jan,Jul *'],
    ['0 0 * * 7'],
    ['0 0 * * 0-7'],
    ['0 0 * * 5-7'],
    ['05 08 * * *'],
    ['1-5,3 * 1,1,1 * *'],
    ['5/15 * * * *'],
    ['0 0 29 2 *'],
    ['0 0 30 2 MON'],
  ])('%s is accepted', (text) => {
    expect(cron(text)).toEqual({ kind: 'cron', cron: text, tz: 'UTC' });
  });

  it('is stored with one space between its fields', () => {
    expect(cron('  0\t 8  * * * ')).toMatchObject({ cron: '0 8 * * *' });
  });

  it('is refused together with its zone, each for its own reason', () => {
    const words = problemsOf({ cron: '61 25 * * *', tz: 'Mars/Phobos' });
    expect(words.split('\n').map((line) => line.split(':')[0])).toEqual([
      'cron (minute)',
      'cron (hour)',
      'tz',
    ]);
  });
});

describe('a time zone', () => {
  it.each([
    ['Mars/Phobos', 'the name of a time zone'],
    ['', 'the name of a time zone'],
    ['+05:30', 'the name of a time zone'],
    ['EST', 'the name of a time zone'],
    ['CET', 'the name of a time zone'],
    ['UTC+2', 'the name of a time zone'],
    ['Z', 'the name of a time zone'],
    ['local', 'the name of a time zone'],
    ['system', 'the name of a time zone'],
    ['Etc/GMT+14', 'the name of a time zone'],
    ['../../etc/passwd', 'the name of a time zone'],
    ['Europe/Berlin\0', 'the name of a time zone'],
    ['America/New York', 'did you mean America/New_York?'],
    ['Europe/Berln', 'did you mean Europe/Berlin?'],
    ['Berlin', 'did you mean Europe/Berlin?'],
    ['Tokyo', 'did you mean Asia/Tokyo?'],
    ['x'.repeat(100_000), 'the name of a time zone'],
  ])('%j is refused', (tz, words) => {
    expect(problemsOf({ cron: '0 8 * * *', tz })).toContain(words);
  });

  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Europe/berlin', 'Europe/Berlin'],
    ['AMERICA/NEW_YORK', 'America/New_York'],
    ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
    ['Asia/Kathmandu', 'Asia/Kathmandu'],
    ['asia/kathmandu', 'Asia/Kathmandu'],
    ['US/Pacific', 'US/Pacific'],
    ['Etc/GMT-14', 'Etc/GMT-14'],
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    [' Asia/Tokyo ', 'Asia/Tokyo'],
  ])('%j is accepted as %s', (tz, name) => {
    expect(cron('0 8 * * *', tz)).toMatchObject({ tz: name });
  });
});

describe('an interval', () => {
  it.each([
    ['0', 'an interval such as'],
    ['-5', 'an interval such as'],
    ['0.5', 'an interval such as'],
    ['1e15', 'an interval such as'],
    ['5', 'an interval such as'],
    ['5x', 'an interval such as'],
    ['∞', 'an interval such as'],
    ['٥m', 'an interval such as'],
    ['', 'an interval such as'],
    ['PT1H', 'an interval such as'],
    ['30m1h', 'an interval such as'],
    ['0s', 'at least 60s'],
    ['59s', 'at least 60s'],
    ['367d', 'at most 366d'],
    ['999999999s', 'at most 366d'],
    ['9999999999s', 'an interval such as'],
    ['1h 30m', 'an interval such as'],
    ['+15m', 'an interval such as'],
    ['15m\u0000', 'an interval such as'],
    [`${'1'.repeat(100_000)}m`, 'an interval such as'],
  ])('%j is refused', (text, words) => {
    expect(problemsOf({ every: text })).toContain(words);
  });

  it.each([
    ['60s', 60],
    ['90s', 90],
    ['15m', 900],
    ['2h', 7_200],
    ['1h30m', 5_400],
    ['1d', 86_400],
    ['366d', 31_622_400],
    [' 15M ', 900],
  ])('%j is %d seconds, with a phase within the interval', (text, seconds) => {
    const schedule = every(text);
    expect(schedule).toMatchObject({ kind: 'every', seconds });
    expect(schedule.kind === 'every' && schedule.phase >= 0 && schedule.phase < seconds).toBe(true);
  });

  it('has no zone', () => {
    expect(problemsOf({ every: '15m', tz: 'Europe/Berlin' })).toContain('intervals have none');
  });
});

it('and a cron expression are mutually exclusive', () => {
  expect(problemsOf({})).toContain('a cron expression or an interval, not both');
  expect(problemsOf({ cron: '0 8 * * *', every: '15m' })).toContain(
    'a cron expression or an interval, not both',
  );
});

it.each([
  [cron('0 8 * * MON-FRI', 'Europe/Berlin'), 'at 08:00, Monday through Friday, Europe/Berlin time'],
  [cron('*/15 * * * *'), 'every 15 minutes, UTC'],
  [cron('*/7 * * * *'), 'at minute 0, 7, 14, … of each hour, UTC'],
  [cron('5,20 * * * MON'), 'at minute 5, 20 of each hour, only on Monday, UTC'],
  [cron('0 */2 * * *'), 'every 2 hours, UTC'],
  [cron('0 */7 * * *'), 'at 00:00, 07:00, 14:00 and 21:00, UTC'],
  [cron('0 0 */10 * *'), 'at 00:00, on day 1, 11, 21, and 31 of the month, UTC'],
  [every('15m'), 'every 15 minutes'],
  [every('1h'), 'every hour'],
  [every('1h30m'), 'every 1 hour 30 minutes'],
  [every('1d'), 'every day'],
  [every('90s'), 'every 1 minute 30 seconds'],
])('describes a schedule in words', (schedule, words) => {
  expect(describeSchedule(schedule)).toBe(words);
});

it.each([
  ['2026-11-21T13:00:00Z', 'Europe/Berlin', 'Sat 2026-11-21 14:00 +01:00 Europe/Berlin'],
  ['2026-11-21T13:00:07Z', 'UTC', 'Sat 2026-11-21 13:00:07 UTC'],
  ['2026-11-21T20:00:00Z', 'Asia/Kathmandu', 'Sun 2026-11-22 01:45 +05:45 Asia/Kathmandu'],
  ['2026-11-21T02:00:00Z', 'America/St_Johns', 'Fri 2026-11-20 22:30 -03:30 America/St_Johns'],
  ['2026-11-21T13:00:00Z', 'Mars/Olympus', 'Sat 2026-11-21 13:00 +00:00 Mars/Olympus'],
  ['2026-11-21T13:00:00Z', 'local', 'Sat 2026-11-21 13:00 +00:00 local'],
  ['2026-11-21T13:00:00Z', 'system', 'Sat 2026-11-21 13:00 +00:00 system'],
  ['2026-11-21T13:00:00Z', 'default', 'Sat 2026-11-21 13:00 +00:00 default'],
  ['2026-11-21T13:00:00Z', 'UTC+3', 'Sat 2026-11-21 13:00 +00:00 UTC+3'],
])('shows a slot in local time: %s in %s', (at, tz, words) => {
  expect(formatSlot(new Date(at), tz)).toBe(words);
});

it('refuses to show an invalid instant', () => {
  expect(() => formatSlot(new Date(Number.NaN), 'UTC')).toThrow(InvalidInput);
});
