import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { query, readyStage, type Stage, stage } from './stage.ts';

/** Lines of a pid file, as a killed server left them. @param first who opened it; otherwise it is started */
async function killServer(
  { open, serverPid, dataDir }: Stage,
  first?: EmbeddedPostgres,
): Promise<{ file: string; lines: string[] }> {
  const running = first ?? (await open('guest'));
  const file = path.join(running.dataDirectory, 'postmaster.pid');
  const text = await readFile(file, 'utf8');
  process.kill((await serverPid()) ?? 0, 'SIGKILL');
  await running.close();
  expect(file).toContain(dataDir);
  return { file, lines: text.split('\n') };
}

function runUntilEnd(command: string, more: { uid?: number; gid?: number; cwd?: string } = {}): number {
  const child: ChildProcess = spawn(command, ['600'], { stdio: 'ignore', ...more });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

type Left = { lines: string[]; data: string };
const withPid =
  (choose: (left: Left) => number | string) =>
  (left: Left): string =>
    [String(choose(left)), ...left.lines.slice(1)].join('\n');

const LEFT: Record<string, (left: Left) => string> = {
  'the pid of the first process': withPid(() => 1),
  'our own pid': withPid(() => process.pid),
  'the pid of a child of ours': withPid(() => runUntilEnd('sleep')),
  'the pid of a process that works in the data directory': withPid(({ data }) =>
    runUntilEnd('sleep', { cwd: data }),
  ),
  'the pid of a single-user server': withPid(() => -process.pid),
  'a pid that no process can have': withPid(() => 2 ** 30),
  'a number that is no pid': withPid(() => '99999999999999999999'),
  'pid 0': withPid(() => 0),
  'no content': () => '',
  'a line break': () => '\n',
  'only a pid': () => String(process.pid),
  'half a pid file': ({ lines }) => [process.pid, ...lines.slice(1)].join('\n').slice(0, 20),
  'something else': () => 'not a pid file\nat all\n',
  'binary zeros': () => '\0'.repeat(512),
  'a pid and words': withPid(({ lines }) => `${lines[0]} of another machine`),
  'Windows line ends': ({ lines }) => [process.pid, ...lines.slice(1)].join('\r\n'),
  'a port that is none': ({ lines }) => [process.pid, lines[1], lines[2], 'x', ...lines.slice(4)].join('\n'),
  'port 0': ({ lines }) => [process.pid, lines[1], lines[2], '0', ...lines.slice(4)].join('\n'),
  'another data directory': ({ lines }) => [process.pid, '/nowhere', ...lines.slice(2)].join('\n'),
  'a byte order mark': ({ lines }) => `\ufeff${[process.pid, ...lines.slice(1)].join('\n')}`,
  'a megabyte': () => '1'.repeat(1_000_000),
};
if (process.getuid?.() === 0)
  LEFT['the pid of a process of another user'] = withPid(() =>
    runUntilEnd('sleep', { uid: 4321, gid: 4321 }),
  );

test('a stale pid file does not prevent a start, whatever it contains', async () => {
  const place = await readyStage();
  // Each start follows the one before, whose server was killed.
  let running: EmbeddedPostgres | undefined;
  for (const [content, write] of Object.entries(LEFT)) {
    const { file, lines } = await killServer(place, running);
    await writeFile(file, write({ lines, data: path.dirname(file) }), { mode: 0o600 });
    running = await place.open('owner').catch((error: unknown) => {
      throw new Error(`a pid file with ${content}: ${String(error)}`);
    });
    expect(running, content).toMatchObject({ started: true, port: Number(lines[3]) });
    expect(await query(running.url, 'SELECT 1 AS one'), content).toEqual([{ one: 1 }]);
  }
});

test('a stale pid file that names a server of another directory, which has the port, does not prevent a start', async () => {
  const place = await readyStage();
  const other = await readyStage();
  const { file, lines } = await killServer(place);
  const running = await other.open('owner');
  const left = [...lines];
  left[0] = String(await other.serverPid());
  left[3] = String(running.port);
  await writeFile(file, left.join('\n'), { mode: 0o600 });
  const again = await place.open('owner');
  expect(again.started).toBe(true);
  expect(await query(running.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a stale pid file whose port another program uses does not prevent a start', async () => {
  const place = await readyStage();
  const { file, lines } = await killServer(place);
  const squatter = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  squatter.listen(Number(lines[3]), '127.0.0.1');
  await once(squatter, 'listening');
  onTestFinished(() => void squatter.close());
  await writeFile(file, [process.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 });
  const again = await place.open('owner');
  expect(again.started).toBe(true);
  expect(again.port).not.toBe(Number(lines[3]));
});

test('a running server whose pid file was cut is adopted', async () => {
  const place = await stage();
  const first = await place.open('owner');
  const file = path.join(first.dataDirectory, 'postmaster.pid');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.slice(0, text.indexOf('\n') + 1));
  const second = await place.open('guest');
  expect(second).toMatchObject({ adopted: true, port: first.port });
  await writeFile(file, text);
});
