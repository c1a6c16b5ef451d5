import { afterAll, beforeAll, test } from 'vitest';
import { onEachBackend } from '../backends.ts';
import { type Fleet, openFleet } from '../fleet.ts';
import { deployInTurn } from './many-workers.ts';

onEachBackend('workers side by side', ({ redisUrl }) => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openFleet(redisUrl);
  });
  afterAll(() => fleet.close());

  test('restarted one by one under load, they lose and duplicate no slot and exit with 0', async () => {
    await deployInTurn(fleet, { workers: 2, searches: 32, spreadSeconds: 4 });
  });
});
