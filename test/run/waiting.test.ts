/** Long-running programs started before their database: they wait for it, and for nothing else. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeDbRetryMs } from '../../src/cli/server-startup.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { Refused } from '../../src/model/errors.ts';
import { isUnreachable } from '../../src/store/db/database.ts';
import { freshDatabase, type TestDatabase } from '../database.ts';
import { until } from '../processes.ts';
import { freePort } from '../redis.ts';
import { startCommand, type WorkerCommand } from '../worker-command.ts';

let database: TestDatabase;
const started: WorkerCommand[] = [];
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const command of started) command.kill('SIGKILL');
  await Promise.all(started.map((command) => command.ended));
  await database.drop();
});

function start(command: string, env: Record<string, string>): WorkerCommand {
  const running = startCommand(env, command);
  started.push(running);
  return running;
}

async function asked(port: number, path: string) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
  if (answer === null) return null;
  const { status, headers } = answer;
  return { status, type: headers.get('content-type'), body: await answer.text() };
}

test.concurrent('a worker waits for an unavailable database, alive and not ready, and exits with 0 on SIGTERM', async () => {
  const port = await freePort();
  const away = `postgres://strandline:the-secret@127.0.0.1:${await freePort()}/strandline`;
  const running = start('worker', { DATABASE_URL: away, METRICS_PORT: String(port) });
  await running.says(
    /database strandline at 127\.0\.0\.1.* cannot be reached.*database unreachable, retrying/,
  );
  await until('it listens', async () => (await asked(port, '/livez'))?.status === 200);
  expect(await asked(port, '/readyz')).toMatchObject({ status: 503, body: '{"ready":false}' });
  expect(await asked(port, '/readyz?verbose')).toMatchObject({ status: 503, body: '{"ready":false}' });
  for (const path of ['/', '/api/searches', '/metrics', '/livez/more'])
    expect(await asked(port, path)).toMatchObject({
      status: 503,
      type: expect.stringMatching(/^application\/problem\+json/),
      body: expect.stringContaining('urn:strandline:problem:unavailable'),
    });
  running.kill('SIGTERM');
  expect(await running.ended).toEqual({ code: 0, signal: null });
  expect(running.told.join('\n')).not.toContain('the-secret');
});

test.concurrent('a worker stops on SIGTERM without waiting for an unresponsive database', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  try {
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // of a server that listens at a port
    const worker = start('worker', { DATABASE_URL: `postgres://one@127.0.0.1:${port}/strandline` });
    const [socket] = await once(silent, 'connection');
    worker.kill('SIGTERM');
    // At its time limit it would end with 1.
    expect(await worker.ended).toEqual({ code: 0, signal: null });
    socket.destroy();
  } finally {
    silent.close();
  }
});

test.concurrent('a wrong password is not retried', async () => {
  const url = new URL(database.url);
  url.password = 'wrong';
  const worker = start('worker', { DATABASE_URL: url.href });
  expect(await worker.ended).toEqual({ code: 1, signal: null });
  const told = worker.told.join('\n');
  expect(told).toMatch(/password authentication failed/);
  expect(told).not.toContain('waiting');
});

const ofPostgres = (code: string) => Object.assign(new Error('refused'), { code });
const ofSystem = (code: string, syscall = 'connect') =>
  Object.assign(new Error(`${syscall} ${code} /run/.s.PGSQL.5432`), { code, syscall });

test.each<[string, Error, boolean]>([
  ['connection refused', ofSystem('ECONNREFUSED'), true],
  ['no route to the host', ofSystem('EHOSTUNREACH'), true],
  ['no network yet', ofSystem('ENETUNREACH'), true],
  ['a name that does not resolve yet', ofSystem('ENOTFOUND', 'getaddrinfo'), true],
  ['a missing socket', ofSystem('ENOENT'), true],
  ['a missing certificate file', ofSystem('ENOENT', 'open'), false],
  ['an untrusted certificate', ofSystem('DEPTH_ZERO_SELF_SIGNED_CERT', ''), false],
  ['starting up', ofPostgres('57P03'), true],
  ['all connections in use', ofPostgres('53300'), true],
  ['a wrong password', ofPostgres('28P01'), false],
  ['a missing database', ofPostgres('3D000'), false],
  ['a host that is not allowed', ofPostgres('28000'), false],
  [
    'a database migrated by a newer release',
    new Refused('conflict', 'migrated by a newer strandline'),
    false,
  ],
])('%s: whether waiting may help', (_, error, helps) => {
  expect(isUnreachable(error)).toBe(helps);
  // As a program that starts is told of it.
  expect(isUnreachable(new Refused('unavailable', 'cannot be reached', { cause: error }))).toBe(helps);
});

describe('the pauses between connection attempts', () => {
  test('double from a second to half a minute, with random differences between processes', () => {
    const of = (random: number) =>
      [0, 1, 2, 3, 4, 5, 6, 60, 1_100].map((attempt) => computeDbRetryMs(attempt, () => random));
    expect(of(0)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000]);
    expect(of(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
    expect(Math.max(...of(1))).toBeLessThan(MINUTE);
  });
});
