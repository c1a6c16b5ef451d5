import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { removeSignature, removeSignatures } from '../../src/monitor/parse/media-addresses.ts';
import { boundJson } from '../../src/monitor/parse/wire-values.ts';

const BOUNDS = { depth: 3, nodes: 12, text: 5 };

test('does not copy values that can be stored as they are', () => {
  const came: unknown = JSON.parse('{"a":[1,null,true,"text"],"b":{"c":{}}}');
  expect(boundJson(came, BOUNDS)).toBe(came);
});

test.each([
  ['a NUL in a text', { a: ['x\0y'] }, { a: ['xy'] }],
  ['a lone surrogate in a name', { 'x\ud800': 1 }, { 'x\ufffd': 1 }],
  ['a text over the limit', { a: '1234567' }, { a: '12345' }],
  ['a __proto__ member', JSON.parse('{"a":1,"__proto__":{"b":2}}'), { a: 1 }],
  ['a value that is too deep', [[[['x'], 1]]], [[[null, 1]]]],
  ['a non-finite number', [Number.POSITIVE_INFINITY], [null]],
])('removes %s in a copy', (_, came, kept) => {
  const before = structuredClone(came);
  expect(boundJson(came, BOUNDS)).toEqual(kept);
  expect(came).toEqual(before);
});

test('bounded JSON is within the limits, and bounding it again changes nothing', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const came: unknown = JSON.parse(text);
      const kept = boundJson(came, BOUNDS);
      // What was kept is kept again, as it is.
      expect(boundJson(kept, BOUNDS)).toBe(kept);
      expect(nodesIn(kept)).toBeLessThanOrEqual(BOUNDS.nodes);
    }),
    { numRuns: 500 },
  );
});

function nodesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + 1 + nodesIn(item), 0);
}

test.each([
  ['https://m.example/a.jpg?sig=1&expires=9#t', 'https://m.example/a.jpg'],
  ['https://m.example/F1?format=jpg&name=large&token=x', 'https://m.example/F1?format=jpg&name=large'],
  ['https://m.example/image.php?id=5&sig=?&', 'https://m.example/image.php?id=5'],
  ['https://m.example/a.jpg', 'https://m.example/a.jpg'],
  ['Is this https://m.example/?sig=1', 'Is this https://m.example/?sig=1'],
  ['', ''],
])('of the address of a picture, %j, what selects it remains', (address, kept) => {
  expect(removeSignature(address)).toBe(kept);
  expect(removeSignature(kept)).toBe(kept);
  expect(removeSignatures([{ n: 1, url: address, sizes: [null, { src: address }] }])).toEqual([
    { n: 1, url: kept, sizes: [null, { src: kept }] },
  ]);
});
