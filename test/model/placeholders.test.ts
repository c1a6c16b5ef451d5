import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillPlaceholders, listPlaceholders } from '../../src/model/placeholders.ts';

const SINCE = '2026-11-21T12:00:00.000Z';

test.each([
  [{ start_date: '{{since}}' }, { start_date: SINCE }],
  [
    { query: 'after:{{ since }}', n: 3 },
    { query: `after:${SINCE}`, n: 3 },
  ],
  [
    { range: { from: '{{since}}' }, list: ['{{since}}', true] },
    { range: { from: SINCE }, list: [SINCE, true] },
  ],
  [{ '{{since}}': 'name' }, { '{{since}}': 'name' }],
])('%j is sent as %j', (members, expected) => {
  expect(fillPlaceholders(members, { since: SINCE })).toEqual(expected);
});

test('a member is left out while its placeholder has no value', () => {
  const members = {
    start_date: '{{since}}',
    range: { from: '{{since}}', n: 1 },
    list: ['a', '{{since}}'],
    kept: 'x',
  };
  expect(fillPlaceholders(members, { since: null })).toEqual({ range: { n: 1 }, list: ['a'], kept: 'x' });
});

test('whatever the value, what is sent has the same members and only strings differ', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, since) => {
      const filled = fillPlaceholders({ value, at: '{{since}}' }, { since });
      expect(JSON.parse(JSON.stringify(filled)).at).toBe(since.isWellFormed() ? since : expect.any(String));
      expect(typeof filled['at']).toBe('string');
      if (listPlaceholders(value).length === 0) expect(filled['value']).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

test('names are listed once, in strings at any depth', () => {
  expect(listPlaceholders({ a: '{{since}} {{until}}', b: [{ c: '{{ until }}' }], '{{name}}': 1 })).toEqual([
    'since',
    'until',
  ]);
});
