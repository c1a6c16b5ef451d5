/** Redis, or BullMQ's own tables: emptied, full, cut off, wrong. */
import assert from 'node:assert/strict';
import type { Row } from '../row.ts';
import { gated, ownPosts } from '../scripts.ts';

export const QUEUE: readonly Row[] = [
  {
    id: 'F43',
    title: 'one run under five job ids is claimed once and called once',
    core: false,
    everyCommit: true,
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const { runId } = await stage.add(1);
      // The fence is part of a job's id: five fences are five jobs of one run.
      await stage.ctx.queue.enqueue([1, 2, 3, 4, 5].map((fence) => ({ runId, fence })));
      await stage.start();
      await stage.until('the call is under way', () => Promise.resolve(stage.service.asked.length > 0));
      await stage.until('no job is left but the one at work', async () => {
        const { waiting = 0, active = 0 } = await stage.ctx.queue.depth();
        return waiting === 0 && active === 1;
      });
      gate.open();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
];
