import { chmod, mkdtemp, readdir, readFile, readlink, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from '../src/platform/postgres/pid-file.ts';

const PREFIX = 'strandline-test-';

/** Where a server in such a folder notes its process: those of the whole run, and of engine/stage.ts. */
const PID_FILES = [
  'home/postgres/data/postmaster.pid',
  'data/postgres/data/postmaster.pid',
  'redis.pid',
  'pgbouncer.pid',
];

/** Linux keeps what is here in memory. */
const MEMORY = '/dev/shm';
/** Far more than the databases of a whole run take. */
const MIN_MEMORY_BYTES = 8 * 1024 ** 3;

/**
 * A folder for the servers and files of tests, named after this process. Without a `place` it is in memory if there is
 * enough of it: databases are many files, made, copied and removed, which takes several times as much of a processor on a
 * disk.
 */
export async function makeDirectory(place?: string): Promise<string> {
  const directory = await mkdtemp(path.join(place ?? (await findPlace()), `${PREFIX}${process.pid}-`));
  await chmod(directory, 0o755); // As root, Postgres runs as somebody else, who must get in.
  return directory;
}

async function findPlace(): Promise<string> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => Math.min(bavail * bsize, freemem()),
    () => 0, // no such place on this system
  );
  if (free < MIN_MEMORY_BYTES) return tmpdir();
  // Copies of Postgres and of the program are started where they are.
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  const options = mounts.findLast(([, at]) => at === MEMORY)?.[3] ?? '';
  return options.split(',').includes('noexec') ? tmpdir() : MEMORY;
}

/** Ends the servers of test runs that were killed, and removes their folders. */
export async function removeAbandoned(): Promise<void> {
  const found = await Promise.all(
    [tmpdir(), MEMORY].map(async (place) =>
      (await readdir(place).catch(() => [])).map((name) => path.join(place, name)),
    ),
  );
  for (const directory of found.flat()) {
    const maker = new RegExp(`^${PREFIX}(\\d+)-`).exec(path.basename(directory))?.[1];
    if (maker === undefined || isAlive(Number(maker))) continue;
    for (const file of PID_FILES) await endServer(directory, path.join(directory, file));
    // A server that was just ended may still remove files of its own.
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** At once, by its number, and only if that process does work in the abandoned folder. */
async function endServer(directory: string, pidFile: string): Promise<void> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  const works = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  if (works === directory || works.startsWith(directory + path.sep)) process.kill(pid, 'SIGQUIT');
}
