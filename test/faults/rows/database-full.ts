/** Postgres has no space, no connection, or no lock available. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { readErrorCode } from '../../../src/model/errors.ts';
import { connect, withDatabase } from '../../../src/platform/postgres/connect.ts';
import { wirePost } from '../../stub-service.ts';
import type { Row } from '../row.ts';
import { says } from '../says.ts';
import { gated, ownPosts, posts, raw } from '../scripts.ts';
import { onSmallDisk } from '../small-disk.ts';
import type { Stage } from '../stage.ts';

/** A response that does not compress well. */
const LARGE = JSON.stringify({
  miner_tweets: [wirePost('11')],
  padding: randomBytes(500_000).toString('base64'),
});

/** Ends all connections of the program and takes every place on the server. @returns gives the places back */
async function takeAllConnections(stage: Stage): Promise<() => Promise<void>> {
  const admin = await connect(stage.postgres.superuserUrl, 'faults');
  const url = stage.env['DATABASE_URL'] ?? '';
  const taken: Client[] = [];
  const OURS = `FROM pg_stat_activity WHERE application_name LIKE 'strandline%' AND datname <> 'postgres'`;
  await stage.until('nobody else has a connection', async () => {
    await admin.query(`SELECT pg_terminate_backend(pid) ${OURS}`);
    for (;;) {
      try {
        taken.push(await connect(url, 'faults'));
      } catch (error) {
        if (readErrorCode(error) !== '53300') throw error;
        break;
      }
    }
    return (await admin.query(`SELECT 1 ${OURS}`)).rowCount === 0;
  });
  return async () => {
    for (const client of [...taken, admin]) await client.end();
  };
}

export const DATABASE_FULL: readonly Row[] = [
  {
    id: 'F34',
    title:
      'the disk of the database is full: a received response is kept until there is space, without another call',
    core: true,
    postgres: {},
    mounts: true,
    env: { RUN_LEASE_SECONDS: '30' },
    play: (stage) =>
      onSmallDisk(stage, async (disk) => {
        const gate = gated(raw(LARGE, undefined, { holds: ['11'] }));
        stage.service.answers(gate.script);
        const worker = await stage.start();
        const { runId } = await stage.add(1);
        await stage.called();
        await disk.fill();
        gate.open();
        await says(worker, /"code":"53100".*(?:response not stored|database unavailable); retrying/);
        assert.equal((await stage.rows('SELECT count(*)::int AS n FROM strandline.responses'))[0].n, 0);
        await disk.free();
        const run = await stage.ended(runId);
        assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
        assert.deepEqual(await stage.calls(runId), ['received']);
        assert.ok(worker.lives());
      }),
  },
  {
    id: 'F35',
    title: 'a save that hits a deadlock is repeated, the call is not',
    core: false,
    postgres: {},
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      await stage.ended((await stage.add(1)).runId);
      const other = await connect(withDatabase(stage.postgres.superuserUrl, await nameOf(stage)), 'faults');
      const lock = (external: string) =>
        other.query('SELECT 1 FROM strandline.posts WHERE external_id = $1 FOR UPDATE', [external]);
      // It is the save that gives way.
      await other.query(`BEGIN; SET LOCAL deadlock_timeout = '1h'`);
      await lock('13');
      stage.service.answers(posts(['11', '12', '13'], { favorite_count: 77, like_count: 77 }));
      const runId = await stage.again(1);
      await stage.until(
        'the save waits for us',
        async () =>
          (await stage.rows(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).length > 0,
      );
      await lock('11');
      await other.query('COMMIT');
      await other.end();
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['received']);
      const deadlocks = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
      await stage.until('it was one', async () => (await stage.rows(deadlocks))[0].deadlocks > 0);
    },
  },
  {
    id: 'F35 lock',
    title: 'a table is locked for longer than the statement timeout: the save is repeated, the call is not',
    core: false,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const worker = await stage.start({}, { pauseAt: 'before the save' });
      const { runId } = await stage.add(1);
      await worker.paused;
      const other = await stage.ctx.db.pool.connect();
      try {
        await other.query('BEGIN; LOCK TABLE strandline.posts');
        worker.goOn();
        // Postgres tells only how a statement begins.
        const waits = async () =>
          (
            await stage.rows(
              `SELECT xact_start::text AS began FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ '^\\s*WITH post_rows'`,
            )
          )[0]?.began;
        const first = await stage.until('the save waits', waits);
        await stage.until('it is begun again', async () => {
          const now = await waits();
          return now !== undefined && now !== first;
        });
        await other.query('COMMIT');
      } finally {
        other.release(true);
      }
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F36',
    title:
      'others use every connection of the server: a received response is kept, and everything resumes when connections are free',
    core: false,
    postgres: { max_connections: '40' },
    env: { RUN_LEASE_SECONDS: '30' },
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const worker = await stage.start();
      const { runId } = await stage.add(1);
      await stage.called();
      const giveBack = await takeAllConnections(stage);
      gate.open();
      await says(worker, /"code":"53300".*(?:response not stored|database unavailable); retrying/);
      await giveBack();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal((await stage.ended((await stage.add(2)).runId)).status, 'succeeded');
      assert.ok(worker.lives());
    },
  },
];

async function nameOf(stage: Stage): Promise<string> {
  return (await stage.rows('SELECT current_database() AS name'))[0].name;
}
