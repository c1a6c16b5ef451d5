import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/engine/logger.ts';
import { type Home, openHome } from '../../src/home.ts';
import { createSearch } from '../../src/monitor/topic/create.ts';
import { startProcess, until, type WorkerProcess } from '../processes.ts';
import { gated, json, type StubService, startStub, wirePost } from '../stub-service.ts';

let stub: StubService;
let worker: WorkerProcess;
let home: Home;
let directory: string;

beforeAll(async () => {
  stub = await startStub();
  directory = await mkdtemp(path.join(tmpdir(), 'strandline-restart-'));
  const env = {
    STRANDLINE_DATA_DIR: path.join(directory, 'data'),
    SEARCH_API_URL: stub.url,
    SEARCH_API_KEY: 'key',
    RECONCILE_SECONDS: '1',
    RUN_LEASE_SECONDS: '30',
    LOG_LEVEL: 'silent',
  };
  worker = await startProcess(env);
  home = await openHome({ config: readConfig(env), log: createLogger('silent'), role: 'guest' });
}, 60_000);
afterAll(async () => {
  await home.close();
  await worker.stop();
  await stub.close();
  await rm(directory, { recursive: true, force: true });
});

const rows = async (sql: string, values: unknown[] = []) => (await home.ctx.db.pool.query(sql, values)).rows;

test('Postgres dies while a paid call is under way: it is brought back, the answer is saved, nobody calls again', async () => {
  const gate = gated(json({ miner_tweets: [wirePost('1'), wirePost('2')] }));
  stub.answers(gate.answer);
  const { firstRunId } = await createSearch(home.ctx, {
    slug: 'restart',
    operation: 'microblog',
    prompt: 'p',
    every: '1h',
  });
  await until('the call is under way', async () => stub.requests.length > 0);

  const pidFile = await readFile(path.join(home.embedded?.dataDirectory ?? '', 'postmaster.pid'), 'utf8');
  process.kill(Number(pidFile.split('\n')[0]), 'SIGQUIT');
  await until('Postgres is gone', async () => {
    try {
      await rows('SELECT 1');
      return false;
    } catch {
      return true;
    }
  });
  gate.open();

  const run = await until('the run ends', async () => {
    const [found] = await rows('SELECT status, code, items_new FROM strandline.runs WHERE id = $1', [
      firstRunId,
    ]);
    return found.status === 'running' || found.status === 'queued' ? false : found;
  });
  expect(run).toEqual({ status: 'succeeded', code: null, items_new: 2 });
  expect(await rows('SELECT state FROM strandline.calls')).toEqual([{ state: 'received' }]);
  expect(stub.requests).toHaveLength(1);
}, 60_000);
