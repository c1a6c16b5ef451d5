/** Runs that are saved together: a worker that dies midway, a lease that is lost, and one that cannot be saved. */
import assert from 'node:assert/strict';
import type { PoolClient } from 'pg';
import type { Id } from '../../../src/store/db/database.ts';
import type { Row } from '../row.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];
const FEED = `hashtext('strandline.discoveries')`;

/** Who waits for the feed behind the first save, which one of them holds, or will. */
const WAITING = `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND objid::bigint = (${FEED}::bigint & 4294967295)`;

type Eight = {
  worker: Awaited<ReturnType<Stage['start']>>;
  runs: Id[];
  /** Lets the saves of the two go on, and stops that of the others before its commit. */
  twoAreSaved: () => Promise<void>;
  /** Lets all of them go on. */
  letGo: () => Promise<void>;
};

/**
 * Eight runs whose responses are stored: two of them are being saved, each alone, and six wait to be saved together behind
 * them. The feed is held against the two, then against the others.
 */
async function eight(stage: Stage, play: (eight: Eight) => Promise<void>): Promise<void> {
  const first = gated(ownPosts);
  const second = gated(ownPosts);
  const others = gated(ownPosts);
  stage.service.answers(first.script, '1');
  stage.service.answers(second.script, '2');
  stage.service.answers(others.script);
  const held = await stage.ctx.db.pool.connect();
  const next = await stage.ctx.db.pool.connect();
  try {
    await hold(held);
    const worker = await stage.start({ WORKER_CONCURRENCY: '8' });
    const runs: Id[] = [];
    for (const prompt of EIGHT) runs.push((await stage.add(prompt)).runId);
    await stage.until('all are called', () => Promise.resolve(stage.service.asked.length === EIGHT.length));
    first.open();
    await stage.until('the first is being saved', async () => (await waiting(stage)) === 1);
    second.open();
    await stage.until('so is the second', async () => (await waiting(stage)) === 2);
    others.open();
    await stage.until('all responses are stored', async () => {
      const [stored] = await stage.rows('SELECT count(*)::int AS n FROM strandline.responses');
      return stored.n === EIGHT.length;
    });
    await play({
      worker,
      runs,
      twoAreSaved: async () => {
        const holding = hold(next);
        await stage.until('the feed is asked for', async () => (await waiting(stage)) === 3);
        await held.query('SELECT pg_advisory_unlock_all()');
        await holding;
        await stage.until('the others are being saved', async () => (await waiting(stage)) === 1);
      },
      letGo: async () => {
        await held.query('SELECT pg_advisory_unlock_all()');
        await next.query('SELECT pg_advisory_unlock_all()');
      },
    });
  } finally {
    held.release(true);
    next.release(true);
  }
}

const hold = (client: PoolClient) => client.query(`SELECT pg_advisory_lock(${FEED})`);
const waiting = async (stage: Stage): Promise<number> => (await stage.rows(WAITING))[0].n;

async function assertCalledOnce(stage: Stage, runs: readonly Id[]): Promise<void> {
  for (const runId of runs) {
    assert.equal((await stage.ended(runId)).status, 'succeeded');
    assert.deepEqual(await stage.calls(runId), ['received']);
  }
}

export const SAVE_TOGETHER: readonly Row[] = [
  {
    id: 'F29',
    title:
      'a worker that dies while it saves six runs together leaves no changes: each is saved once and called once',
    core: true,
    play: (stage) =>
      eight(stage, async ({ worker, runs, twoAreSaved, letGo }) => {
        await twoAreSaved();
        worker.child.kill('SIGKILL');
        await worker.ended;
        await letGo();
        await stage.start();
        await assertCalledOnce(stage, runs);
      }),
  },
  {
    id: 'F29 lost',
    title: 'of runs saved together, one with a lost lease is left to the other lease, without another call',
    core: true,
    play: (stage) =>
      eight(stage, async ({ runs, letGo }) => {
        // What a lease of a worker does that dies at once.
        const taken = await stage.rows(
          `UPDATE strandline.runs SET fence = fence + 1, leases = leases + 1, lease_until = clock_timestamp()
           WHERE id = (SELECT id FROM strandline.runs WHERE status = 'running' ORDER BY id DESC LIMIT 1) RETURNING id`,
        );
        await letGo();
        await assertCalledOnce(stage, runs);
        assert.equal((await stage.ended(taken[0].id)).fence, 3);
      }),
  },
  {
    id: 'F29 refused',
    title:
      'of runs saved together, one that Postgres rejects fails alone, the others succeed, and its response is parsed once it can be saved',
    core: true,
    play: async (stage) => {
      await stage.rows(`ALTER TABLE strandline.posts ADD CONSTRAINT refused CHECK (external_id <> '52')`);
      await eight(stage, async ({ runs, letGo }) => {
        await letGo();
        const ends = await Promise.all(runs.map((runId) => stage.ended(runId)));
        assert.deepEqual(
          ends.map(({ status }) => status),
          EIGHT.map((prompt) => (prompt === 5 ? 'failed' : 'succeeded')),
        );
        for (const runId of runs) assert.deepEqual(await stage.calls(runId), ['received']);
        // What was paid for is read once it can be saved.
        await stage.rows('ALTER TABLE strandline.posts DROP CONSTRAINT refused');
        await stage.rows(
          'UPDATE strandline.responses SET next_read_at = clock_timestamp() WHERE read_at IS NULL',
        );
        await stage.until('it is read', async () => {
          const unread = await stage.rows('SELECT FROM strandline.responses WHERE read_at IS NULL');
          return unread.length === 0;
        });
      });
    },
  },
];
