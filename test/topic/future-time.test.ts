import { expect, test } from 'vitest';
import { parseFutureTime } from '../../src/lib/future-time.ts';

/** A Saturday. */
const NOW = new Date('2026-11-21T12:00:00Z');
const read = (given: string, zone = 'UTC', now = NOW) =>
  parseFutureTime(given, zone)?.resolve(now).toISOString().replace(':00.000Z', 'Z');

test.each([
  ['90m', '2026-11-21T13:30Z'],
  ['2d', '2026-11-23T12:00Z'],
  ['2026-12-01', '2026-12-01T00:00Z'],
  ['2026-12-01T09:00+01:00', '2026-12-01T08:00Z'],
  ['2026-12-01 09:00', '2026-12-01T09:00Z'],
  ['18:30', '2026-11-21T18:30Z'],
  ['9:00', '2026-11-22T09:00Z'],
  ['12:00', '2026-11-22T12:00Z'],
  ['tomorrow', '2026-11-22T00:00Z'],
  ['Tomorrow at 9:00', '2026-11-22T09:00Z'],
  ['today 18:00', '2026-11-21T18:00Z'],
  ['friday 9:00', '2026-11-27T09:00Z'],
  ['FRI  09:00', '2026-11-27T09:00Z'],
  ['monday', '2026-11-23T00:00Z'],
  ['saturday 13:00', '2026-11-21T13:00Z'],
  ['saturday 11:00', '2026-11-28T11:00Z'],
  ['sat', '2026-11-28T00:00Z'],
])('%s is %s', (given, expected) => {
  expect(read(given)).toBe(expected);
});

test.each([
  '',
  ' ',
  'later',
  'fridays',
  'fr 9:00',
  '25:00',
  '9:60',
  '9',
  'friday 9',
  'friday 9:00 sharp',
  'at 9:00',
  '2026-02-30',
  'yesterday',
  '4000d',
  '-1h',
  '１ h',
  `${'9'.repeat(5_000)}:00`,
])('%j is refused', (given) => {
  expect(parseFutureTime(given, 'UTC')).toBeUndefined();
});

test.each([
  ['Europe/Berlin', '2026-11-21T23:30:00Z', 'tomorrow 9:00', '2026-11-23T08:00Z'],
  ['America/Los_Angeles', '2026-11-22T03:00:00Z', 'sunday 9:00', '2026-11-22T17:00Z'],
  ['Asia/Kathmandu', '2026-11-21T12:00:00Z', 'monday 6:00', '2026-11-23T00:15Z'],
  // Clocks go back at 01:00 UTC of the 25th, and forward at 01:00 UTC of 28 March.
  ['Europe/Berlin', '2026-10-24T12:00:00Z', 'monday 9:00', '2026-10-26T08:00Z'],
  ['Europe/Berlin', '2026-10-25T00:30:00Z', '9:00', '2026-10-25T08:00Z'],
  ['Europe/Berlin', '2027-03-27T12:00:00Z', 'sunday 2:30', '2027-03-28T01:30Z'],
])('in %s at %s, %s is %s', (zone, now, given, expected) => {
  expect(read(given, zone, new Date(now))).toBe(expected);
});
