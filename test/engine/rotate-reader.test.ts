/** The password of the reader of the embedded Postgres is rotated while other processes run or die. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readErrorCode } from '../../src/model/errors.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { query, readyStage } from './stage.ts';

const enters = async (url: string) =>
  (await connect(url, 'test').then(
    (client) => client.end().then(() => 'in'),
    (error: unknown) => readErrorCode(error),
  )) ?? 'broken';

test('after a rotation every process uses the new password, the old one is rejected, and its sessions end', async () => {
  const { dataDir, open } = await readyStage();
  const running = await open('owner');
  const guest = await open('guest');
  const former = running.readerUrl;
  const session = await connect(former, 'test');

  const rotated = await guest.rotateReader();
  expect(rotated).not.toBe(former);
  expect([running.readerUrl, guest.readerUrl]).toEqual([rotated, rotated]);
  expect([await enters(former), await enters(rotated)]).toEqual(['28P01', 'in']);
  await expect(session.query('SELECT 1')).rejects.toThrow();
  const file = path.join(dataDir, 'postgres', 'secrets.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await enters((await open('guest')).readerUrl), 'the next start does not undo it').toBe('in');
});

test('two concurrent rotations leave one working password', async () => {
  const { open } = await readyStage();
  const [first, second] = [await open('owner'), await open('guest')];
  const rotated = await Promise.all([first.rotateReader(), second.rotateReader()]);
  expect(rotated).toContain(first.readerUrl);
  expect(await enters(first.readerUrl)).toBe('in');
});

test('the next command completes a rotation killed between writing the file and altering the role', async () => {
  const { dataDir, open } = await readyStage();
  const running = await open('owner');
  const file = path.join(dataDir, 'postgres', 'secrets.json');
  const secrets = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  await writeFile(file, JSON.stringify({ ...secrets, reader: 'written-and-not-set' }));
  expect(await enters(running.readerUrl)).toBe('28P01');
  await open('guest');
  expect(await enters(running.readerUrl)).toBe('in');
  expect(running.readerUrl).toContain('written-and-not-set');
  expect(await query(running.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});
