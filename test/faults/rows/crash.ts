/** Workers that die, fall asleep, or are blocked. */
import assert from 'node:assert/strict';
import type { Row } from '../row.ts';
import { ownPosts } from '../scripts.ts';

export const CRASH: readonly Row[] = [
  {
    id: 'F11',
    title: 'a worker that dies after the ledger row costs one call more, and the first stays unknown',
    core: true,
    everyCommit: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const dying = await stage.start({}, { dieAt: 'after the ledger row' });
      const { runId } = await stage.add(1);
      await dying.ended;
      await stage.start();
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
      assert.equal(stage.service.asked.length, 1);
    },
  },
];
