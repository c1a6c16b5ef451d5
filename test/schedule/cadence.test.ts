import { describe, expect, it, test } from 'vitest';
import { FAR_FUTURE, nextSlot, nextSlots, slotsBetween } from '../../src/monitor/schedule/cadence.ts';
import { parseSchedule, type Schedule } from '../../src/monitor/schedule/schedule.ts';
import { formatSlot } from '../../src/monitor/schedule/schedule-text.ts';
import { watchProcessor } from '../processor.ts';

const cron = (text: string, tz = 'UTC') => parseSchedule({ cron: text, tz, slug: 'any' });
const every = (text: string, slug = 'any') => parseSchedule({ every: text, slug });
const iso = (slots: Iterable<number>) => [...slots].map((at) => new Date(at).toISOString().slice(0, 16));
const between = (schedule: Schedule, from: string, to: string) =>
  iso(slotsBetween(schedule, new Date(from), new Date(to)));

// Each row: expression, zone, a span of real time (UTC), and its slots (UTC).
const CLOCK_CHANGES: readonly [string, string, string, string, readonly string[]][] = [
  // A time of day that is skipped runs at the first instant after the gap.
  ['30 2 * * *', 'America/New_York', '2026-03-08T00:00Z', '2026-03-09T00:00Z', ['2026-03-08T07:00']],
  ['30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00Z', '2026-03-30T00:00Z', ['2026-03-29T01:00']],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-04T12:00Z', ['2026-10-03T15:30']],
  ['30 2 * * *', 'Africa/Casablanca', '2026-03-22T00:00Z', '2026-03-23T00:00Z', ['2026-03-22T02:00']],
  ['30 2 * * *', 'Antarctica/Troll', '2026-03-29T00:00Z', '2026-03-30T00:00Z', ['2026-03-29T01:00']],
  ['5,20 1 * * *', 'Antarctica/Troll', '2026-03-29T00:00Z', '2026-03-29T20:00Z', ['2026-03-29T01:00']],
  // Midnight itself does not exist.
  ['0 0 * * *', 'America/Santiago', '2026-09-06T00:00Z', '2026-09-07T00:00Z', ['2026-09-06T04:00']],
  ['0 0 * * *', 'America/Havana', '2026-03-08T00:00Z', '2026-03-09T00:00Z', ['2026-03-08T05:00']],
  ['0 0 * * *', 'Asia/Beirut', '2026-03-28T12:00Z', '2026-03-29T12:00Z', ['2026-03-28T22:00']],
  ['0 0 * * *', 'Africa/Cairo', '2026-04-23T12:00Z', '2026-04-24T12:00Z', ['2026-04-23T22:00']],
  // The gap reaches to midnight: the last minute before it, because after it is tomorrow.
  ['30 23 * * *', 'America/Nuuk', '2026-03-28T12:00Z', '2026-03-29T12:00Z', ['2026-03-29T00:59']],
  // The last day of a month that loses its last hour is still that day.
  ['30 23 28 * *', 'America/Nuuk', '2026-03-28T12:00Z', '2026-04-01T00:00Z', ['2026-03-29T00:59']],
  // Skipped and named in its own right, or skipped twice: once.
  ['0 2,3 * * *', 'America/New_York', '2026-03-08T00:00Z', '2026-03-09T00:00Z', ['2026-03-08T07:00']],
  ['0,30 2 * * *', 'America/New_York', '2026-03-08T00:00Z', '2026-03-09T00:00Z', ['2026-03-08T07:00']],
  // A time of day that comes twice runs the first time.
  ['30 1 * * *', 'America/New_York', '2026-11-01T00:00Z', '2026-11-02T00:00Z', ['2026-11-01T05:30']],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:00Z', '2026-10-26T00:00Z', ['2026-10-25T00:30']],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', '2026-04-05T12:00Z', ['2026-04-04T14:45']],
  ['30 0 * * *', 'America/Havana', '2026-11-01T00:00Z', '2026-11-02T00:00Z', ['2026-11-01T04:30']],
  ['30 23 * * *', 'Asia/Beirut', '2026-10-24T12:00Z', '2026-10-25T12:00Z', ['2026-10-24T20:30']],
  ['0 0 * * *', 'Asia/Beirut', '2026-10-24T12:00Z', '2026-10-25T12:00Z', ['2026-10-24T22:00']],
  // A rhythm runs at each real time: not in a gap, both times where an hour repeats.
  [
    '0 */2 * * *',
    'America/New_York',
    '2026-03-08T04:00Z',
    '2026-03-08T10:00Z',
    ['2026-03-08T05:00', '2026-03-08T08:00', '2026-03-08T10:00'],
  ],
  [
    '*/30 * * * *',
    'America/New_York',
    '2026-11-01T05:00Z',
    '2026-11-01T07:00Z',
    ['2026-11-01T05:30', '2026-11-01T06:00', '2026-11-01T06:30', '2026-11-01T07:00'],
  ],
  [
    '*/30 * * * *',
    'America/New_York',
    '2026-03-08T06:00Z',
    '2026-03-08T07:30Z',
    ['2026-03-08T06:30', '2026-03-08T07:00', '2026-03-08T07:30'],
  ],
  [
    '*/20 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-04T14:00Z',
    '2026-04-04T15:30Z',
    ['2026-04-04T14:20', '2026-04-04T14:40', '2026-04-04T15:10'],
  ],
  ['*/15 2 * * *', 'America/New_York', '2026-03-08T00:00Z', '2026-03-09T00:00Z', []],
  // A date that does not exist has no slot.
  [
    '0 12 * * *',
    'Pacific/Apia',
    '2011-12-29T00:00Z',
    '2012-01-01T00:00Z',
    ['2011-12-29T22:00', '2011-12-30T22:00', '2011-12-31T22:00'],
  ],
  ['0 0 30 12 *', 'Pacific/Apia', '2011-06-01T00:00Z', '2012-06-01T00:00Z', []],
  // Odd offsets.
  ['0 0 * * *', 'Asia/Kathmandu', '2026-11-20T12:00Z', '2026-11-21T12:00Z', ['2026-11-20T18:15']],
];

