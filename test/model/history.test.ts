/** The history of an item: what a response confirms counts once per gap between rows, however often it is confirmed. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addToHistory, type Confirmation, type Observation } from '../../src/model/history.ts';

const KNOWN = [['a'], ['b'], ['a', 'b'], []] as const;
const time = fc.integer({ min: 0, max: 25 });
const value = fc.constantFrom(null, 1, 2);
const observation: fc.Arbitrary<Observation> = fc.record({
  at: time,
  isPartial: fc.boolean(),
  values: fc.record({ a: value, b: value }),
});
const confirmation = fc.record({ at: time, isPartial: fc.boolean(), kind: fc.nat(KNOWN.length - 1) });
const byTime = { selector: ({ at }: { at: number }) => at };

test('confirmations that know the same change nothing after the first', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(observation, byTime),
      fc.uniqueArray(confirmation, { ...byTime, maxLength: 20 }),
      fc.array(observation, { maxLength: 4 }),
      (stored, confirmed, added) => {
        const lists = [false, true].map(() => KNOWN.map((known) => [...known]));
        const read = (share: boolean): Confirmation[] =>
          confirmed.map(({ at, isPartial, kind }) => {
            const known = lists[Number(isPartial)]?.[kind] ?? [];
            return { at, isPartial, known: share ? known : [...known] };
          });
        const add = (share: boolean) =>
          addToHistory({ stored, confirmations: read(share) }, added, { keepsFirst: true });
        expect(add(true)).toEqual(add(false));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('thousands of confirmations of the same cost no more than a few', () => {
  let reads = 0;
  const known = new Proxy(['a'], {
    get: (list, name, proxy) => {
      reads += 1;
      return Reflect.get(list, name, proxy);
    },
  });
  const stored = [{ at: 0, isPartial: false, values: { a: 1 } }];
  const confirmations = Array.from({ length: 5_000 }, (_, i) => ({ at: i + 2, isPartial: false, known }));
  const late = [{ at: 1, isPartial: false, values: { a: 2 } }];
  const { rows } = addToHistory({ stored, confirmations }, late, { keepsFirst: true });
  expect(rows.map(({ at }) => at)).toEqual([0, 1, 2]);
  expect(reads).toBeLessThan(100);
});
