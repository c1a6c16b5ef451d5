/**
 * A lane of the simulation: a clock of its own, a sandbox that answers by this clock over HTTP, and some of
 * the searches. It jumps from one due slot to the next and waits for nothing but the work itself.
 */
import { randomBytes } from 'node:crypto';
import { type Clock, steppedClock } from '../engine/clock.ts';
import { RunError } from '../errors.ts';
import type { Context } from '../monitor/context.ts';
import { executeRun } from '../monitor/run/execute.ts';
import type { RunReport } from '../monitor/run/report.ts';
import { tickSearch } from '../monitor/schedule/tick.ts';
import { createKeyVerifier } from '../service/key-verifier.ts';
import { SANDBOX_PATH } from '../service/mounts.ts';
import { startService } from '../service/server.ts';
import { type Agenda, createAgenda } from './agenda.ts';

export type Lane = {
  ctx: Context;
  agenda: Agenda;
  /** Does what is due at or before a time, each thing at its own time; afterwards it is that time. */
  live(until: number): Promise<void>;
  close(): Promise<void>;
};

/** Enough for any number of searches at one standing instant. */
const RATE = { perMinute: 1_000_000, burst: 1_000_000 };

/** @param options.seed the name of the simulated world */
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
  const agenda = createAgenda(clock);
  const ctx: Context = {
    ...parts,
    clock,
    queue: agenda.queue,
    worker: options.name,
    // Nothing but the sandbox is ever called from here, whatever a search says.
    endpoint: async (kind) => {
      if (kind !== 'sandbox') throw new RunError('service_unknown', { detail: 'a simulation calls nobody' });
      return { baseUrl: `${service.url}${SANDBOX_PATH}`, prefix: undefined, key };
    },
    ownSources: () => Promise.resolve('none'),
    random: options.random,
  };

  async function live(until: number): Promise<void> {
    for (let due = agenda.take(until); due !== undefined; due = agenda.take(until)) {
      // A run put back for a moment that has passed meanwhile is late, as it would be anywhere.
      if (due.at > clock.now().getTime()) clock.set(new Date(due.at));
      if (due.kind === 'tick') {
        await tickSearch(ctx, due.searchId, new Date(due.at));
      } else {
        const report = await executeRun(ctx, due.runId);
        if (report !== null) await options.onRun(report, clock.now());
      }
    }
    clock.set(new Date(until));
  }

  return { ctx, agenda, live, close: () => service.close() };
}

function keyring(key: string, clock: Clock) {
  return createKeyVerifier({ rawKeys: [key], findKeyHash: () => Promise.resolve(undefined), clock });
}
