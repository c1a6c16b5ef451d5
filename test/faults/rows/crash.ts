/** Workers that die, are suspended, or are prevented from working. */
import assert from 'node:assert/strict';
import { ONE_CALL } from '../cases.ts';
import type { Point } from '../../journey-points.ts';
import { startCommand, type WorkerCommand } from '../../worker-command.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import type { Row } from '../row.ts';
import { dripped, gated, ownPosts, posts, raw, silent, status } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** One worker dies at a point of the first run of a search, the next one continues. @returns the run */
async function diesAt(stage: Stage, point: Point): Promise<bigint> {
  stage.service.answers(ownPosts);
  const dying = await stage.start({}, { dieAt: point });
  const { runId } = await stage.add(1);
  await dying.ended;
  await stage.start();
  assert.equal((await stage.ended(runId)).status, 'succeeded');
  return runId;
}

/** With `strandline worker` itself, as a supervisor starts and ends it. */
async function withCommand(stage: Stage, play: (command: WorkerCommand) => Promise<void>): Promise<void> {
  const command = startCommand(stage.env);
  try {
    await command.says(/worker started/);
    await play(command);
  } finally {
    command.kill('SIGKILL');
    await command.ended;
  }
}

/** Bytes of a response that are bad for a log, a terminal, Postgres, or a job. */
const NASTY = `upstream said: \u0000 \u001b[2J \ud800 ${'x'.repeat(1_000_000)}`;

