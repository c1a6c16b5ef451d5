/** The finished fortnight of the sample: a process of its own makes it at the first start, and ends. */
import path from 'node:path';
import { connectionEnvironment } from '../config/config.ts';
import { MINUTE } from '../lib/time.ts';
import { SAMPLE_PAST } from '../monitor/topics/save-topic.ts';
import { type ChildKind, openChildHost } from '../platform/child-host.ts';
import { findFact } from '../store/db/facts.ts';
import type { Program } from './program.ts';

const SAMPLE_PROCESS: ChildKind = {
  name: 'the process of the sample',
  work: 'the past of the sample',
  endedEvent: 'sample process ended',
  advice: 'the next start makes it again',
  maxHeapMb: 96,
  maxReplyBytes: 0,
  maxReplyMs: 5 * MINUTE,
};

/** Entry file: TypeScript when running from source, JavaScript when built. */
const PROGRAM = new URL(`./sample-process${path.extname(import.meta.url)}`, import.meta.url);

/** What the process gets, through its pipe: arguments and environment are visible to other processes. */
export type SampleOrder = { url: string; dataDir: string; to: string };

/** The reply of the process: null, or what went wrong. */
export type SampleEnding = { failed: string | null };

export type SamplePast = {
  /** Resolves when nothing is pending, or it failed, which is logged. */
  ended: Promise<void>;
  /** Ends the process; the next start makes the past again. */
  close(): Promise<void>;
};

/** Makes the past of the sample if it is pending, in the background. What fails is logged, and made again at the next start. */
export function startSamplePast({ ctx, databaseUrl }: Pick<Program, 'ctx' | 'databaseUrl'>): SamplePast {
  const { log, config, clock, db } = ctx;
  const host = openChildHost(SAMPLE_PROCESS, { program: PROGRAM, env: connectionEnvironment(), log });
  const closing = new AbortController();

  async function make(): Promise<void> {
    if ((await findFact(db.pool, SAMPLE_PAST)) === undefined || closing.signal.aborted) return;
    const order: SampleOrder = {
      url: databaseUrl,
      dataDir: config.dataDir,
      to: clock.now().toISOString(),
    };
    const { ending } = await host.ask({ order, signal: closing.signal });
    const { failed } = ending as SampleEnding; // `sample-process.ts` returns nothing else
    if (failed !== null) throw new Error(failed);
  }

  async function makeOrLog(): Promise<void> {
    try {
      await make();
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'past of the sample not made');
    } finally {
      await host.close();
    }
  }

  const ended = makeOrLog();
  return {
    ended,
    close: async () => {
      closing.abort();
      await host.close();
      await ended;
    },
  };
}
