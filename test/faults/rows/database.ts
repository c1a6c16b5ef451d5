/** Postgres goes away, comes back, is full, or says no. */
import assert from 'node:assert/strict';
import type { Row } from '../row.ts';
import { ownPosts } from '../scripts.ts';

export const DATABASE: readonly Row[] = [
  {
    id: 'F31',
    title:
      'a connection that breaks at the commit of the save: what became of it is read back, nothing is done twice',
    core: true,
    everyCommit: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const saving = new Set<number>();
      let cut = 0;
      stage.wires.postgres.watch(({ link, from, bytes }) => {
        // The statement `sight` stands in the save and nowhere else; after its COMMIT the server's word is swallowed.
        if (from === 'client' && bytes.includes('sight\0')) saving.add(link.id);
        if (from === 'client' && saving.has(link.id) && bytes.includes('COMMIT\0')) saving.add(-link.id);
        if (from !== 'server' || !saving.has(-link.id) || cut > 0) return 'pass';
        cut += 1;
        return 'cut';
      });
      await stage.start();
      const { runId } = await stage.add(1);
      const run = await stage.ended(runId);
      assert.equal(run.status, 'succeeded');
      assert.equal(run.fence, 1);
      await stage.until('the worker has read it back', () =>
        Promise.resolve(stage.workers()[0]?.log.some((line) => line.includes('run succeeded'))),
      );
      assert.equal(cut, 1);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
];
