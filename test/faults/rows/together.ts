/** Runs that one statement leases, or whose calls one statement opens: how each of them ends. */
import assert from 'node:assert/strict';
import { enqueueNewRuns } from '../../../src/monitor/enqueue.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import type { Point } from '../../journey-points.ts';
import type { Row } from '../row.ts';
import { gated, ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** As many as a worker executes at a time. */
const RUNS = 8;

async function addRuns(stage: Stage): Promise<bigint[]> {
  const runs: bigint[] = [];
  for (let prompt = 1; prompt <= RUNS; prompt += 1) runs.push((await stage.add(prompt)).runId);
  return runs;
}

/** A worker that dies at a point of several runs: whichever it leases first waits until it holds the jobs of all. */
async function dieTogether(stage: Stage, point: Point): Promise<bigint[]> {
  const { ctx } = stage;
  stage.service.answers(ownPosts);
  const first = await stage.start();
  for (const runId of await addRuns(stage)) await stage.ended(runId);
  await first.stop();
  const runs: bigint[] = [];
  for (let prompt = 1; prompt <= RUNS; prompt += 1)
    runs.push((await insertManualRun(ctx, `search-${prompt}`)).runId);
  const dying = await stage.start({}, { dieAt: point });
  const holding = await ctx.db.pool.connect();
  await holding.query('BEGIN');
  await holding.query('SELECT FROM strandline.runs WHERE id = ANY ($1) FOR UPDATE', [runs]);
  await enqueueNewRuns(ctx, runs, 'manual');
  await stage.until('it holds all jobs', async () => (await ctx.queue.depth())['active'] === RUNS);
  await holding.query('COMMIT');
  holding.release();
  await dying.ended;
  return runs;
}

export const TOGETHER: readonly Row[] = [
  {
    id: 'F21',
    title:
      'a worker that dies between leasing several runs and their calls costs nothing: each is leased again and called once',
    core: true,
    play: async (stage) => {
      const runs = await dieTogether(stage, 'after the lease of several');
      const leased = await stage.rows(
        `SELECT id FROM strandline.runs WHERE status = 'running' AND fence = 1`,
      );
      assert.ok(leased.length > 1);
      await stage.start();
      for (const runId of runs) assert.equal((await stage.ended(runId)).status, 'succeeded');
      // One that was leased before them may have been called.
      const [, ...others] = await stage.rows(
        'SELECT array_agg(state) AS calls FROM strandline.calls WHERE run_id = ANY ($1) GROUP BY run_id ORDER BY count(*) DESC',
        [runs],
      );
      assert.equal(others.length, RUNS - 1);
      for (const { calls } of others) assert.deepEqual(calls, ['received']);
    },
  },
  {
    id: 'F21 ledger',
    title:
      'a worker that dies after the ledger rows of several calls costs one more call for each, and those stay unknown',
    core: true,
    play: async (stage) => {
      const runs = await dieTogether(stage, 'after the ledger rows of several');
      await stage.start();
      const calls: string[] = [];
      for (const runId of runs) {
        assert.equal((await stage.ended(runId)).status, 'succeeded');
        calls.push((await stage.calls(runId)).join(', '));
      }
      assert.ok(calls.filter((states) => states === 'unknown, received').length > 1, calls.join('; '));
      for (const states of calls) assert.match(states, /^(?:unknown, )?received$/);
    },
  },
  {
    id: 'F22',
    title:
      'of eight runs with concurrent responses one is leased by another worker meanwhile: its response is stored and parsed, and seven are saved',
    core: true,
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers(gate.script);
      const runs = await addRuns(stage);
      await stage.start();
      await stage.until('all are called', () => Promise.resolve(stage.service.asked.length === RUNS));
      const [lost, ...others] = runs;
      // A worker that leased it and died.
      await stage.rows(
        `UPDATE strandline.runs SET fence = fence + 1, lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`,
        [lost],
      );
      gate.open();
      for (const runId of others) {
        const run = await stage.ended(runId);
        assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      }
      const run = await stage.ended(lost ?? 0n);
      assert.equal(run.status, 'succeeded');
      assert.ok(run.fence > 2, `leased again: ${run.fence}`);
      for (const runId of others) assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
];
