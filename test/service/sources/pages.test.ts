import { expect, test } from 'vitest';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import { readPages } from '../../../src/service/sources/provider-query.ts';
import { outageOf } from './provider.ts';

/** Reads pages of three; an error stands for a page that fails. */
async function read(pages: readonly (number[] | Error)[], limits = { pages: 9, items: 9 }) {
  const cuts: SourceDown[] = [];
  let reads = 0;
  const items = readPages(limits, { cutShort: (down) => cuts.push(down), report: () => {} }, async (page) => {
    reads += 1;
    const there = pages[page] ?? [];
    if (there instanceof Error) throw there;
    return { items: there, isLast: there.length < 3 };
  });
  const settled = await items.catch((error: unknown) => error);
  return { settled, items, cuts, reads };
}

const FULL = [1, 2, 3];
const down = new SourceDown('source_failed');

test.each<[string, (number[] | Error)[], { pages: number; items: number }, number[], number]>([
  ['end with the last page', [FULL, [4]], { pages: 9, items: 9 }, [1, 2, 3, 4], 2],
  ['end when there are enough', [FULL, [4, 5, 6], [7]], { pages: 9, items: 6 }, [1, 2, 3, 4, 5, 6], 2],
  ['are never more than allowed', [FULL, FULL, FULL], { pages: 1, items: 9 }, FULL, 1],
])('%s', async (_, pages, limits, items, reads) => {
  expect(await read(pages, limits)).toMatchObject({ settled: items, reads, cuts: [] });
});

test('after the first may fail without losing the earlier ones, which is reported', async () => {
  expect(await read([FULL, down, FULL])).toMatchObject({ settled: FULL, reads: 2, cuts: [down] });
});

test('that fail at the start are a failure', async () => {
  const { items, cuts } = await read([down, FULL]);
  expect(await outageOf(items)).toBe(down);
  expect(cuts).toEqual([]);
});

test.each([new Error('the client left'), new DOMException('gone', 'AbortError'), new TypeError('ours')])(
  'rethrow what is not a failure of the source: %s',
  async (error) => {
    const { settled, cuts } = await read([FULL, error]);
    expect(settled).toBe(error);
    expect(cuts).toEqual([]);
  },
);
