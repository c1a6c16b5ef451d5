import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createJsonSplitter, createLineSplitter } from '../../src/protocol/stream.ts';
import { MAX_DEPTH, MAX_MEMBERS, parseJson, MAX_VALUES } from '../../src/protocol/json.ts';
import { cleanText } from '../../src/lib/text.ts';

test.each([
  ['{"id":1790000000000000001}', { id: '1790000000000000001' }],
  ['[-1790000000000000001,1]', ['-1790000000000000001', 1]],
  ['{"id":9007199254740991}', { id: 9_007_199_254_740_991 }],
  ['{"id":9007199254740993}', { id: '9007199254740993' }],
  ['{"t":"a \\" 1790000000000000001 \\\\"}', { t: 'a " 1790000000000000001 \\' }],
  ['{"1790000000000000001":1}', { '1790000000000000001': 1 }],
  ['{"x":1790000000000000001.5,"y":1.79e18}', { x: 1_790_000_000_000_000_000, y: 1.79e18 }],
  ['{"id":"1","id":"2"}', { id: '2' }],
])('%s keeps its integers', (text, value) => {
  expect(parseJson(text)).toMatchObject({ value });
});

test.each(['', '{', "{'a':1}", '[1,]', '[NaN]', '[Infinity]', '// c\n1', '["a', '1790000000000000001x'])(
  '%j is not JSON',
  (text) => {
    expect(parseJson(text)).toEqual({ problem: 'not_json' });
  },
);

const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth);

test.each([
  ['up to the maximum depth', `[1,${nested(MAX_DEPTH - 1, '7')},2]`, `[1,${nested(MAX_DEPTH - 1, '7')},2]`],
  ['one level deeper', `[1,${nested(MAX_DEPTH, '7')},2]`, `[1,${nested(MAX_DEPTH - 1, 'null')},2]`],
  [
    'of objects, with brackets in their strings',
    `${'{"a":'.repeat(100)}{"b":"]}\\"["}${'}'.repeat(100)}`,
    `${'{"a":'.repeat(64)}null${'}'.repeat(64)}`,
  ],
  ['very deep', nested(1_000_000), nested(MAX_DEPTH, 'null')],
  [
    'next to rounded integers',
    `[${nested(70, '1790000000000000001')},1790000000000000002]`,
    `[${nested(63, 'null')},"1790000000000000002"]`,
  ],
])('nesting %s: deeper levels become null, everything else stays', (_, text, kept) => {
  expect(parseJson(text)).toMatchObject({ value: JSON.parse(kept) as unknown });
});

test.each([nested(100).slice(0, -50), '['.repeat(20_000), `${nested(100)}]`, `{"a":${'['.repeat(100)}"]`])(
  'nesting that is never closed, or closed too often, is not JSON (%#)',
  (text) => {
    expect(parseJson(text)).toEqual({ problem: 'not_json' });
  },
);

test('limits the members of an object, at any depth', () => {
  const members = (n: number) => `{${Array.from({ length: n }, (_, i) => `"${i}":[0,0]`).join()}}`;
  expect(parseJson(`[${members(MAX_MEMBERS)},${members(MAX_MEMBERS)}]`).problem).toBeUndefined();
  expect(parseJson(`[{"a":[1,{"b":2}],"c":${members(MAX_MEMBERS + 1)}}]`)).toEqual({ problem: 'too_many' });
});

test('limits the members and items of a text', () => {
  const list = (n: number) => `[${'0,'.repeat(n - 1)}0]`;
  expect(parseJson(list(MAX_VALUES - 1))).toMatchObject({ values: MAX_VALUES });
  for (const text of [
    list(MAX_VALUES + 1),
    `[${'{},'.repeat(MAX_VALUES / 2)}{}]`,
    '{'.repeat(3) + list(MAX_VALUES),
  ])
    expect(parseJson(text)).toEqual({ problem: 'too_many' });
  expect(parseJson(JSON.stringify(',[{'.repeat(MAX_VALUES)))).toMatchObject({ values: 1 });
});

test('reads a number of ten million digits as text', () => {
  const digits = '1'.repeat(10_000_000);
  expect(parseJson(`[${digits}]`)).toMatchObject({ value: [digits] });
});

test('reads JSON without large integers like JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!/\d{16}/.test(text));
      expect(parseJson(text).value).toEqual(JSON.parse(text));
    }),
  );
});

test('keeps every integer of any length', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.string(), (n, around) => {
      const { value } = parseJson(`{${JSON.stringify(around)}:[${n}]}`);
      expect(String(Object.values(value as object).flat()[0])).toBe(String(n)); // the object just written
    }),
  );
});

test('finds values wherever the text is split and whatever separates them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))),
      fc.constantFrom('', ' ', ',', '\n', ' data: ', '[DONE]'),
      fc.integer({ min: 1, max: 9 }),
      (values, between, size) => {
        const text = values.map((value) => JSON.stringify(value)).join(between);
        const cutter = createJsonSplitter();
        const found: string[] = [];
        // A `[DONE]` is recognised within one part, as a line of a stream always is.
        const step = between === '[DONE]' ? text.length + 1 : size;
        for (let at = 0; at < text.length; at += step) found.push(...cutter.feed(text.slice(at, at + step)));
        expect(found).toEqual(values.map((value) => JSON.stringify(value)));
        expect(cutter.open).toBe(false);
      },
    ),
  );
});

test('finds the same lines wherever the text is split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '')),
      fc.integer({ min: 1, max: 4 }),
      (parts, size) => {
        const text = parts.join('');
        const lines = createLineSplitter(1_000);
        const found: string[] = [];
        for (let at = 0; at < text.length; at += size) found.push(...lines.push(text.slice(at, at + size)));
        found.push(...lines.end());
        const expected = text.split(/\r\n|\r|\n/);
        expect(found).toEqual(expected.at(-1) === '' ? expected.slice(0, -1) : expected);
      },
    ),
  );
});

test('limits the length of a line', () => {
  const lines = createLineSplitter(10);
  expect(() => lines.push('x'.repeat(11))).toThrow('too_large');
});

test.each([
  ['a\0b', 10, 'ab'],
  ['\ud800', 10, '\ufffd'],
  ['\udc00\ud800', 10, '\ufffd\ufffd'],
  ['ab😀', 3, 'ab'],
  ['ab😀', 4, 'ab😀'],
  ['', 4, ''],
])('%j truncated to %d is %j', (text, max, expected) => {
  expect(cleanText(text, max)).toBe(expected);
});

test('cleaning text twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, max) => {
      const cleaned = cleanText(text, max);
      expect(cleaned.length).toBeLessThanOrEqual(max);
      expect(cleaned.isWellFormed()).toBe(true);
      expect(cleaned).not.toContain('\0');
      expect(cleanText(cleaned, max)).toBe(cleaned);
    }),
  );
});
