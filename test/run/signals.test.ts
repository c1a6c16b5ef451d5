/** `strandline worker` as a supervisor stops it: with one signal, a second one, or SIGKILL. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Fleet, openFleet } from '../fleet.ts';
import { until } from '../processes.ts';
import { gated, json, wirePost } from '../stub-service.ts';
import { startCommand, type WorkerCommand } from '../worker-command.ts';
import { runsOf } from './many-workers.ts';

let fleet: Fleet;
const started: WorkerCommand[] = [];
beforeAll(async () => {
  fleet = await openFleet(null);
});
afterEach(async () => {
  for (const worker of started) worker.kill('SIGKILL');
  await Promise.all(started.splice(0).map((worker) => worker.ended));
});
afterAll(() => fleet.close());

function start(): WorkerCommand {
  const worker = startCommand({
    DATABASE_URL: fleet.ctx.config.databaseUrl,
    SEARCH_API_URL: fleet.stub.url,
    SEARCH_API_KEY: 'key',
    RECONCILE_SECONDS: '1',
    RUN_LEASE_SECONDS: '2',
    MAX_CALLS_PER_RUN: '3',
  });
  started.push(worker);
  return worker;
}

/** Whichever of them has it, once the service has its request: the ledger's row is there before. */
function holderOf(runId: bigint, workers: readonly WorkerCommand[]): Promise<WorkerCommand> {
  return until('one of them has it and calls', async () => {
    const [held] = await fleet.rows(
      `SELECT split_part(r.worker, ':', 2)::int AS pid, c.n FROM strandline.runs r JOIN strandline.calls c ON c.run_id = r.id
       WHERE r.id = $1 AND r.status = 'running' AND c.state = 'sent' AND c.fence = r.fence`,
      [runId],
    );
    if (held?.n !== fleet.stub.requests.length) return undefined;
    return workers.find(({ pid }) => pid === held?.pid);
  });
}

test('on a second signal it releases its runs and exits with 0; killed, its run waits until the lease ends', async () => {
  const gate = gated(json({ miner_tweets: [wirePost('1')] }));
  fleet.stub.answers(gate.answer);
  const workers = [start(), start(), start()];
  await Promise.all(workers.map((worker) => worker.says(/worker started/)));
  const runId = await fleet.add('held');

  const first = await holderOf(runId, workers);
  first.kill('SIGTERM');
  await first.says(/worker shutting down/);
  expect(await runsOf(fleet, first.pid), 'the first word lets it finish').toBe(1);
  first.kill('SIGTERM');
  expect(await first.ended).toEqual({ code: 0, signal: null });
  const given = await fleet.rows(
    `SELECT CASE WHEN status = 'running' THEN worker END AS worker, leases FROM strandline.runs WHERE id = $1`,
    [runId],
  );
  // Back in the queue, or with another worker already; and no lease that ended without a word.
  expect(given).toMatchObject([{ leases: expect.toSatisfy((leases: number) => leases <= 1) }]);
  expect(String(given[0].worker)).not.toContain(`:${first.pid}:`);

  const second = await holderOf(
    runId,
    workers.filter((worker) => worker !== first),
  );
  second.kill('SIGTERM');
  await second.says(/worker shutting down/);
  second.kill('SIGKILL');
  expect(await second.ended).toEqual({ code: null, signal: 'SIGKILL' });
  const third = await holderOf(
    runId,
    workers.filter((worker) => worker !== first && worker !== second),
  );
  gate.open();
  expect(await fleet.ended(runId)).toMatchObject({ status: 'succeeded', fence: 3 });
  third.kill('SIGTERM');
  expect(await third.ended).toEqual({ code: 0, signal: null });

  const calls = await fleet.rows('SELECT state FROM strandline.calls WHERE run_id = $1 ORDER BY n', [runId]);
  expect(calls.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'received']);
  expect(fleet.stub.requests).toHaveLength(3);
});
