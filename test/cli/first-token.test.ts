/** `up --create-token`: an address that others can reach is served from the first start on, and its token is shown once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../processes.ts';
import { programOf } from '../programs.ts';
import { copyReady } from '../ready-postgres.ts';
import { makeDirectory } from '../temporary.ts';

let directory: string;
let server: ChildProcess | undefined;

beforeAll(async () => {
  directory = await makeDirectory();
  await copyReady(path.join(directory, 'data'));
});
afterAll(async () => {
  await stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

/** @returns what it printed, once it is ready or has ended */
async function start(...options: string[]): Promise<string> {
  let printed = '';
  const child = spawn(process.execPath, [programOf('src/main.ts'), 'up', ...options], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      STRANDLINE_DATA_DIR: 'data',
      SERVICE_SOURCES: 'sandbox',
      HOST: '0.0.0.0',
      PORT: '0',
      SERVICE_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server = child;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until('it is ready, or has ended', () =>
    Promise.resolve(/Nothing is watched yet/.test(printed) || child.exitCode !== null),
  );
  return printed;
}

async function stop(): Promise<void> {
  if (server?.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
}

test('a public address is refused without a token, and with the option has one of each database, shown at one start only', async () => {
  expect(await start()).toContain('no token exists');
  expect(server?.exitCode).toBe(1);

  const printed = await start('--create-token');
  const keys = printed.match(/\bst_\w+/g) ?? [];
  expect(new Set(keys).size).toBe(2);
  const [, address = ''] = /dashboard +(http\S+)/.exec(printed) ?? [];
  const [real, sandbox] = keys.map((key) => ({ authorization: `Bearer ${key}` }));
  const ask = async (at: string, headers = {}) =>
    (await fetch(`${address}${at}/api/v1/tokens`, { headers })).status;
  expect([await ask('', real), await ask('', sandbox), await ask('')]).toEqual([200, 401, 401]);
  expect([await ask('/sandbox', sandbox), await ask('/sandbox', real)]).toEqual([200, 401]);
  await stop();

  expect(await start('--create-token')).not.toMatch(/\bst_/);
});
