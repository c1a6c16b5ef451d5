/** The range of the overview: as the address says, or the nearest to it, with a note. */
import { expect, test } from 'vitest';
import { resolveOverviewRange, writeRange } from '../../../src/web/overview/overview-range.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const VISIT = { id: 40n, at: new Date('2026-11-20T09:30:00Z') };
const UTC = { now: NOW, zone: 'UTC' };
const BERLIN = { now: NOW, zone: 'Europe/Berlin' };

test.each([
  ['an address without a range, at a first visit', {}, UTC, null, 'evening', '2026-11-20T18:00:00.000Z'],
  ['an address without a range, after a visit', {}, UTC, VISIT, 'visit', '2026-11-20T09:30:00.000Z'],
  [
    'yesterday evening of the reader',
    { range: 'evening' },
    BERLIN,
    VISIT,
    'evening',
    '2026-11-20T17:00:00.000Z',
  ],
  ['seven days', { range: '7d' }, UTC, null, '7d', '2026-11-14T12:00:00.000Z'],
  ['in any case of letters', { range: '7D' }, UTC, null, '7d', '2026-11-14T12:00:00.000Z'],
  ['a length of its own', { range: '14d' }, UTC, null, null, '2026-11-07T12:00:00.000Z'],
  ['a start of its own', { from: '2026-11-19T08:00Z' }, UTC, VISIT, null, '2026-11-19T08:00:00.000Z'],
  ['a time of a browser', { from: '2026-11-19T08:00' }, BERLIN, VISIT, null, '2026-11-19T07:00:00.000Z'],
  ['a word', { from: 'yesterday' }, BERLIN, null, null, '2026-11-19T23:00:00.000Z'],
] as const)('%s', (_, address, reader, visit, name, from) => {
  const range = resolveOverviewRange(address, reader, visit);
  expect(range).toMatchObject({ name, until: null, note: null });
  expect(range.from.toISOString()).toBe(from);
  // Its address is that range again.
  const again = resolveOverviewRange(writeRange(range), reader, visit);
  expect(again).toMatchObject({ from: range.from, until: range.until, note: null });
});

test('an evening before the clock was changed is that of clocks', () => {
  const { from } = resolveOverviewRange(
    { range: 'evening' },
    { now: new Date('2026-10-25T10:00:00Z'), zone: 'Europe/Berlin' },
    null,
  );
  expect(from.toISOString()).toBe('2026-10-24T16:00:00.000Z');
});

test('a range that is over ends', () => {
  const range = resolveOverviewRange({ from: '2026-11-18', to: '2026-11-19' }, UTC, VISIT);
  expect(range).toMatchObject({
    name: null,
    from: new Date('2026-11-18T00:00:00Z'),
    until: new Date('2026-11-20T00:00:00Z'),
    after: null,
    words: 'from Wed, 18 Nov, 00:00 to Fri, 20 Nov, 00:00',
  });
});

test('only what is later than the newest discovery of the visit is new', () => {
  expect(resolveOverviewRange({}, UTC, VISIT)).toMatchObject({
    after: 40n,
    words: 'since you were here, Fri, 20 Nov, 09:30',
  });
});

test.each([
  [{ range: 'fortnight' }, '2026-11-20T18:00:00.000Z', /range "fortnight", which is not one/],
  [{ range: 'visit' }, '2026-11-20T18:00:00.000Z', /^No earlier visit is known/],
  [{ from: 'soonish' }, '2026-11-20T12:00:00.000Z', /cannot be read/],
  [
    { from: '2026-11-21T10:00Z', to: '2026-11-20T10:00Z' },
    '2026-11-19T10:00:00.000Z',
    /ends before it starts/,
  ],
  [{ from: '2020-01-01' }, '2026-08-21T12:00:00.000Z', /at most 92 days/],
] as const)('%j is the nearest range, with a note', (address, from, note) => {
  const range = resolveOverviewRange(address, UTC, null);
  expect(range.from.toISOString()).toBe(from);
  expect(range.note).toMatch(note);
});
