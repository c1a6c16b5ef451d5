import { describe, expect, test } from 'vitest';
import { fillIn, variablesIn } from './fill-in.ts';

const filling = {
  range: { from: new Date('2026-09-01T00:00:00Z'), to: new Date('2026-09-02T12:00:00Z') },
  variables: { one: "o'clock", double: 'a "b"', many: ["it's", 'b'], none: [], interval: '6h' },
};

test.each([
  ['$__timeFilter(at)', "at BETWEEN '2026-09-01T00:00:00.000Z' AND '2026-09-02T12:00:00.000Z'"],
  ['at >= $__timeFrom()', "at >= '2026-09-01T00:00:00.000Z'"],
  ['at <= $__timeTo()', "at <= '2026-09-02T12:00:00.000Z'"],
  ["$__timeGroup(at, '$interval')", 'floor(extract(epoch from at)/21600)*21600'],
  ["$__timeGroup(at, '1d', NULL)", 'floor(extract(epoch from at)/86400)*86400'],
  ["$__timeGroup(at, '1h'), n", 'floor(extract(epoch from at)/3600)*3600 AS "time", n'],
  ["$__timeGroupAlias(at, '30m')", 'floor(extract(epoch from at)/1800)*1800 AS "time"'],
  ['$__unixEpochFilter(s)', 's >= 1788220800 AND s <= 1788350400'],
  // An argument ends at the first parenthesis, as it does in Grafana.
  ['$__timeFilter(f(at))', "f(at BETWEEN '2026-09-01T00:00:00.000Z' AND '2026-09-02T12:00:00.000Z')"],
])('%s', (sql, expected) => {
  expect(fillIn(sql, filling)).toBe(expected);
});

test.each([
  ['${many:sqlstring}', "'it''s','b'"],
  ['${one:sqlstring}', "'o''clock'"],
  // Pairs single quotes, and escapes double ones as Postgres does not: no slug holds one.
  ['${double:sqlstring}', `'a \\"b\\"'`],
  ['${none:sqlstring}', ''],
  ['${many:csv}', "it's,b"],
  ['${one:raw}', "o'clock"],
  ['IN ($many)', "IN ('it''s','b')"],
  ["'$one'", "'o''clock'"],
  ["'[[one]]'", "'o''clock'"],
])('%s', (sql, expected) => {
  expect(fillIn(sql, filling)).toBe(expected);
});

describe('fails', () => {
  test.each([
    ['$nobody', /variable nobody/],
    ['${one:regex}', /format regex/],
    ['$__interval_of_mine(x)', /macro __interval_of_mine/],
    ['$__timeGroup(at)', /column and an interval/],
    ["$__timeGroup(at, 'a while')", /not an interval/],
    ['$__timeFilter', /a macro is left/],
  ])('on %s', (sql, why) => {
    expect(() => fillIn(sql, filling)).toThrow(why);
  });
});

test('finds the variables of a statement in any spelling', () => {
  expect(variablesIn("$a ${b:sqlstring} [[c]] '$d' $__timeFrom()")).toEqual(['a', 'b', 'c', 'd']);
});
