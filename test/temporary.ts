import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from '../src/platform/postgres/server.ts';

const PREFIX = 'strandline-test-';

/** Where a server in such a folder notes its process: those of the whole run, and of engine/stage.ts. */
const PID_FILES = ['home/postgres/data/postmaster.pid', 'data/postgres/data/postmaster.pid', 'redis.pid'];

/** A folder for the servers and files of tests, named after this process. */
export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), `${PREFIX}${process.pid}-`));
  await chmod(directory, 0o755); // As root, Postgres runs as somebody else, who must get in.
  return directory;
}

/** Ends the servers of test runs that were killed, and removes their folders. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const maker = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (!name.startsWith(PREFIX) || isAlive(maker)) continue;
    const directory = path.join(tmpdir(), name);
    for (const file of PID_FILES) await endServer(directory, path.join(directory, file));
    await rm(directory, { recursive: true, force: true });
  }
}

/** At once, by its number, and only if that process does work in the abandoned folder. */
async function endServer(directory: string, pidFile: string): Promise<void> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  const works = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  if (works === directory || works.startsWith(directory + path.sep)) process.kill(pid, 'SIGQUIT');
}
