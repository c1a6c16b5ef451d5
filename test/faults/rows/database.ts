/** Postgres becomes unavailable, comes back, is full, or refuses. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { freePort } from '../../redis.ts';
import { startCommand } from '../../worker-command.ts';
import type { Row } from '../row.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { says } from '../says.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** Connections to Postgres that can die without an error. @returns makes the existing ones die */
function mortal(stage: Stage): () => void {
  let newest = 0;
  let dead = 0;
  stage.wires.postgres.watch(({ link }) => {
    newest = Math.max(newest, link.id);
    return link.id <= dead ? 'lose' : 'pass';
  });
  return () => {
    dead = newest;
  };
}

export const DATABASE: readonly Row[] = [
  {
    id: 'F30',
    title: 'Postgres crashes during a save: the save is repeated from memory, without another call',
    core: true,
    main: true,
    everyCommit: 'postgres',
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
    title: 'a connection breaks at the commit of a save: its outcome is read back, and nothing is done twice',
    core: true,
    everyCommit: 'postgres',
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
      'connections to Postgres are dead without an error: the response of the running call is stored over a new one',
    core: true,
    seconds: 180,
    play: async (stage) => {
      const die = mortal(stage);
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const worker = await stage.start();
      const { runId } = await stage.add(1);
      await stage.called();
      die();
      gate.open();
      // Its lease may end before: then another lease may have called, too.
      await stage.until(
        'the response is stored',
        async () => (await stage.calls(runId))[0] === 'received',
        120_000,
      );
      await stage.settled();
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.ok((await stage.calls(runId)).every((state) => state === 'received'));
      stage.service.answers(ownPosts);
      assert.equal((await stage.ended((await stage.add(2)).runId)).status, 'succeeded');
      assert.ok(worker.lives());
    },
  },
  {
    id: 'F32 saving',
    title:
      'the same during a save: it times out after a minute and is repeated immediately over a new connection',
    core: true,
    env: { RUN_LEASE_SECONDS: '3600' },
    seconds: 180,
    play: async (stage) => {
      const die = mortal(stage);
      stage.service.answers(ownPosts);
      const worker = await stage.start({}, { pauseAt: 'inside the save' });
      const { runId } = await stage.add(1);
      await worker.paused;
      die();
      worker.goOn();
      // A minute for the statement, and a quarter of one for locks of the session that is not over on the server.
      await stage.settled(100);
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F33',
    title:
      'Postgres is unavailable: a received response is kept, no call starts, and everything resumes when it is back',
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
        await stage.ctx.queue.enqueueRuns(waiting.map((id) => ({ runId: id, fence: 0, trigger: 'manual' })));
      gate.open();
      await says(worker, /(?:response not stored|database unavailable); retrying/);
      await says(worker, /heartbeat failed/);
      await says(worker, /scan failed/);
      if (stage.backend === 'redis') await says(worker, /job failed/);
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
    id: 'F33 spool',
    title:
      'a worker killed with an unstored response while Postgres is unavailable has spooled it: the next one stores it, without another call',
    core: true,
    postgres: {},
    env: { RUN_LEASE_SECONDS: '10' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const data = path.join(stage.directory, 'data');
      const holding = await stage.start();
      const { runId } = await stage.add(1);
      await stage.called();
      await stage.postgres.stop('immediate');
      gate.open();
      await says(holding, /response spooled/);
      const [name = ''] = await readdir(path.join(data, 'spool'));
      assert.equal((await stat(path.join(data, 'spool', name))).mode & 0o777, 0o600);
      holding.child.kill('SIGKILL');
      await holding.ended;
      await stage.postgres.start();
      // Of another database, or broken: neither is taken for an answer, neither keeps the others from it.
      const text = await readFile(path.join(data, 'spool', name), 'utf8');
      const foreign = text.replace(/"sentAt":"[^"]*"/, '"sentAt":"2020-02-02T02:02:02.222Z"');
      assert.notEqual(foreign, text);
      await writeFile(path.join(data, 'spool', '0-foreign.json'), foreign);
      await writeFile(path.join(data, 'spool', '0-broken.json'), text.slice(0, 50));
      await stage.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal(stage.service.asked.length, 1);
      assert.deepEqual((await readdir(path.join(data, 'spool'))).toSorted(), [
        '0-broken.json',
        '0-foreign.json',
      ]);
    },
  },
  {
    id: 'F33 start',
    title:
      'a worker and an API that start while Postgres is unavailable wait for it: alive but not ready, and they continue once it is back',
    core: true,
    postgres: {},
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const { runId } = await stage.add(1);
      await stage.postgres.stop('fast');
      const [metrics, port] = [await freePort(), await freePort()];
      const commands = [
        startCommand({ ...stage.env, METRICS_PORT: String(metrics) }),
        startCommand({ ...stage.env, PORT: String(port) }, 'api'),
      ];
      const [worker, api] = commands;
      const health = async (at: number) =>
        Promise.all(
          ['livez', 'readyz'].map((name) =>
            fetch(`http://127.0.0.1:${at}/${name}`).then(
              ({ status }) => status,
              () => 'nobody listens',
            ),
          ),
        );
      const tells = (at: number, wanted: number[]) =>
        stage.until(`${at} tells ${wanted.join(' and ')}`, async () =>
          isDeepStrictEqual(await health(at), wanted),
        );
      try {
        for (const command of commands)
          await command.says(
            /"level":"?(?:40|warn).*database .* cannot be reached.*database unreachable, retrying/,
          );
        for (const at of [metrics, port]) await tells(at, [200, 503]);
        await stage.postgres.start();
        await worker?.says(/worker started/);
        await api?.says(/web server started/);
        assert.equal((await stage.ended(runId)).status, 'succeeded');
        for (const at of [metrics, port]) await tells(at, [200, 200]);
      } finally {
        for (const command of commands) command.kill('SIGTERM');
      }
      for (const command of commands) {
        assert.deepEqual(await command.ended, { code: 0, signal: null });
        const waits = command.told.filter((line) => line.includes('database unreachable, retrying'));
        assert.equal(waits.length, 1, waits.join('\n'));
      }
    },
  },
];
