/**
 * Statements of visitors, run by a process of its own. Whatever Postgres sends for them is counted, parsed and rendered
 * there, so that no statement holds up or ends this one; what comes back is a finished result.
 */
import { MINUTE, monotonicMs, SECOND } from '../../engine/clock.ts';
import { Refused } from '../../errors.ts';
import { LONGEST_MS } from './ask.ts';
import {
  type Finished,
  type ProcessOptions,
  type ReaderProcess,
  RELEASED,
  startProcess,
  type VisitorStatement,
} from './process.ts';

export type ReaderHost = {
  /**
   * Runs one statement; settles once Postgres has ended it.
   * @throws Refused `conflict` with words about the statement, `unavailable` with the reason; an error of the database
   */
  ask(statement: VisitorStatement): Promise<Finished>;
  /** Ends the process and whatever it runs. */
  close(): Promise<void>;
};

/** Beyond the time of a statement: connecting takes up to ten seconds, and others are rendered meanwhile. */
const SILENT_MS = LONGEST_MS + 15 * SECOND;
const IDLE_MS = 5 * MINUTE;
const RESTART_MS = SECOND;

/**
 * Starts nothing yet: the process comes with a statement, at most once a second, and goes where none comes for minutes.
 * @param limits others in tests, in milliseconds
 */
export function openReaderHost(
  options: ProcessOptions,
  limits: { silentMs?: number; idleMs?: number; restartMs?: number } = {},
): ReaderHost {
  const { silentMs = SILENT_MS, idleMs = IDLE_MS, restartMs = RESTART_MS } = limits;
  let current: ReaderProcess | undefined;
  let startedAt = -Infinity;
  let ended = '';
  let pending = 0;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): ReaderProcess {
    if (closed) throw new Refused('unavailable', RELEASED);
    if (monotonicMs() - startedAt < restartMs)
      throw new Refused('unavailable', `${ended}; try again in a second`);
    startedAt = monotonicMs();
    const started = startProcess(options);
    void forget(started);
    return started;
  }

  async function forget(started: ReaderProcess): Promise<void> {
    ended = await started.over;
    if (current === started) current = undefined;
  }

  return {
    ask: async (statement) => {
      clearTimeout(idle);
      const running = (current ??= start());
      const silent = setTimeout(
        () => running.kill(`the statement did not end in ${silentMs / SECOND} s, and its process was ended`),
        silentMs,
      ).unref();
      pending += 1;
      try {
        return await running.ask(statement);
      } finally {
        clearTimeout(silent);
        pending -= 1;
        if (pending === 0)
          idle = setTimeout(() => {
            current?.release();
            current = undefined;
          }, idleMs).unref();
      }
    },
    close: async () => {
      closed = true;
      clearTimeout(idle);
      current?.kill(RELEASED);
      await current?.over;
    },
  };
}
