/** Rules of the detail pages that need no page. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseId } from '../../../src/cli/run-commands.ts';
import { InvalidInput, RUN_CODES, type RunCode } from '../../../src/model/errors.ts';
import { computeShareByDay } from '../../../src/monitor/trends/rules/share-by-day.ts';
import { quoteShellWord } from '../../../src/web/components/untrusted-text.tsx';
import { readKey } from '../../../src/web/request-input.ts';
import { formatPercent, formatTenths, formatWhole } from '../../../src/lib/display-format.ts';
import { formatBytes } from '../../../src/lib/display-format.ts';
import { formatDuration } from '../../../src/web/components/numbers.tsx';
import { findCounterDrops } from '../../../src/web/items/post-counters.tsx';
import { findNextSteps } from '../../../src/web/runs/run-timeline.tsx';
import { formatJsonText } from '../../../src/web/runs/run-calls.tsx';
import { sumByKind } from '../../../src/web/system/system-storage.tsx';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const counters = {
  post_id: 1n,
  reply_count: null,
  repost_count: null,
  like_count: null,
  view_count: null,
  quote_count: null,
  impression_count: null,
  bookmark_count: null,
};

test('a drop is reported between two observations with a known counter', () => {
  const rows = [10, null, 7, 9, 2].map((like_count, i) => ({ ...counters, observed_at: at(i), like_count }));
  expect(
    findCounterDrops(rows).map(({ by, from, to, between, and }) => [by, from, to, between, and]),
  ).toEqual([
    [7, 9, 2, at(3), at(4)],
    [3, 10, 7, at(0), at(2)],
  ]);
});

describe('indented JSON', () => {
  test('is the same JSON', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const set = formatJsonText(json, Number.MAX_SAFE_INTEGER);
        expect(JSON.parse(set.text)).toEqual(JSON.parse(json));
        expect(set.cut).toBe(false);
      }),
    );
  });

  test('keeps all digits, and ends at the limit', () => {
    expect(formatJsonText('{"id":12345678901234567890,"a":[1,{}],"s":"{,"}', 1_000).text).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": [\n    1,\n    {}\n  ],\n  "s": "{,"\n}',
    );
    expect(formatJsonText(`[${'1,'.repeat(1_000)}`, 100)).toMatchObject({ cut: true });
    expect(formatJsonText(`[${'1,'.repeat(1_000)}`, 100).text).toHaveLength(100);
  });
});

test.each(Object.keys(RUN_CODES) as RunCode[])('the failure %s has a reason and next steps', (code) => {
  const advice = findNextSteps({ status: 'failed', code, reason: null });
  expect(advice?.why).toBe(RUN_CODES[code]);
  expect(advice?.todo).toMatch(/^[A-Z].*\.$/);
});

test('shares are computed only for days when every topic was observed', () => {
  const from = new Date('2026-11-01T00:00:00Z');
  const day = (topic: string, n: number, posts: number | null, lower_bound = false) => ({
    topic,
    bucket_at: new Date(from.getTime() + n * 86_400_000),
    posts: posts ?? 3,
    normalised_posts: lower_bound ? null : posts,
    lower_bound,
  });
  const rows = [
    day('a', 0, 30),
    day('b', 0, 10),
    day('a', 1, 5),
    day('b', 1, null),
    day('a', 2, 6, true),
    day('b', 2, 2),
  ];
  const [a, b] = computeShareByDay(rows, { topics: ['a', 'b'], from, days: 4 });
  expect(a?.share).toEqual([0.75, null, 0.75, null]);
  expect(b?.posts).toEqual([10, null, 2, null]);
  expect(a?.least).toEqual([false, false, true, false]);
});

test('shares of a day add up to one, or are null', () => {
  const value = fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: null });
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 20 }), (days) => {
      const from = new Date(0);
      const rows = days.flatMap((values, n) =>
        values.map((normalised_posts, i) => ({
          topic: `t${i}`,
          bucket_at: new Date(n * 86_400_000),
          posts: 0,
          normalised_posts,
          lower_bound: false,
        })),
      );
      const series = computeShareByDay(rows, { topics: ['t0', 't1', 't2'], from, days: days.length });
      days.forEach((values, n) => {
        const shares = series.map(({ share }) => share[n]);
        const whole = values.every((one) => one !== null) && values.some((one) => one !== 0);
        if (whole) expect(shares.reduce<number>((sum, one) => sum + (one ?? 0), 0)).toBeCloseTo(1);
        else expect(shares).toEqual([null, null, null]);
      });
    }),
  );
});

test.each([
  [812, '812 B'],
  [14_400, '14 kB'],
  [2_100_000, '2.1 MB'],
  [3_440_000_000, '3.4 GB'],
])('%d bytes are %s', (n, words) => expect(formatBytes(n)).toBe(words));

test.each([
  [0.44, '0.4 s'],
  [42, '42 s'],
  [300, '5 min'],
  [10_800, '3 h'],
  [1_036_800, '12 days'],
])('%d seconds are %s', (n, words) => expect(formatDuration(n)).toBe(words));

test('counts are shown whole, averages in tenths', () => {
  expect([formatWhole(1_234.5), formatTenths(1_234.56), formatTenths(12)]).toEqual([
    '1,235',
    '1,234.6',
    '12',
  ]);
});

test('small shares keep a digit', () => {
  expect([0, 0.0001, 0.004, 0.0996, 0.125, 1].map(formatPercent)).toEqual([
    '0 %',
    '< 0.1 %',
    '0.4 %',
    '10 %',
    '13 %',
    '100 %',
  ]);
});

test('an id is a positive number that Postgres can hold, for pages and commands alike', () => {
  const ids = ['1', '9223372036854775807'];
  expect(ids.map(readKey)).toEqual([1n, 9_223_372_036_854_775_807n]);
  expect(ids.map((id) => parseId('id', id))).toEqual(ids);
  const none = ['', '0', '007', '-1', '1.5', '1e3', '9223372036854775808', '١'];
  expect(none.map(readKey)).toEqual(none.map(() => undefined));
  for (const id of none) expect(() => parseId('id', id), id).toThrow(InvalidInput);
});

test('a quoted shell word stays one word', () => {
  expect(['abc', '@some-body', "a'b", '-x', '$(x)'].map(quoteShellWord)).toEqual([
    'abc',
    '@some-body',
    String.raw`'a'\''b'`,
    "'-x'",
    "'$(x)'",
  ]);
});

test('every byte belongs to a kind', () => {
  const tables = [
    { table: 'posts', bytes: 5 },
    { table: 'authors', bytes: 2 },
    { table: 'facts', bytes: 1 },
  ];
  expect(sumByKind(tables)).toEqual([
    { kind: 'posts and authors', bytes: 7 },
    { kind: 'everything else', bytes: 1 },
  ]);
});
