import { readFile, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../errors.ts';
import { monotonicMs } from '../clock.ts';
import type { Binaries } from './binaries.ts';
import type { Home } from './home.ts';
import { choosePort, isFree } from './port.ts';
import { findRunning, removeStalePidFile } from './process.ts';
import { runProgram } from './program.ts';
import { type Settings, writeSettings } from './settings.ts';

/** Recovery after a crash can take long; a start that has not ended by then has failed. */
const START_SECONDS = 300;
/** A shutdown writes a checkpoint first. */
const STOP_MS = 120_000;
const START_LOG_BYTES = 1_000_000;
const ATTEMPTS = 5;

/**
 * Starts the server. Of several who start it at once Postgres lets one through (by its pid file) and the
 * others find that one running.
 * @returns undefined where somebody else started it meanwhile
 * @throws Refused with Postgres' own words
 */
export async function startServer(
  home: Home,
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
    // The port may have been taken between our look and the server's, and processes of a killed server
    // need a moment to go; anything else is Postgres' last word.
    const said = (await readFile(home.startLog, 'utf8').catch(() => '')).slice(before);
    const passing = !(await isFree(chosen.port)) || /shared memory block|postmaster\.pid/.test(said);
    if (!passing || attempt === ATTEMPTS) {
      const why =
        said.split('\n').findLast((line) => line.includes('FATAL:')) ?? said.trim().split('\n').at(-1);
      throw new Refused('unavailable', `Postgres did not start: ${why ?? ''} (more in ${home.startLog})`);
    }
    await sleep(500);
  }
}

/**
 * Stops the server: sessions are ended, what was committed is safe. It may have stopped already. The
 * waiting is ours: pg_ctl would also wait for the end of a server that somebody starts in the meantime.
 */
export async function stopServer(home: Home, binaries: Binaries): Promise<void> {
  const running = await findRunning(home);
  if (running === undefined) return;
  const { output } = await runProgram(
    path.join(binaries.directory, 'pg_ctl'),
    ['stop', '--silent', '--no-wait', '--mode=fast', `--pgdata=${home.data}`],
    { account: home.account },
  );
  const deadline = monotonicMs() + STOP_MS;
  while ((await findRunning(home))?.pid === running.pid) {
    if (monotonicMs() > deadline)
      throw new Refused('unavailable', `Postgres (process ${running.pid}) does not stop. ${output}`.trim());
    await sleep(20);
  }
}

/** Size of the start log in bytes, after making it short where many starts made it long. */
async function startLogSize(home: Home): Promise<number> {
  const size = await stat(home.startLog).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= START_LOG_BYTES) return size;
  await truncate(home.startLog, 0);
  return 0;
}
