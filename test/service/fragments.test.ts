import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalizeLink, dedupeByLink } from '../../src/service/ranking/deduplication.ts';
import { MAX_PIECE_LENGTH, splitPieces } from '../../src/service/ai-search.ts';
import { normalCdf } from '../../src/lib/normal-distribution.ts';

describe('chunks of a text', () => {
  test('join to the text, are short, and split no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const pieces = splitPieces(text);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(MAX_PIECE_LENGTH);
          expect(piece.isWellFormed()).toBe(text.isWellFormed());
        }
      }),
    );
  });
});

describe('links', () => {
  test('to the same page are one link', () => {
    expect(canonicalizeLink('http://a.example/x/?utm_source=b&c=1#d')).toBe('https://a.example/x?c=1');
    expect(canonicalizeLink('not a link')).toBe('not a link');
    const links = ['https://a.example', 'http://a.example/', 'https://a.example/?utm_medium=x&utm_source=y'];
    expect(dedupeByLink(links.map((link) => ({ link })))).toEqual([{ link: 'https://a.example' }]);
  });
});

test('the normal distribution function is monotonic and matches its table', () => {
  let last = 0;
  for (let z = -8; z <= 8; z += 0.001) {
    const now = normalCdf(z);
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
  expect(normalCdf(0)).toBeCloseTo(0.5, 6);
  expect(normalCdf(1.959964)).toBeCloseTo(0.975, 6);
  expect(normalCdf(-1)).toBeCloseTo(0.158655, 6);
});
