/** The server of the embedded Postgres: start and stop, its settings, its process and its port. */

import { Refused } from '../../model/errors.ts';
import { monotonicMs } from '../clock.ts';
import { runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type DataDirectory, giveTo, readKeptPort } from './data-directory.ts';
import {
  findRunning,
  listChildren,
  listProcessesIn,
  readPidFile,
  removeRefusedPidFile,
  removeStalePidFile,
} from './pid-file.ts';
import { randomInt } from 'node:crypto';
import { readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Crash recovery can take minutes. */
const START_SECONDS = 300;
/** Shutdown writes a checkpoint first. */
const STOP_TIMEOUT_MS = 120_000;
const MAX_START_LOG_BYTES = 1_000_000;
const MAX_START_ATTEMPTS = 5;

/**
 * Starts the server. If several processes try at once, Postgres admits one (by its pid file), and the others use it.
 * @param options.refuted text of a pid file whose port turned out to be that of another program
 * @returns undefined if another process started it in the meantime
 * @throws Refused with the message of Postgres
 */
export async function startServer(
  home: DataDirectory,
  binaries: Binaries,
  {
    settings,
    refuted,
    onStarting,
  }: { settings: Settings | undefined; refuted: string | undefined; onStarting: (() => void) | undefined },
): Promise<{ port: number; moved: boolean } | undefined> {
  await writeSettings(home, settings);
  await removeStalePidFile(home);
  let refusedBy: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const chosen = await choosePort(home);
    const before = await startLogSize(home);
    const { code, output } = await runProgram(
      path.join(binaries.directory, 'pg_ctl'),
      [
        'start',
        '--silent',
        '--wait',
        `--timeout=${START_SECONDS}`,
        `--pgdata=${home.data}`,
        `--log=${home.startLog}`,
        `--options=-p ${chosen.port}`,
      ],
      { account: home.account, onStarted: onStarting },
    );
    if (code === 0) return chosen;
    if ((await findRunning(home, refuted)) !== undefined) return undefined;
    // Retry if the port was taken after our check, or if processes of a killed server are still exiting. Any other failure
    // is final.
    const logged = (await readFile(home.startLog, 'utf8').catch(() => '')).slice(before);
    const said = `${output}\n${logged}`.trim();
    const byPidFile = said.includes('postmaster.pid');
    const passing = !(await isFree(chosen.port)) || /shared memory block/.test(said) || byPidFile;
    if (!passing || attempt === MAX_START_ATTEMPTS)
      throw new Refused('unavailable', describeStartFailure(home, said, byPidFile));
    await sleep(500);
    // A file that stays, while nothing listens on its port, is left over.
    if (byPidFile && refusedBy !== undefined) await removeRefusedPidFile(home, refusedBy);
    if (byPidFile) refusedBy = (await readPidFile(home))?.text;
  }
}

/**
 * Stops the server and ends its sessions. Waits here instead of in pg_ctl, which would also wait for a server that another
 * process starts in the meantime.
 */
export async function stopServer(home: DataDirectory, binaries: Binaries): Promise<void> {
  const running = await findRunning(home);
  if (running === undefined) return;
  const processes = await listChildren(home, running.pid);
  const { output } = await runProgram(
    path.join(binaries.directory, 'pg_ctl'),
    ['stop', '--silent', '--no-wait', '--mode=fast', `--pgdata=${home.data}`],
    { account: home.account },
  );
  const deadline = monotonicMs() + STOP_TIMEOUT_MS;
  // Its pid file goes before the last of its processes.
  const isStopping = async () =>
    (await findRunning(home))?.pid === running.pid ||
    (await listProcessesIn(home)).some((pid) => pid === running.pid || processes.includes(pid));
  while (await isStopping()) {
    if (monotonicMs() > deadline)
      throw new Refused(
        'unavailable',
        `Postgres (process ${running.pid}) did not stop within ${STOP_TIMEOUT_MS / 1_000} s. ${output}`.trim(),
      );
    await sleep(20);
  }
}

function describeStartFailure(home: DataDirectory, said: string, byPidFile: boolean): string {
  const lines = said.split('\n');
  const why = lines.findLast((line) => line.includes('FATAL:')) ?? lines.at(-1) ?? '';
  const next = byPidFile
    ? `; if no Postgres uses ${home.data}, delete ${path.join(home.data, 'postmaster.pid')} and start again`
    : '';
  return `Postgres did not start: ${why} (log: ${home.startLog})${next}`;
}

/** Size of the start log in bytes. Truncates it if it is too long. */
async function startLogSize(home: DataDirectory): Promise<number> {
  const size = (await stat(home.startLog).catch(() => undefined))?.size ?? 0;
  if (size <= MAX_START_LOG_BYTES) return size;
  await truncate(home.startLog, 0);
  return 0;
}

/** Settings of postgresql.conf to override, such as fsync in tests. */
export type Settings = Readonly<Record<string, string>>;

/**
 * Loopback only and no shared socket: only processes that can read the password file can connect. The log contains no
 * statements or values, which may be secret.
 */
const DEFAULT_SETTINGS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  max_connections: '100',
  shared_buffers: '128MB',
  synchronous_commit: 'on',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Ends statements of killed clients within this time, even while they run.
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '10s' }),
  // One file per weekday, overwritten after a week.
  logging_collector: 'on',
  log_directory: '../log',
  log_filename: 'postgres-%a.log',
  log_truncate_on_rotation: 'on',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_line_prefix: '%m [%p] %a ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
};

/** Reading by three more processes gains nothing on data of this size. Older servers refuse the name. */
const SETTINGS_SINCE_18: Settings = { io_method: 'sync' };

const SETTINGS_FILE = 'strandline.conf';

/** Writes our settings to a file that postgresql.conf includes last, so that they take precedence. */
async function writeSettings(home: DataDirectory, changed: Settings = {}): Promise<void> {
  const version = Number(await readFile(path.join(home.data, 'PG_VERSION'), 'utf8'));
  const ofVersion = version >= 18 ? SETTINGS_SINCE_18 : {};
  const lines = Object.entries({ ...DEFAULT_SETTINGS, ...ofVersion, ...changed }).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`,
  );
  const text = ['# Written by strandline at every start. Do not edit: changes are lost.', ...lines, ''].join(
    '\n',
  );
  const file = path.join(home.data, SETTINGS_FILE);
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, text, { mode: 0o600 });
  await giveTo(home.account, partial);
  await rename(partial, file);
}

/** The line of postgresql.conf that includes our settings. */
export const INCLUDE = `\ninclude_if_exists = '${SETTINGS_FILE}'\n`;

// Below the ephemeral port range, so that a saved port stays free.
const MIN_PORT = 20_000;
const MAX_PORT = 32_000;

/** The saved port if it is free, else another free one. */
async function choosePort(home: DataDirectory): Promise<{ port: number; moved: boolean }> {
  const kept = await readKeptPort(home);
  if (kept !== undefined && (await isFree(kept))) return { port: kept, moved: false };
  for (;;) {
    const port = randomInt(MIN_PORT, MAX_PORT);
    if (await isFree(port)) return { port, moved: kept !== undefined };
  }
}

export async function keepPort(home: DataDirectory, port: number): Promise<void> {
  if ((await readKeptPort(home)) === port) return;
  await writeFile(home.port, `${port}\n`, { mode: 0o600 });
  await giveTo(home.account, home.port);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
