/** Slots that became due during downtime: counted fast, and the same as if each had been listed. */
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { countSlots, listDueSlots, slotsBetween } from '../../src/monitor/schedule/cadence.ts';
import { parseSchedule, type Schedule } from '../../src/monitor/schedule/schedule.ts';
import { watchProcessor } from '../processor.ts';

const cron = (text: string, tz: string): Schedule => parseSchedule({ cron: text, tz, slug: 'any' });

/** Zones whose clocks do odd things: at midnight, by half an hour, by a day, twice a year and in Ramadan. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Gaza',
  'America/Nuuk',
  'Antarctica/Troll',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  'Asia/Kathmandu',
  'America/Havana',
] as const;

const minute = fc.constantFrom('*', '0', '30', '*/7', '59', '0,30', '5-9');
const hour = fc.constantFrom('*', '0', '2', '23', '*/2', '1-3', '0,12,23');
const day = fc.constantFrom('*', '1', '31', '29', '*/2', '13');
const month = fc.constantFrom('*', '2', '3,10', '*/3');
const weekday = fc.constantFrom('*', '*', '0', '1-5');
const expression = fc.tuple(minute, hour, day, month, weekday).map((fields) => fields.join(' '));
const reads = (text: string) => {
  try {
    cron(text, 'UTC');
    return true;
  } catch {
    return false;
  }
};
const timed = fc
  .record({ text: expression.filter(reads), tz: fc.constantFrom(...ZONES) })
  .map(({ text, tz }) => cron(text, tz));
const rhythmic = fc
  .record({
    seconds: fc.integer({ min: 60, max: 400_000 }),
    share: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  .map(
    ({ seconds, share }): Schedule => ({
      kind: 'every',
      seconds,
      phase: Math.floor(seconds * share * 1_000) / 1_000,
    }),
  );
const span = fc.record({
  schedule: fc.oneof({ weight: 3, arbitrary: timed }, { weight: 1, arbitrary: rhythmic }),
  from: fc.integer({ min: Date.UTC(1991, 0), max: Date.UTC(2036, 0) }),
  long: fc.oneof(fc.integer({ min: -HOUR, max: 3 * DAY }), fc.integer({ min: 0, max: 250 * DAY })),
});

test('counted slots equal listed slots', () => {
  fc.assert(
    fc.property(span, fc.integer({ min: 1, max: 50 }), ({ schedule, from, long }, most) => {
      const to = from + long;
      const listed = [...slotsBetween(schedule, from, to)];
      expect(countSlots(schedule, from, to)).toBe(listed.length);
      const older = listed.slice(0, -most);
      expect(listDueSlots(schedule, from, to, most)).toEqual({
        latest: listed.slice(-most),
        older: older.length === 0 ? null : { first: older[0], last: older.at(-1), count: older.length },
      });
    }),
    { numRuns: 300 },
  );
});

test('a time that is skipped before midnight, and runs a minute before the gap, is counted', () => {
  // In Nuuk, 23:00 to 24:00 is skipped on the last Saturday of March since 2024.
  const schedule = cron('0 0,12,23 * * *', 'America/Nuuk');
  const [from, to] = [Date.UTC(2024, 2, 1), Date.UTC(2024, 4, 1)];
  const listed = [...slotsBetween(schedule, from, to)];
  expect(listed).toContain(Date.UTC(2024, 2, 31, 0, 59));
  expect(countSlots(schedule, from, to)).toBe(listed.length);
});

test.each(ZONES)('each clock change in %s over ten years, with spans that end near it', (tz) => {
  for (const text of ['*/30 * * * *', '30 0,2,23 * * *', '0 0 * * *', '59 23 * * 0']) {
    const schedule = cron(text, tz);
    for (let from = Date.UTC(2010, 11, 20, 3, 7); from < Date.UTC(2021, 0); from += 61 * DAY + 5 * HOUR) {
      const to = from + 97 * DAY + 7 * HOUR;
      expect(countSlots(schedule, from, to), `${text} ${from}`).toBe(
        [...slotsBetween(schedule, from, to)].length,
      );
    }
  }
});

describe('a long downtime', () => {
  const FROM = Date.UTC(2025, 6, 1, 12, 0) + 20_000;
  const best = (work: () => unknown) => {
    const took = [1, 2, 3].map(() => {
      const computed = watchProcessor();
      work();
      return computed();
    });
    return Math.min(...took);
  };

  it.each<[string, Schedule]>([
    ['* * * * * in UTC', cron('* * * * *', 'UTC')],
    ['* * * * * in Europe/Berlin', cron('* * * * *', 'Europe/Berlin')],
    ['each minute of a working day', cron('0-59 8-17 * * 1-5', 'America/New_York')],
    ['every 60 s', { kind: 'every', seconds: 60, phase: 17.25 }],
  ])('lists a year of %s quickly', (_, schedule) => {
    expect(best(() => listDueSlots(schedule, FROM, FROM + 365 * DAY, 1_000))).toBeLessThan(200);
  });

  it('counts a year of minutes exactly', () => {
    const due = listDueSlots(cron('* * * * *', 'Europe/Berlin'), FROM, FROM + 365 * DAY, 1_000);
    expect(due.latest).toHaveLength(1_000);
    expect(due.older).toEqual({
      first: FROM + 40_000,
      last: FROM - 20_000 + 365 * DAY - 1_000 * MINUTE,
      count: 365 * 1_440 - 1_000,
    });
  });

  it('finds slots up to the year 2099 quickly', () => {
    const schedule = cron('* * * * *', 'Europe/Berlin');
    const to = Date.UTC(2099, 0);
    expect(best(() => listDueSlots(schedule, FROM, to, 1_000))).toBeLessThan(5_000);
    expect(countSlots(schedule, FROM, to)).toBe(Math.floor((to - FROM) / MINUTE) + 1);
  });
});
