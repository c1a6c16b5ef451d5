import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeChannel } from '../../src/monitor/tell/channels.ts';
import { onEachBackend } from '../backends.ts';
import { startProcess, until, type WorkerProcess } from '../processes.ts';
import { status } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

const KEY = 'the same on every machine, as it has to be';

onEachBackend('a worker', ({ redisUrl }) => {
  let stage: Stage;
  const workers: WorkerProcess[] = [];
  beforeAll(async () => {
    stage = await openStage({ MASTER_KEY: KEY });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await stage.close();
  });

  const start = async (): Promise<WorkerProcess> => {
    const worker = await startProcess({
      DATABASE_URL: stage.world.database.url,
      REDIS_URL: redisUrl ?? undefined,
      LOG_LEVEL: 'silent',
      RECONCILE_SECONDS: '1',
      MASTER_KEY: KEY,
      WEBHOOK_ALLOW: '127.0.0.1',
      WEBHOOK_SECONDS: '1',
    });
    workers.push(worker);
    return worker;
  };

  test('that is killed between sending a message and noting it leaves it to the next, which sends the same again', async () => {
    const search = await stage.search('killed');
    await stage.channel('killed');
    await stage.rule('killed', 'killed', { search: 'killed' });
    // It waits in the feed until there is somebody to kill.
    await changeChannel(stage.world.ctx, 'killed', 'pause');
    await stage.finds(search, 3);
    // Nobody runs it any more: what is found is there.
    await stage.rows('UPDATE strandline.searches SET archived_at = created_at, next_due_at = NULL');
    const victim = await start();
    stage.receiver.answers((response, received) => {
      victim.child.kill('SIGKILL');
      void victim.ended.then(() => status(200)(response, received));
    });
    await changeChannel(stage.world.ctx, 'killed', 'resume');
    await victim.ended;
    expect(stage.receiver.received).toHaveLength(1);
    expect(await stage.deliveries('killed')).toMatchObject([{ state: 'pending', attempts: 1 }]);

    stage.receiver.answers(status(200));
    await start();
    await until('the message is delivered', async () => {
      const [one] = await stage.deliveries('killed');
      return one?.state === 'delivered';
    });
    const [first, second] = stage.receiver.received;
    expect(stage.receiver.received).toHaveLength(2);
    expect({ id: second?.id, hash: second?.hash }).toEqual({ id: first?.id, hash: first?.hash });
    expect(await stage.deliveries('killed')).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  }, 90_000);
});
