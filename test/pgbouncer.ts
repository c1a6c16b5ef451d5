/** pgbouncer in front of the Postgres of the tests, with the settings that it ships with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './redis.ts';
import { makeDirectory } from './temporary.ts';

export type PoolMode = 'session' | 'transaction' | 'statement';

export type Pooler = Readonly<{
  /** The same database and role, through the pooler. */
  through(url: string): string;
  close(): Promise<void>;
}>;

/** Whether pgbouncer is on the PATH; required where `STRANDLINE_REQUIRE` names it. */
export async function hasPgbouncer(): Promise<boolean> {
  const child = spawn('pgbouncer', ['--version'], { stdio: 'ignore' });
  const found = await Promise.race([
    once(child, 'error').then(() => false),
    once(child, 'exit').then(() => true),
  ]);
  if (!found && process.env['STRANDLINE_REQUIRE']?.split(',').includes('pgbouncer') === true)
    throw new Error('STRANDLINE_REQUIRE=pgbouncer, but pgbouncer was not found');
  return found;
}

/**
 * Starts a pgbouncer on a free port of the loopback. As root, it runs as `nobody`: it refuses root.
 * @param urls of the roles that log in, all at one server
 * @param settings on top of what pgbouncer ships with
 */
export async function startPgbouncer(
  urls: readonly string[],
  settings: Readonly<Record<string, string>> & { pool_mode: PoolMode },
): Promise<Pooler> {
  const [server] = urls.map((url) => new URL(url));
  if (server === undefined) throw new Error('a pooler needs a role');
  const directory = await makeDirectory();
  const port = await freePort();
  const users = urls.map((url) => {
    const { username, password } = new URL(url);
    return `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"`;
  });
  await writeFile(path.join(directory, 'users.txt'), `${[...new Set(users)].join('\n')}\n`);
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: path.join(directory, 'users.txt'),
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const file = path.join(directory, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\n* = host=${server.hostname} port=${server.port}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  const root = process.getuid?.() === 0;
  const child = spawn('pgbouncer', [...(root ? ['-u', 'nobody'] : []), file], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await writeFile(path.join(directory, 'pgbouncer.pid'), String(child.pid));
  await listening(child);
  return {
    through: (url) => {
      const pooled = new URL(url);
      pooled.hostname = '127.0.0.1';
      pooled.port = String(port);
      return pooled.href;
    },
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves once it takes connections. @throws what it logged, if it ends before */
async function listening(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('its log is not read');
  const log: string[] = [];
  const lines = createInterface(child.stderr);
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line);
      if (line.includes('process up')) resolve();
    });
    child.once('exit', () => reject(new Error(log.join('\n'))));
  });
}
