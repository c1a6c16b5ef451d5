import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  ASCII_SIGNS,
  BLOCK_SIGNS,
  chooseHoursPerPoint,
  type SparklinePoint,
  drawSparkline,
} from '../../src/cli/trend-rendering.ts';

/** `3` is a count, `3+` a lower bound, `-` was not observed. */
function points(text: string): SparklinePoint[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({
      value: word === '-' ? null : Number(word.replace('+', '')),
      atLeast: word.endsWith('+'),
    }));
}

describe('a sparkline', () => {
  it.each([
    ['no values', '', '', ''],
    ['one value', '5', '█', ''],
    ['one zero', '0', '▁', ''],
    ['all equal', '4 4 4', '███', ''],
    ['all zero', '0 0 0', '▁▁▁', ''],
    ['every level', '0 1 2 3 4 5 6 7', '▁▂▃▄▅▆▇█', ''],
    ['a few among many are still visible', '0 1 7000', '▁▂█', ''],
    ['a gap is not zero', '0 - 7', '▁·█', ''],
    ['nothing observed', '- - -', '···', ''],
    ['only zeros and gaps', '0 - 0', '▁·▁', ''],
    ['a lower bound has a mark below', '7 3+ - 7+ 0', '█▄·█▁', ' ^ ^'],
    ['a lower bound of zero has no bar', '0+ 7', '▁█', '^'],
    ['fractional averages', '0.2 0.4 1.4', '▂▃█', ''],
  ])('%s', (_name, written, line, marks) => {
    expect(drawSparkline(points(written), BLOCK_SIGNS)).toEqual({ line, marks });
  });

  it('has the same shape in ASCII', () => {
    expect(drawSparkline(points('0 1 - 6+ 7'), ASCII_SIGNS)).toEqual({ line: '_. *#', marks: '   ^' });
  });

  it('uses a shared scale on request', () => {
    expect(drawSparkline(points('0 5 10'), BLOCK_SIGNS, 20).line).toBe('▁▃▅');
  });

  test('draws any counts: one character each, gaps preserved, never a smaller count drawn higher', () => {
    const value = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(fc.array(fc.record({ value, atLeast: fc.boolean() })), (all) => {
        const signs = drawSparkline(all, BLOCK_SIGNS).line.split('');
        expect(signs).toHaveLength(all.length);
        for (const [i, a] of all.entries()) {
          expect(signs[i] === BLOCK_SIGNS.gap).toBe(a.value === null);
          if (a.value !== null) expect(signs[i] === '▁').toBe(a.value === 0);
          for (const [j, b] of all.entries())
            if (a.value !== null && b.value !== null && a.value <= b.value)
              expect((signs[i] ?? '') <= (signs[j] ?? '')).toBe(true);
        }
      }),
    );
  });
});

describe('the time span of a character', () => {
  it.each([
    [1, 84, 1],
    [7, 84, 2],
    [7, 80, 3],
    [7, 20, 12],
    [7, 3, 168],
    [7, 1, 168],
    [30, 84, 12],
    [366, 40, 240],
    [366, 1, 8_784],
  ])('%i days in %i characters: %i hours', (days, room, hours) => {
    expect(chooseHoursPerPoint(days, room)).toBe(hours);
  });

  test('always fits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 366 }), fc.integer({ min: 1, max: 200 }), (days, room) => {
        expect(Math.ceil((days * 24) / chooseHoursPerPoint(days, room))).toBeLessThanOrEqual(room);
      }),
    );
  });
});
