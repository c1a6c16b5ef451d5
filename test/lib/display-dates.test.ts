/** Dates for people: the year is shown unless it is the present one, in the reader's zone. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  describeUtcDays,
  formatDay,
  formatMinute,
  formatUtcMidnight,
  formatWithWeekday,
} from '../../src/lib/display-format.ts';
import { DAY } from '../../src/lib/time.ts';

const NOW = '2026-11-21T12:00:00Z';

test.each([
  ['today', '2026-11-21T11:05:00Z', NOW, 'Europe/Berlin', '21 Nov, 12:05'],
  ['the account of 2012', '2012-03-20T04:44:00Z', NOW, 'Europe/Berlin', '20 Mar 2012, 05:44'],
  ['1970', '1970-01-01T00:00:00Z', NOW, 'UTC', '1 Jan 1970, 00:00'],
  ['1970, which was still 1969 there', '1970-01-01T00:00:00Z', NOW, 'America/St_Johns', '31 Dec 1969, 20:30'],
  ['next year', '2027-01-01T06:00:00Z', NOW, 'UTC', '1 Jan 2027, 06:00'],
  ['last December, in January', '2026-12-31T12:00:00Z', '2027-01-02T12:00:00Z', 'UTC', '31 Dec 2026, 12:00'],
  ['this January, in December', '2026-01-01T12:00:00Z', '2026-12-31T12:00:00Z', 'UTC', '1 Jan, 12:00'],
  ['a year of four digits', '9999-12-31T12:00:00Z', NOW, 'UTC', '31 Dec 9999, 12:00'],
  [
    'an hour before New Year in UTC, after it in Berlin',
    '2026-12-31T23:30:00Z',
    '2026-12-31T23:45:00Z',
    'Europe/Berlin',
    '1 Jan, 00:30',
  ],
  [
    'the old year, read after New Year in Berlin only',
    '2026-12-31T22:30:00Z',
    '2026-12-31T23:45:00Z',
    'Europe/Berlin',
    '31 Dec 2026, 23:30',
  ],
  ['the same, in UTC', '2026-12-31T22:30:00Z', '2026-12-31T23:45:00Z', 'UTC', '31 Dec, 22:30'],
  [
    'New Year in Kathmandu, hours before UTC',
    '2026-12-31T18:15:00Z',
    '2026-12-31T18:30:00Z',
    'Asia/Kathmandu',
    '1 Jan, 00:00',
  ],
  [
    'the old year in St. John’s, hours after UTC',
    '2027-01-01T03:29:00Z',
    '2027-01-01T03:30:00Z',
    'America/St_Johns',
    '31 Dec 2026, 23:59',
  ],
  [
    'Kiritimati, fourteen hours ahead',
    '2026-12-31T10:00:00Z',
    '2026-12-31T09:59:00Z',
    'Pacific/Kiritimati',
    '1 Jan 2027, 00:00',
  ],
])('%s', (_, at, now, zone, words) => {
  expect(formatMinute(new Date(at), { zone, now: new Date(now) })).toBe(words);
});

test('text that is stored or sent has every year', () => {
  const at = new Date(NOW);
  expect(formatMinute(at, { zone: 'UTC', now: null })).toBe('21 Nov 2026, 12:00');
  expect(formatDay(at, { zone: 'UTC', now: null })).toBe('21 Nov 2026');
});

test('a year is shown exactly where it is not the present one, in any zone', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia');
  const time = fc.oneof(
    fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }),
    // Around New Year.
    fc
      .tuple(fc.integer({ min: 1971, max: 2099 }), fc.integer({ min: -DAY, max: DAY }))
      .map(([y, ms]) => Date.UTC(y, 0, 1) + ms),
  );
  fc.assert(
    fc.property(time, time, zones, (a, b, zone) => {
      const [at, now] = [new Date(a), new Date(b)];
      const yearOf = (one: Date) =>
        new Intl.DateTimeFormat('en', { timeZone: zone, year: 'numeric' }).format(one);
      const reader = { zone, now };
      const isSame = yearOf(at) === yearOf(now);
      for (const words of [
        formatDay(at, reader),
        formatMinute(at, reader),
        formatWithWeekday(at, reader, false),
      ])
        expect(words.includes(` ${yearOf(at)}`)).toBe(!isSame);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['UTC', '21 Nov, 00:00', 'Days are UTC.'],
  ['Europe/Berlin', '21 Nov, 01:00', 'Days are UTC; the current one began on 21 Nov, 01:00.'],
  ['America/St_Johns', '20 Nov, 20:30', 'Days are UTC; the current one began on 20 Nov, 20:30.'],
  ['Asia/Kathmandu', '21 Nov, 05:45', 'Days are UTC; the current one began on 21 Nov, 05:45.'],
])('a day of UTC is said in the words of %s', (zone, midnight, words) => {
  const reader = { zone, now: new Date(NOW) };
  expect([formatUtcMidnight(reader), describeUtcDays(reader)]).toEqual([midnight, words]);
});
