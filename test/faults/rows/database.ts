/** Postgres goes away, comes back, is full, or says no. */
import assert from 'node:assert/strict';
import { startCommand } from '../../worker-command.ts';
import type { Row } from '../row.ts';
import { insertManualRun } from '../../../src/monitor/topic/run-now.ts';
import { says } from '../says.ts';
import { gated, ownPosts, silent } from '../scripts.ts';

export const DATABASE: readonly Row[] = [
  {
    id: 'F30',
    title: 'Postgres crashes in the middle of a save: it is saved again from memory, nobody calls again',
    core: true,
    everyCommit: true,
    postgres: {},
    env: { RUN_LEASE_SECONDS: '30' },
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const worker = await stage.start({}, { pauseAt: 'inside the save' });
      const { runId } = await stage.add(1);
      await worker.paused;
      await stage.postgres.stop('immediate');
      await stage.postgres.start();
      worker.goOn();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal(stage.service.asked.length, 1);
    },
  },
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
  {
    id: 'F32',
    title:
      'connections to Postgres that are dead and do not say so: calls are given up before the lease ends, and work goes on by new ones within two minutes',
    core: true,
    seconds: 180,
    play: async (stage) => {
      let newest = 0;
      let dead = 0;
      stage.wires.postgres.watch(({ link }) => {
        newest = Math.max(newest, link.id);
        return link.id <= dead ? 'lose' : 'pass';
      });
      stage.service.answers([silent, ownPosts]);
      const worker = await stage.start();
      const { runId } = await stage.add(1);
      await stage.until('a call is under way', () => Promise.resolve(stage.service.asked.length > 0));
      dead = newest;
      await stage.until('the call is given up', () => Promise.resolve(stage.service.asked[0]?.closed), 5_000);
      await stage.settled(120);
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
      assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
      assert.equal((await stage.ended((await stage.add(2)).runId)).status, 'succeeded');
      assert.ok(worker.lives());
    },
  },
  {
    id: 'F33',
    title: 'Postgres is away: an answer that came is held, no call is begun, and all goes on once it is back',
    core: true,
    postgres: {},
    env: { RUN_LEASE_SECONDS: '30', RECONCILE_SECONDS: '5' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(ownPosts);
      const worker = await stage.start();
      for (const prompt of [2, 3]) await stage.ended((await stage.add(prompt)).runId);
      stage.service.answers(gate.script, '1');
      const { runId } = await stage.add(1);
      await stage.until('a call is under way', () => Promise.resolve(stage.service.asked.length === 3));
      const waiting = [];
      for (const prompt of [2, 3]) waiting.push((await insertManualRun(stage.ctx, `search-${prompt}`)).runId);
      await stage.postgres.stop('fast');
      // A queue of its own goes on bringing work.
      if (stage.backend === 'redis')
        await stage.ctx.queue.enqueue(waiting.map((id) => ({ runId: id, fence: 0 })));
      gate.open();
      await says(worker, /holding on to what is in hand/);
      await says(worker, /could not look after queue and database/);
      if (stage.backend === 'redis') await says(worker, /a job ended in an error/);
      assert.equal(stage.service.asked.length, 3);
      await stage.postgres.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
      for (const id of waiting)
        assert.deepEqual(
          [(await stage.ended(id)).status, await stage.calls(id)],
          ['succeeded', ['received']],
        );
    },
  },
  {
    id: 'F33 start',
    title:
      'a worker that starts while Postgres is away ends with 1 and says so, for its supervisor to start it again',
    core: true,
    postgres: {},
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const { runId } = await stage.add(1);
      await stage.postgres.stop('fast');
      const command = startCommand(stage.env);
      await command.says(/database .* cannot be reached/);
      assert.deepEqual(await command.ended, { code: 1, signal: null });
      await stage.postgres.start();
      await stage.start();
      assert.equal((await stage.ended(runId)).status, 'succeeded');
    },
  },
];
