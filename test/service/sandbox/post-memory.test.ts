/** What a cached post takes, which the bound of the cache in posts relies on. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { matchTopic } from '../../../src/service/sandbox/built-in-topics.ts';
import { createSeedStore, type PostSeed } from '../../../src/service/sandbox/post-seeds.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // defined by the flag above

const NOON = Math.floor(Date.parse('2026-11-21T12:00:00Z') / HOUR);

/** The used bytes of the heap once everything is collected that nothing holds. */
function measureHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('a cached post takes at most half a kilobyte', () => {
  const store = createSeedStore(Number.POSITIVE_INFINITY);
  const makeMonth = (name: string): (readonly PostSeed[])[] => {
    const topic = matchTopic('memory', name);
    return Array.from({ length: 30 * 24 }, (_, i) => store.hour(topic, NOON - i));
  };
  // What the first posts cause to be compiled and kept is not theirs.
  makeMonth('the first prompt');
  const before = measureHeap();
  const kept = [1, 2, 3, 4].map((i) => makeMonth(`new prompt ${i}`));
  const bytes = measureHeap() - before;
  const posts = kept.flat(2).length;
  expect(posts).toBeGreaterThan(8_000);
  expect(bytes / posts).toBeGreaterThan(64);
  expect(bytes / posts).toBeLessThanOrEqual(512);
});
