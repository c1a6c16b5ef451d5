/** The worker of the sandbox, in the process of the program of real data. */

import { SECOND } from '../lib/time.ts';
import { hasOwnTopics, hasSearches } from '../store/topics/searches.ts';
import type { RunningWorker } from '../worker/worker.ts';
import type { Program } from './program.ts';

const CHECK_MS = 5 * SECOND;

/**
 * Runs a worker as long as the sandbox has something to do: the sample and the demo until something real is watched, a topic that
 * somebody created there always. At rest, its pages and its history stay.
 * @param start starts a worker of the program
 */
export async function runSandboxWorker(
  real: Program,
  sandbox: Program,
  { everyMs = CHECK_MS }: { everyMs?: number },
  start: (program: Program) => Promise<RunningWorker>,
): Promise<Pick<RunningWorker, 'drain' | 'abort'>> {
  const { log } = sandbox.ctx;
  let worker: RunningWorker | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** At rest the connection is closed, so that no backend of Postgres stays with its memory. */
  async function hasOwn(): Promise<boolean> {
    const client = await sandbox.ctx.db.pool.connect();
    try {
      return await hasOwnTopics(client);
    } finally {
      client.release(worker === undefined);
    }
  }

  async function check(): Promise<void> {
    const rests = (await hasSearches(real.ctx.db.pool)) && !(await hasOwn());
    if (isClosed || rests === (worker === undefined)) return;
    if (rests) {
      await worker?.drain();
      worker = undefined;
      log.info('sandbox at rest: real topics are watched');
    } else worker = await start(sandbox);
  }

  async function checkRepeatedly(): Promise<void> {
    try {
      await check();
    } catch (error) {
      // A database that is away; the next check follows.
      log.debug({ err: error }, 'sandbox not checked');
    }
    if (isClosed) return;
    timer = setTimeout(() => {
      checking = checkRepeatedly();
    }, everyMs);
    timer.unref();
  }

  let checking = checkRepeatedly();
  await checking;
  return {
    abort: () => worker?.abort(),
    drain: async () => {
      isClosed = true;
      clearTimeout(timer);
      await checking;
      await worker?.drain();
    },
  };
}
