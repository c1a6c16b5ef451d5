/** The caches of the simulation are bounded by what they hold, however many topics are asked for. */
import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/domain/time.ts';
import { matchTopic } from '../../../src/service/sandbox/built-in-topics.ts';
import { createSeedStore } from '../../../src/service/sandbox/post-seeds.ts';
import { createDocumentStore } from '../../../src/service/sandbox/simulated-documents.ts';

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

test('as many cells of documents are cached as asked for', () => {
  const remembered = 1_000;
  const list = createDocumentStore(remembered);
  const window = { from: NOON - 60 * DAY, at: NOON };
  const first = topics.map((topic) => list(topic, 'web', window));
  // 60 days have 241 cells, so at most four topics are whole.
  const again = topics
    .toReversed()
    .map((topic, i) => list(topic, 'web', window)[0] === first.at(-1 - i)?.[0]);
  const kept = again.indexOf(false);
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(4);
});
