/** The server of the embedded Postgres: start and stop, its settings, its process and its port. */

import { readErrorCode, Refused } from '../../domain/errors.ts';
import { monotonicMs } from '../clock.ts';
import { runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import { type DataDirectory, giveTo } from './data-directory.ts';
import { randomInt } from 'node:crypto';
import {
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
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
 * @returns undefined if another process started it in the meantime
 * @throws Refused with the message of Postgres
 */
export async function startServer(
  home: DataDirectory,
  binaries: Binaries,
  settings: Settings | undefined,
): Promise<{ port: number; moved: boolean } | undefined> {
  await writeSettings(home, settings);
  await removeStalePidFile(home);
  for (let attempt = 1; ; attempt += 1) {
    const chosen = await choosePort(home);
    const before = await startLogSize(home);
    const { code } = await runProgram(
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
      { account: home.account },
    );
    if (code === 0) return chosen;
    if ((await findRunning(home)) !== undefined) return undefined;
    // Retry if the port was taken after our check, or if processes of a killed server are still exiting. Any other failure
    // is final.
    const said = (await readFile(home.startLog, 'utf8').catch(() => '')).slice(before);
    const passing = !(await isFree(chosen.port)) || /shared memory block|postmaster\.pid/.test(said);
    if (!passing || attempt === MAX_START_ATTEMPTS) {
      const why =
        said.split('\n').findLast((line) => line.includes('FATAL:')) ?? said.trim().split('\n').at(-1);
      throw new Refused('unavailable', `Postgres did not start: ${why ?? ''} (log: ${home.startLog})`);
    }
    await sleep(500);
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

const SETTINGS_FILE = 'strandline.conf';

/** Writes our settings to a file that postgresql.conf includes last, so that they take precedence. */
async function writeSettings(home: DataDirectory, changed: Settings = {}): Promise<void> {
  const lines = Object.entries({ ...DEFAULT_SETTINGS, ...changed }).map(
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

/** Contents of `postmaster.pid`. */
export type Running = Readonly<{ pid: number; port: number }>;

/** Whether a process with this pid exists, under any user. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return readErrorCode(error) === 'EPERM';
  }
}

/**
 * The running server of this data directory, if any. After a crash and a reboot, the pid in `postmaster.pid` may belong to
 * another process. Where the system reports it, the current directory of the process must be our data directory.
 */
export async function findRunning(home: DataDirectory): Promise<Running | undefined> {
  const lines = await readPidFile(home);
  const pid = Number(lines?.[0]);
  const port = Number(lines?.[3]);
  if (lines === undefined || !isOurs(pid)) return undefined;
  const directory = await readCurrentDirectory(pid);
  if (directory !== undefined && directory !== (await realpath(home.data))) return undefined;
  return Number.isSafeInteger(port) && port > 0 ? { pid, port } : undefined;
}

/**
 * Postgres refuses to start if the pid in its pid file now belongs to another process of the same user. Removes such a file
 * if no process has the data directory as its current directory. (If that check were wrong, the shared memory of Postgres,
 * which is tied to the directory, would still prevent a second server.)
 */
async function removeStalePidFile(home: DataDirectory): Promise<void> {
  const before = await readPidFile(home);
  if (before === undefined || !isAlive(Number(before[0])) || process.platform !== 'linux') return;
  if ((await listProcessesIn(home)).length > 0) return;
  const now = await readPidFile(home);
  if (now?.join('\n') === before.join('\n')) await rm(path.join(home.data, 'postmaster.pid'));
}

/** Processes whose current directory is the data directory, as it is of a server and its children; none if not on Linux. */
async function listProcessesIn(home: DataDirectory): Promise<number[]> {
  const data = await realpath(home.data).catch(() => undefined); // removed meanwhile
  if (process.platform !== 'linux' || data === undefined) return [];
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const directories = await Promise.all(all.map((pid) => readCurrentDirectory(pid)));
  return all.filter((_, i) => directories[i] === data);
}

/** Processes that a server of this data directory started; none if not on Linux. */
async function listChildren(home: DataDirectory, parent: number): Promise<number[]> {
  const all = await listProcessesIn(home);
  const states = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // `pid (name) state parent …`; the name may contain anything.
  const parents = states.map((state) => Number(state.slice(state.lastIndexOf(')')).split(' ')[2]));
  return all.filter((_, i) => parents[i] === parent);
}

/** Whether we may signal this process. True for our server, whether we run as root or as its user. */
function isOurs(pid: number): boolean {
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function readPidFile(home: DataDirectory): Promise<string[] | undefined> {
  const text = await readFile(path.join(home.data, 'postmaster.pid'), 'utf8').catch(() => undefined);
  return text?.split('\n').map((line) => line.trim());
}

/** Undefined if the system does not report it. */
function readCurrentDirectory(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}

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

async function readKeptPort(home: DataDirectory): Promise<number | undefined> {
  const port = Number((await readFile(home.port, 'utf8').catch(() => '')).trim());
  return Number.isSafeInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
