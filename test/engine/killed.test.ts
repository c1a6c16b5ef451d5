import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createLogger } from '../../src/platform/logger.ts';
import { query, readyStage, spawnProcess, stage } from './stage.ts';

test('a killed owner leaves the server running, and the next owner adopts it', async () => {
  const { open, openElsewhere, serverPid } = await readyStage();
  const first = await openElsewhere('owner');
  await query(first.url, 'CREATE TABLE public.kept AS SELECT generate_series(1, 100) AS n');
  const server = await serverPid();
  first.child.kill('SIGKILL');
  await first.exited;
  expect(await serverPid()).toBe(server);

  const second = await open('owner');
  expect(second).toMatchObject({ adopted: true, started: false, url: first.url });
  expect(await query(second.url, 'SELECT count(*)::int FROM public.kept')).toEqual([{ count: 100 }]);
  await second.close();
  expect(await serverPid()).toBeUndefined();
});

test('Ctrl-C reaches the program but not the server', async () => {
  const { openElsewhere, serverPid } = await readyStage();
  const program = await openElsewhere('owner');
  process.kill(-program.pid, 'SIGINT');
  await program.exited;
  expect(program.child.signalCode).toBe('SIGINT');
  expect(await serverPid()).toBeDefined();
  expect(await query(program.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('after owner and server are killed together, the next start recovers every committed row', async () => {
  const { open, openElsewhere, serverPid } = await readyStage();
  const first = await openElsewhere('owner');
  await query(first.url, 'CREATE TABLE public.runs AS SELECT generate_series(1, 10000) AS id');
  first.child.kill('SIGKILL');
  process.kill((await serverPid()) ?? 0, 'SIGKILL');
  await first.exited;

  const second = await open('owner');
  expect(second.started).toBe(true);
  expect(await query(second.url, 'SELECT count(*)::int, max(id) FROM public.runs')).toEqual([
    { count: 10_000, max: 10_000 },
  ]);
});

test('a server killed under its owner restarts on the same port', async () => {
  const { open, serverPid } = await readyStage();
  const lines = new EventEmitter();
  const log = createLogger('info', [], { write: (line) => lines.emit(JSON.parse(line).msg) });
  const owner = await open('owner', { log });
  process.kill((await serverPid()) ?? 0, 'SIGKILL');
  await once(lines, 'embedded Postgres restarted');
  expect(await query(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await owner.close();
  expect(await serverPid()).toBeUndefined();
});

test('a process killed while it creates the database does not block the next', async () => {
  const { dataDir, open } = await stage();
  await mkdir(dataDir, { mode: 0o711 });
  const watcher = watch(dataDir);
  const child = spawnProcess(dataDir, 'owner');
  const exited = once(child, 'exit');
  await once(watcher, 'change');
  child.kill('SIGKILL');
  await exited;
  watcher.close();
  expect((await readdir(dataDir)).some((name) => name.startsWith('postgres.new-'))).toBe(true);

  const postgres = await open('owner');
  expect(postgres.started).toBe(true);
  expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.new-'))).toEqual([]);
});