export const CRASH: readonly Row[] = [
  {
    id: 'F10',
    title:
      'a worker that dies between lease and ledger costs nothing: the run is leased again and called once',
    core: true,
    play: async (stage) => {
      const runId = await diesAt(stage, 'after the lease');
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal((await stage.ended(runId)).fence, 2);
    },
  },
  {
    id: 'F10 forgotten',
    title: 'the same if the queue also loses the job: the lease alone shows that the worker is gone',
    core: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const dying = await stage.start({}, { dieAt: 'after the lease' });
      const { runId } = await stage.add(1);
      await dying.ended;
      await stage.emptyQueue();
      await stage.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F11',
    title: 'a worker that dies after the ledger row costs one more call, and the first stays unknown',
    core: true,
    main: true,
    everyCommit: 'postgres',
    play: async (stage) => {
      const runId = await diesAt(stage, 'after the ledger row');
      assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
      assert.equal(stage.service.asked.length, 1);
    },
  },
  {
    id: 'F11 answered',
    title: 'the same for a response that arrived but was not stored yet',
    core: true,
    play: async (stage) => {
      const runId = await diesAt(stage, 'before the answer is kept');
      assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
      assert.equal(stage.service.asked.length, 2);
    },
  },
  {
    id: 'F12',
    title: 'a worker killed during a streamed response leaves no partial results',
    core: false,
    play: async (stage) => {
      const half = '{"miner_tweets":[{"id":"11","text":"half';
      stage.service.answers([dripped([half], { end: 'never' }), ownPosts]);
      const victim = await stage.start();
      const { runId } = await stage.add(1);
      await stage.until('half of it is there', () => Promise.resolve(stage.service.asked[0]?.sent === 1));
      victim.child.kill('SIGKILL');
      await stage.start();
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
      assert.deepEqual(await stage.rows('SELECT n FROM strandline.responses WHERE run_id = $1', [runId]), [
        { n: 2 },
      ]);
    },
  },
  {
    id: 'F13',
    title: 'a worker dies after the response is stored: the next one parses it without another call',
    core: true,
    main: true,
    everyCommit: 'postgres',
    play: async (stage) => {
      const runId = await diesAt(stage, 'after the answer is kept');
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F13 commit',
    title: 'the same with everything saved but the commit',
    core: true,
    play: async (stage) => {
      const runId = await diesAt(stage, 'before the commit');
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal((await stage.ended(runId)).fence, 2);
    },
  },
  {
    id: 'F14',
    title: 'a worker dies after the commit: no second call, no second diff, and the channel is notified once',
    core: true,
    everyCommit: true,
    play: async (stage) => {
      await stage.alert('channel');
      stage.service.answers(posts(['11']));
      const first = await stage.start();
      await stage.ended((await stage.add(1)).runId);
      await first.stop();

      stage.service.answers(posts(['11', '12', '13']));
      const dying = await stage.start({}, { dieAt: 'after the commit' });
      const runId = await stage.again(1);
      await dying.ended;
      await stage.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
      await stage.until('the message is there', () => Promise.resolve(stage.receiver.received.length > 0));
      assert.equal(stage.receiver.taken('/channel').length, 2);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F14 job',
    title:
      'the job of a worker that died after the commit is delivered again, finds nothing to do, and completes',
    core: true,
    play: async (stage) => {
      const runId = await diesAt(stage, 'after the commit');
      await stage.until('no job is left', async () =>
        Object.values(await stage.ctx.queue.depth()).every((jobs) => jobs === 0),
      );
      assert.deepEqual(await stage.calls(runId), ['received']);
      assert.equal((await stage.ended(runId)).fence, 1);
    },
  },
  {
    id: 'F15',
    title:
      'a worker suspended beyond its lease changes nothing when it resumes: another has finished the run',
    core: true,
    everyCommit: true,
    play: async (stage) => {
      const gate = gated(ownPosts);
      stage.service.answers([gate.script, ownPosts]);
      const sleeper = await stage.start();
      const { runId } = await stage.add(1);
      await stage.called();
      sleeper.child.kill('SIGSTOP');
      await stage.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
      gate.open();
      sleeper.child.kill('SIGCONT');
      await stage.until('the sleeper has been turned away', () =>
        Promise.resolve(sleeper.log.some((line) => line.includes('"code":"lease_lost"'))),
      );
      assert.deepEqual(await stage.ended(runId), run);
      assert.equal(stage.service.asked.length, 2);
    },
  },
  {
    id: 'F15 saving',
    title: 'a worker suspended inside its save blocks nobody forever, and one of two saves counts',
    core: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const sleeper = await stage.start({}, { pauseAt: 'before the save' });
      const { runId } = await stage.add(1);
      await sleeper.paused;
      sleeper.child.kill('SIGSTOP');
      await stage.start();
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
      sleeper.child.kill('SIGCONT');
      sleeper.goOn();
      await stage.until('the sleeper has been turned away', () =>
        Promise.resolve(sleeper.log.some((line) => line.includes('"code":"lease_lost"'))),
      );
      assert.deepEqual(await stage.ended(runId), run);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F16',
    title: 'a response of 80 MB is aborted at the limit without blocking other work',
    core: false,
    env: { MAX_CALLS_PER_RUN: '1', RUN_LEASE_SECONDS: '5' },
    play: async (stage) => {
      stage.service.answers(raw(huge(80)), '1');
      stage.service.answers(ownPosts, '2');
      await stage.start();
      const [large, small] = [await stage.add(1), await stage.add(2)];
      assert.equal((await stage.ended(large.runId)).code, 'too_large');
      assert.equal((await stage.ended(small.runId)).status, 'succeeded');
      assert.equal((await stage.ended(small.runId)).fence, 1);
    },
  },
  {
    id: 'F16 allowed',
    title:
      'with a limit above 80 MB, such responses are parsed in turn: leases are renewed meanwhile, and no run is taken over',
    core: false,
    env: {
      MAX_CALLS_PER_RUN: '1',
      MAX_ANSWER_BYTES: '100000000',
      NOVA_SECONDS: '60',
      RUN_LEASE_SECONDS: '3',
    },
    seconds: 120,
    play: async (stage) => {
      stage.service.answers(raw(huge(80), undefined, { holds: ['11'] }));
      await stage.start();
      await stage.start();
      const { runId } = await stage.add(1);
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
    },
  },
  {
    id: 'F17',
    title:
      'four concurrent responses of 60 MB in a heap of 96 MB: each run ends, and other searches continue',
    core: false,
    // In so small a heap the collector takes its time.
    env: { MAX_CALLS_PER_RUN: '1', RUN_LEASE_SECONDS: '10' },
    play: async (stage) => {
      for (const n of [1, 2, 3, 4]) stage.service.answers(raw(huge(60)), String(n));
      stage.service.answers(ownPosts, '5');
      await stage.start({}, { execArgv: ['--max-old-space-size=96'] });
      const large = await Promise.all([1, 2, 3, 4].map((n) => stage.add(n)));
      const { runId } = await stage.add(5);
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      for (const one of large) assert.equal((await stage.ended(one.runId)).code, 'too_large');
    },
  },
  {
    id: 'F18',
    title: 'a worker that gets SIGTERM leases nothing new, completes its runs, and exits with 0',
    core: true,
    play: (stage) =>
      withCommand(stage, async (command) => {
        const gate = gated(ownPosts);
        stage.service.answers(gate.script);
        const { runId } = await stage.add(1);
        await stage.called();
        command.kill('SIGTERM');
        await command.says(/worker shutting down/);
        const late = await stage.add(2);
        gate.open();
        assert.deepEqual(await command.ended, { code: 0, signal: null });
        const run = await stage.ended(runId);
        assert.deepEqual([run.status, run.fence], ['succeeded', 1]);
        assert.deepEqual(await stage.calls(late.runId), []);
      }),
  },
  {
    id: 'F18 twice',
    title:
      'on a second signal it releases its runs: nothing stays running, and the next worker leases them immediately',
    core: true,
    env: { RUN_LEASE_SECONDS: '3600' },
    play: (stage) =>
      withCommand(stage, async (command) => {
        stage.service.answers([silent, ownPosts]);
        const { runId } = await stage.add(1);
        await stage.called();
        command.kill('SIGTERM');
        await command.says(/worker shutting down/);
        command.kill('SIGTERM');
        assert.deepEqual(await command.ended, { code: 0, signal: null });
        assert.deepEqual(
          await stage.rows('SELECT status, leases FROM strandline.runs WHERE id = $1', [runId]),
          [{ status: 'queued', leases: 0 }],
        );
        await stage.start();
        assert.equal((await stage.ended(runId)).status, 'succeeded');
        assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
      }),
  },
  {
    id: 'F18 killed',
    title: 'killed while it drains, its run waits until the lease ends',
    core: true,
    play: (stage) =>
      withCommand(stage, async (command) => {
        stage.service.answers([silent, ownPosts]);
        const { runId } = await stage.add(1);
        await stage.called();
        command.kill('SIGTERM');
        await command.says(/worker shutting down/);
        command.kill('SIGKILL');
        await command.ended;
        await stage.start();
        const run = await stage.ended(runId);
        assert.deepEqual([run.status, run.fence], ['succeeded', 2]);
        assert.deepEqual(await stage.calls(runId), ['unknown', 'received']);
      }),
  },
  {
    id: 'F19',
    title:
      'a run that crashes every worker fails after five, its response is parsed by the next healthy worker, and the next search continues',
    core: false,
    movesTime: true,
    seconds: 90,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const { runId } = await stage.add(1);
      for (let lease = 1; lease <= 5; lease += 1) {
        const victim = await stage.start(
          {},
          { dieAt: lease === 1 ? 'after the answer is kept' : 'before the commit' },
        );
        await victim.ended;
      }
      await stage.start();
      assert.equal((await stage.ended((await stage.add(2)).runId)).status, 'succeeded');
      assert.equal((await stage.ended(runId)).code, 'internal');
      // Its response was attempted four times: the next attempt is eight minutes after the last.
      await stage.moveTime(10 * MINUTE);
      await stage.until(
        'its response is read',
        async () => (await stage.ended(runId)).status === 'succeeded',
      );
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.code, run.fence], ['succeeded', null, 6]);
      assert.deepEqual(await stage.calls(runId), ['received']);
    },
  },
  {
    id: 'F20',
    title:
      'NUL, half a surrogate, terminal escapes and a megabyte in an error body: the run fails, and its job completes immediately',
    core: true,
    everyCommit: 'postgres',
    env: ONE_CALL,
    guard:
      'BullMQ cannot store such an error in Postgres and runs the job again endlessly (bullmq 6.7.0): ' +
      'no error and no external text reaches it, see src/platform/queue/queue-workers.ts.',
    play: async (stage) => {
      stage.service.answers(status(500, {}, NASTY));
      const worker = await stage.start();
      const { runId } = await stage.add(1);
      const run = await stage.ended(runId);
      assert.deepEqual([run.status, run.code, run.fence], ['failed', 'upstream_5xx', 1]);
      assert.ok(!(run.reason ?? '').includes('\u0000'));
      assert.equal(run.reason?.toWellFormed(), run.reason);
      assert.ok((run.reason ?? '').length <= 2_000);
      assert.ok(worker.log.every((line) => line.length < 10_000 && !line.includes('\u001b')));
      await stage.until('its job is gone', async () =>
        Object.values(await stage.ctx.queue.depth()).every((jobs) => jobs === 0),
      );
      assert.deepEqual(await stage.calls(runId), ['failed']);
    },
  },
];

/** An answer of about so many megabytes, with one post in it. */
function huge(megabytes: number): string {
  const post =
    '{"id":"11","text":"one","created_at":"2026-11-21T11:00:00.000Z","user":{"id":"9","username":"u"}}';
  return `{"miner_tweets":[${post}],"padding":"${'x'.repeat(megabytes * 1_000_000)}"}`;
}