test.each(CLOCK_CHANGES)('%s in %s from %s to %s', (text, tz, from, to, slots) => {
  expect(between(cron(text, tz), from, to)).toEqual(slots);
});

test.each([
  ['America/New_York'],
  ['Europe/Berlin'],
  ['America/Santiago'],
  ['Australia/Lord_Howe'],
  ['America/Havana'],
  ['America/Nuuk'],
  ['America/Scoresbysund'],
  ['Asia/Beirut'],
  ['Africa/Cairo'],
  ['Africa/Casablanca'],
  ['Antarctica/Troll'],
  ['Asia/Gaza'],
  ['Pacific/Chatham'],
])('a daily search in %s has one slot on each date of 2026, at any time of day', (tz) => {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short' });
  for (const time of ['0 0', '30 0', '59 1', '15 2', '0 3', '59 22', '0 23', '30 23', '59 23']) {
    const slots = [
      ...slotsBetween(cron(`${time} * * *`, tz), new Date('2026-01-03'), new Date('2026-12-29')),
    ];
    expect(new Set(slots.map((at) => local.format(at))).size, time).toBe(slots.length);
    expect(Math.abs(slots.length - 360), time).toBeLessThanOrEqual(1);
  }
});

test.each(['Pacific/Kiritimati', 'America/St_Johns', 'Mars/Phobos'])(
  'a process in the time zone %s finds the same slots and formats them the same',
  (zone) => {
    const before = process.env['TZ'];
    const said = () => {
      const slots = nextSlots(cron('30 2 * * *', 'America/New_York'), Date.UTC(2026, 2, 7), 3);
      return slots.map((slot) => [slot, formatSlot(slot, 'America/New_York')]);
    };
    const here = said();
    process.env['TZ'] = zone;
    try {
      if (zone !== 'Mars/Phobos') expect(new Date(2026, 0).getTime()).not.toBe(Date.UTC(2026, 0));
      expect(said()).toEqual(here);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  },
);

describe('dates', () => {
  it('match one of the two day fields if neither begins with *', () => {
    const slots = between(cron('0 0 13 * FRI'), '2026-11-01', '2026-11-30');
    expect(slots.map((at) => at.slice(8, 10))).toEqual(['06', '13', '20', '27']);
  });

  it('match both day fields if one of them begins with *', () => {
    const slots = between(cron('0 0 */2 * MON'), '2026-11-01', '2026-11-30');
    expect(slots.map((at) => at.slice(8, 10))).toEqual(['09', '23']);
  });

  it('accept 7 and 0 for Sunday', () => {
    const [zero, seven] = ['0', '7'].map((day) => nextSlot(cron(`0 0 * * ${day}`), Date.UTC(2026, 10, 21)));
    expect(zero).toBe(Date.UTC(2026, 10, 22));
    expect(seven).toBe(zero);
  });

  it('find 29 February, even across a century year without one', () => {
    expect(iso(nextSlots(cron('0 0 29 2 *'), Date.UTC(2026, 10, 21), 2))).toEqual([
      '2028-02-29T00:00',
      '2032-02-29T00:00',
    ]);
    expect(iso([nextSlot(cron('0 0 29 2 *'), Date.UTC(2096, 5, 1))])).toEqual(['2104-02-29T00:00']);
  });
});

describe('spans', () => {
  it('exclude their start and include their end, so that consecutive spans neither share nor miss a slot', () => {
    const hourly = cron('0 * * * *');
    expect(between(hourly, '2026-11-21T10:00Z', '2026-11-21T12:00Z')).toEqual([
      '2026-11-21T11:00',
      '2026-11-21T12:00',
    ]);
    expect(between(hourly, '2026-11-21T12:00Z', '2026-11-21T12:00Z')).toEqual([]);
  });

  it('are strict about the start: a schedule created at its slot waits for the next', () => {
    const at = Date.UTC(2026, 10, 21, 12);
    expect(nextSlot(cron('0 12 * * *'), at)).toBe(at + 86_400_000);
    expect(nextSlot(cron('0 12 * * *'), at - 1)).toBe(at);
  });

  it('do not repeat a slot in a repeated hour', () => {
    const daily = cron('30 1 * * *', 'America/New_York');
    expect(iso([nextSlot(daily, new Date('2026-11-01T06:10Z'))])).toEqual(['2026-11-02T06:30']);
  });

  it('include the minute before a gap if the span ends in it', () => {
    const nuuk = cron('30 23 * * *', 'America/Nuuk');
    expect(between(nuuk, '2026-03-28T12:00Z', '2026-03-29T00:59Z')).toEqual(['2026-03-29T00:59']);
  });

  it('count two years of minutes in well under a second', () => {
    const computed = watchProcessor();
    let count = 0;
    for (const _ of slotsBetween(cron('* * * * *', 'Europe/Berlin'), Date.UTC(2025, 0), Date.UTC(2027, 0)))
      count++;
    expect(count).toBe(730 * 1_440);
    expect(computed()).toBeLessThan(2_000);
  });
});

describe('intervals', () => {
  it('keep their rhythm across clock changes', () => {
    const slots = [...slotsBetween(every('2h'), new Date('2026-03-07'), new Date('2026-03-10'))];
    expect(slots).toHaveLength(36);
    expect(new Set(slots.map((at) => at % 7_200_000)).size).toBe(1);
  });

  it('are spread by the slug, and stay fixed', () => {
    const phases = Array.from({ length: 600 }, (_, i) => {
      const schedule = every('10m', `search-${i}`);
      return schedule.kind === 'every' ? schedule.phase : NaN;
    });
    const perMinute = Array.from(
      { length: 10 },
      (_, m) => phases.filter((p) => Math.floor(p / 60) === m).length,
    );
    expect(Math.max(...perMinute)).toBeLessThan(100);
    expect(Math.min(...perMinute)).toBeGreaterThan(30);
    // Within a second as well: what begins together waits for each other.
    const perTenth = Array.from(
      { length: 10 },
      (_, tenth) => phases.filter((p) => Math.floor((p % 1) * 10) === tenth).length,
    );
    expect(Math.max(...perTenth)).toBeLessThan(100);
    expect(Math.min(...perTenth)).toBeGreaterThan(30);
    for (const at of nextSlots(every('10m', 'search-7'), 0, 1_000)) expect(at).toBe(Math.floor(at));
    expect(every('10m', 'search-7')).toEqual(every('10m', 'search-7'));
  });
});

it.each([[NaN], [Infinity], [-Infinity], [9e15], [FAR_FUTURE]])('handles %d', (millis) => {
  for (const schedule of [cron('* * * * *', 'Europe/Berlin'), every('15m')])
    expect(nextSlot(schedule, millis)).toBe(FAR_FUTURE);
});
