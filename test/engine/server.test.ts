import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../src/platform/postgres/connect.ts';
import { findProcessesBelow } from '../processes.ts';
import { query, readyStage, stage } from './stage.ts';

test('the first start creates a database that accepts only its passwords', async () => {
  const { dataDir, open } = await stage();
  const postgres = await open('owner');
  expect(postgres).toMatchObject({ started: true, adopted: false, notes: [] });

  expect(
    await query(
      postgres.url,
      'SELECT current_user AS name, rolsuper FROM pg_roles WHERE rolname = current_user',
    ),
  ).toEqual([{ name: 'strandline', rolsuper: false }]);
  const wrong = new URL(postgres.url);
  wrong.password = 'wrong';
  await expect(connect(wrong.href, 'test')).rejects.toMatchObject({ code: '28P01' });
  wrong.password = '';
  await expect(connect(wrong.href, 'test')).rejects.toThrow(/password/);

  const hba = await readFile(path.join(postgres.dataDirectory, 'pg_hba.conf'), 'utf8');
  const methods = hba.split('\n').filter((line) => /^\w/.test(line));
  expect(methods.every((line) => line.endsWith('scram-sha-256'))).toBe(true);
  const home = path.join(dataDir, 'postgres');
  expect((await stat(home)).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(home, 'secrets.json'))).mode & 0o777).toBe(0o600);
});

test('listens on loopback only, without a socket in a shared directory', async () => {
  const { open } = await stage();
  const { superuserUrl } = await open('owner');
  expect(
    await query(
      superuserUrl,
      `SELECT current_setting('listen_addresses') AS addresses,
              current_setting('unix_socket_directories') AS sockets,
              current_setting('data_checksums') AS checksums,
              current_setting('synchronous_commit') AS commit, pg_encoding_to_char(encoding) AS encoding,
              datcollate
         FROM pg_database WHERE datname = 'strandline'`,
    ),
  ).toEqual([
    { addresses: '127.0.0.1', sockets: '', checksums: 'on', commit: 'on', encoding: 'UTF8', datcollate: 'C' },
  ]);
});

test('closing stops it, and the next start finds the same data on the same port', async () => {
  const { open, serverPid } = await readyStage();
  const first = await open('owner');
  await query(first.url, 'CREATE TABLE public.kept AS SELECT generate_series(1, 100) AS n');
  await first.close();
  expect(await serverPid()).toBeUndefined();

  const second = await open('owner');
  expect(second).toMatchObject({ started: true, port: first.port, url: first.url, notes: [] });
  expect(await query(second.url, 'SELECT count(*)::int FROM public.kept')).toEqual([{ count: 100 }]);
});

test('when closing is over, none of its processes is left', async () => {
  const { open } = await readyStage();
  for (let i = 0; i < 5; i += 1) {
    const postgres = await open('owner');
    expect(await findProcessesBelow(postgres.dataDirectory)).not.toEqual([]);
    await postgres.close();
    expect((await findProcessesBelow(postgres.dataDirectory)) ?? []).toEqual([]);
  }
});

test('a port in use by another program is replaced permanently, with a note', async () => {
  const { open } = await readyStage();
  const first = await open('owner');
  await first.close();
  const squatter = createServer().listen(first.port, '127.0.0.1');
  await once(squatter, 'listening');
  const second = await open('owner').finally(() => squatter.close());
  expect(second.port).not.toBe(first.port);
  expect(second.notes.join()).toMatch(`The new port is ${second.port}`);
  await second.close();

  const third = await open('owner');
  expect(third).toMatchObject({ port: second.port, notes: [] });
});

test('secrets appear in neither the log nor the settings of the server', async () => {
  const { dataDir, open } = await readyStage();
  const postgres = await open('owner');
  await query(postgres.url, `SELECT 'a secret' FROM missing`).catch(() => {});
  await postgres.close();
  const log = path.join(dataDir, 'postgres', 'log');
  const texts = await Promise.all((await readdir(log)).map((name) => readFile(path.join(log, name), 'utf8')));
  expect(texts.join()).toContain('missing');
  expect(texts.join()).not.toContain('a secret');
  for (const { password } of [new URL(postgres.url), new URL(postgres.superuserUrl)])
    expect(texts.join()).not.toContain(password);
});
