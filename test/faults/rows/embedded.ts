/** The embedded Postgres, and its owner. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startCommand } from '../../worker-command.ts';
import type { Row } from '../row.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** For a worker that owns the server of the row, instead of being told where one is. */
const owning = (stage: Stage) => ({ DATABASE_URL: '', STRANDLINE_DATA_DIR: stage.postgres.home });

export const EMBEDDED: readonly Row[] = [
  {
    id: 'F37',
    title:
      'the embedded Postgres is killed under its owner during a call: it is restarted, the response is saved, without another call',
    core: true,
    postgres: {},
    env: { RUN_LEASE_SECONDS: '30' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const owner = await stage.start(owning(stage));
      const { runId } = await stage.add(1);
      await stage.called();
      await stage.postgres.stop('kill');
      gate.open();
      await stage.until('it is back', () =>
        Promise.resolve(owner.log.some((line) => line.includes('embedded Postgres restarted'))),
      );
      await stage.postgres.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal(stage.service.asked.length, 1);
    },
  },
  {
    id: 'F37 owners',
    title:
      'a second owner is refused with an explanation; after both owner and Postgres are killed, the next start has every row and continues the run',
    core: true,
    postgres: {},
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(ownPosts);
      stage.service.answers([gate.script, ownPosts], '2');
      const owner = await stage.start(owning(stage));
      await stage.ended((await stage.add(1)).runId);
      const second = startCommand({ ...stage.env, ...owning(stage) });
      assert.deepEqual(await second.ended, { code: 1, signal: null });
      assert.match(second.told.join('\n'), /uses .*\. Stop it first/);

      const { runId } = await stage.add(2);
      await stage.until('a call is under way', () => Promise.resolve(stage.service.of('2').length > 0));
      const counted = () =>
        stage.rows('SELECT count(*)::int AS runs, max(id)::text AS last FROM strandline.runs');
      const before = await counted();
      const file = path.join(stage.postgres.dataDirectory, 'postmaster.pid');
      const postmaster = Number.parseInt(await readFile(file, 'utf8'), 10);
      owner.child.kill('SIGKILL');
      process.kill(postmaster, 'SIGKILL');
      await owner.ended;
      await stage.start(owning(stage));
      await stage.postgres.start();
      assert.deepEqual(await counted(), before);
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
      assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
    },
  },
];
