/** The cache of posts is bounded by what it holds, however many topics are asked for. */
import { expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { matchTopic } from '../../../src/service/sandbox/built-in-topics.ts';
import { createSeedStore } from '../../../src/service/sandbox/post-seeds.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const topics = Array.from({ length: 30 }, (_, i) => matchTopic('bounded', `new prompt ${i}`));

test('as many posts are cached as asked for, the latest among them', () => {
  const remembered = 2_000;
  const store = createSeedStore(remembered);
  const hours = topics.flatMap((topic) =>
    Array.from({ length: 48 }, (_, i) => ({ topic, number: Math.floor(NOON / HOUR) - i })),
  );
  const made = hours.map(({ topic, number }) => store.hour(topic, number));
  expect(made.flat().length).toBeGreaterThan(3 * remembered);
  // From the newest on, since reading what is not cached makes others leave.
  let kept = 0;
  for (const [i, { topic, number }] of [...hours.entries()].toReversed()) {
    if (store.hour(topic, number) !== made[i]) break;
    kept += (made[i]?.length ?? 0) + 1;
  }
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(remembered);
});
