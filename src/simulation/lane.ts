/**
 * A lane of the simulation: a clock of its own, a sandbox that answers by this clock over HTTP, and some of
 * the searches. It jumps from one due time to the next and waits for nothing but the work itself.
 */
import { randomBytes } from 'node:crypto';
import { type Clock, steppedClock } from '../engine/clock.ts';
import type { WorkQueue } from '../engine/queue/queue.ts';
import { RunError } from '../errors.ts';
import type { Acting, Context } from '../monitor/context.ts';
import { executeRun } from '../monitor/run/execute.ts';
import type { RunReport } from '../monitor/run/report.ts';
import { offerWaiting, runDueSearches } from '../monitor/schedule/scan.ts';
import { createKeyVerifier } from '../service/key-verifier.ts';
import { SANDBOX_PATH } from '../service/mounts.ts';
import { startService } from '../service/server.ts';
import type { Id } from '../store/database.ts';
import { nextSimulated } from '../store/simulated.ts';

export type Lane = {
  ctx: Acting;
  /** Runs the scan and each run at the time at which it is due, up to `until`; afterwards it is that time. */
  advance(until: number): Promise<void>;
  close(): Promise<void>;
};

/** Enough for any number of searches at one instant of stopped time. */
const RATE = { perMinute: 1_000_000, burst: 1_000_000 };

/**
 * @param options.name of the simulation that its searches belong to
 * @param options.seed the name of the simulated world
 */
export async function openLane(
  parts: Pick<Context, 'config' | 'db' | 'log'>,
  options: {
    name: string;
    from: Date;
    seed: string | undefined;
    random: () => number;
    onRun: (report: RunReport, at: Date) => void | Promise<void>;
  },
): Promise<Lane> {
  const clock = steppedClock(options.from);
  const key = randomBytes(24).toString('base64url');
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    portAsked: true,
    clock,
    log: parts.log,
    keys: keyring(key, clock),
    rate: RATE,
    ...(options.seed === undefined ? {} : { sandboxSeed: options.seed }),
  });
  const offered: Id[] = [];
  const ctx: Acting = {
    ...parts,
    clock,
    queue: queueInto(offered),
    worker: options.name,
    simulation: options.name,
    actor: { kind: 'program', name: 'simulation' },
    // Nothing but the sandbox is ever called from here, whatever a search says.
    endpoint: async (kind) => {
      if (kind !== 'sandbox') throw new RunError('service_unknown', { detail: 'a simulation calls nobody' });
      return { baseUrl: `${service.url}${SANDBOX_PATH}`, prefix: undefined, key };
    },
    ownSources: () => Promise.resolve('none'),
    random: options.random,
  };

  async function advance(until: number): Promise<void> {
    for (;;) {
      const next = await nextSimulated(ctx.db.pool, options.name);
      if (next === null || next.getTime() > until) break;
      // A run that was put back to a moment that has passed meanwhile is late, as it would be anywhere.
      if (next > clock.now()) clock.set(next);
      // Runs first: a slot at the very time of a retry finds it ended.
      await offerWaiting(ctx, clock.now());
      if (offered.length === 0) await runDueSearches(ctx, clock.now());
      for (const runId of offered.splice(0)) {
        const report = await executeRun(ctx, runId);
        if (report !== null) await options.onRun(report, clock.now());
      }
    }
    clock.set(new Date(until));
  }

  return { ctx, advance, close: () => service.close() };
}

/** A queue of one worker, which takes what it is offered in this order. Nobody is notified of a simulated past. */
function queueInto(offered: Id[]): WorkQueue {
  return {
    kind: 'postgres',
    enqueueRuns: async (runs) => {
      offered.push(...runs.map(({ runId }) => runId));
    },
    enqueueChannels: async () => {},
    enqueueWork: async () => {},
    restartScan: async () => {},
    depth: async () => ({ waiting: offered.length }),
    ping: async () => {},
    close: async () => {},
  };
}

function keyring(key: string, clock: Clock) {
  return createKeyVerifier({ rawKeys: [key], findKeyHashes: () => Promise.resolve([]), clock });
}
