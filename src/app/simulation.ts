/**
 * A simulated history: runs the monitor's own scan, leases, HTTP calls, parsing and saves against the sandbox, with a clock
 * that jumps from one due slot to the next. The database then contains what a monitor would have stored in that time; what is
 * older than the retention of the server is deleted by the server.
 */
import { RunError } from '../model/errors.ts';
import type { ActingContext, Context } from '../monitor/context.ts';
import { derivePending } from '../monitor/derive/follower.ts';
import { executeRun } from '../monitor/runs/execute.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import { enqueueDueSearches, offerWaitingRuns } from '../monitor/schedule/scan.ts';
import { createSearch, type NewSearch } from '../monitor/topics/save-search.ts';
import { DAY, MINUTE } from '../lib/time.ts';
import { type Clock, steppedClock } from '../platform/clock.ts';
import type { WorkQueue } from '../platform/queue/queue.ts';
import { createKeyVerifier } from '../service/key-gate.ts';
import { SANDBOX_PATH } from '../service/ports.ts';
import { createDraw, hashKey } from '../service/sandbox/random.ts';
import { startService } from '../service/service-server.ts';
import type { Id } from '../store/db/database.ts';
import { assignSimulations, endSimulations, readNextSimulated } from '../store/runs/simulated-searches.ts';
import { randomBytes } from 'node:crypto';

type SimulationOptions = {
  from: Date;
  to: Date;
  /** Created at `from` in the sandbox; each runs immediately, like every new search. */
  searches?: readonly NewSearch[];
  /** Creates further searches to simulate with this context, for example with `watchTopic`. */
  prepare?: (ctx: ActingContext) => Promise<unknown>;
  /** Name of the simulated world. Default: the sandbox's. */
  seed?: string | undefined;
  /** Number of searches that run concurrently; more than a few do not help on two cores. */
  lanes?: number;
  /** Called after each run with the simulated time of its end. */
  onRun?: (report: RunReport, at: Date) => void | Promise<void>;
  /** Called after each simulated day, and at the end. */
  onDay?: (at: Date) => void | Promise<void>;
};

/** Number of runs by result. */
export type Simulated = { runs: number } & Record<RunReport['status'], number>;

/** How far a lane may be ahead of another, so that times in the store stay nearly ordered. */
const ABREAST_MS = 10 * MINUTE;
const LANES = 4;

/**
 * Simulates a time range in a migrated database. Existing searches are not touched, and workers ignore the simulated ones
 * until it ends.
 * @throws InvalidInput, Refused if a search cannot be created
 */
export async function simulate(
  parts: Pick<Context, 'config' | 'db' | 'log'>,
  options: SimulationOptions,
): Promise<Simulated> {
  const { from, to, seed, onRun, onDay } = options;
  const done: Simulated = { runs: 0, succeeded: 0, failed: 0, retry: 0, released: 0 };
  const count = async (report: RunReport, at: Date) => {
    done.runs += 1;
    done[report.status] += 1;
    await onRun?.(report, at);
  };
  const lanes: Lane[] = [];
  const id = randomBytes(4).toString('hex');
  try {
    for (let n = 0; n < (options.lanes ?? LANES); n += 1) {
      const name = `simulation:${id}:${n}`;
      const random = createDraw(hashKey(`simulation:${n}`));
      lanes.push(await openLane(parts, { name, from, seed, random, onRun: count }));
    }
    await prepare(lanes, options);
    const advance = async (until: number) => {
      // If one fails, wait for the others, so that nothing runs on after the error is thrown.
      const ended = await Promise.allSettled(lanes.map((lane) => lane.advance(until)));
      for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason;
      // Only when all lanes have reached this time, so that derivation is in order.
      const [lane] = lanes;
      if (lane !== undefined) await derivePending(lane.ctx, { settleMs: null });
    };
    await advance(from.getTime());
    for (let at = from.getTime(); at < to.getTime(); ) {
      const until = Math.min(at + ABREAST_MS, to.getTime());
      await advance(until);
      if (Math.floor(at / DAY) !== Math.floor(until / DAY) || until === to.getTime())
        await onDay?.(new Date(until));
      at = until;
    }
    return done;
  } finally {
    await endSimulations(parts.db.pool, namesOf(lanes));
    for (const lane of lanes) await lane.close();
  }
}

/** Creates the searches and distributes them among the lanes. */
async function prepare(lanes: readonly Lane[], options: SimulationOptions): Promise<void> {
  const [first] = lanes;
  if (first === undefined) throw new RangeError('a simulation needs at least one lane');
  // Their first runs are found by the scan of their lane.
  const ctx = { ...first.ctx, queue: { ...first.ctx.queue, enqueueRuns: () => Promise.resolve() } };
  for (const search of options.searches ?? []) await createSearch(ctx, { ...search, service: 'sandbox' });
  await options.prepare?.(ctx);
  await assignSimulations(ctx.db.pool, ctx.worker, namesOf(lanes));
}

/** Names of the simulations, one per lane. */
function namesOf(lanes: readonly Lane[]): string[] {
  return lanes.map((lane) => lane.ctx.worker);
}

/** A separate clock, a sandbox that follows it, and a share of the searches. It jumps from one due time to the next. */
type Lane = {
  ctx: ActingContext;
  /** Executes the scan and each run at its due time, up to `until`, and sets the clock to `until`. */
  advance(until: number): Promise<void>;
  close(): Promise<void>;
};

/** High enough for any number of searches at one instant. */
const RATE = { perMinute: 1_000_000, burst: 1_000_000 };

/**
 * @param options.name name of the simulation that its searches belong to
 * @param options.seed name of the simulated world
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
  const ctx: ActingContext = {
    ...parts,
    kind: 'sandbox',
    clock,
    queue: queueInto(offered),
    worker: options.name,
    simulation: options.name,
    actor: { kind: 'program', name: 'simulation' },
    // A simulation calls only the sandbox, whatever a search says.
    endpoint: async (kind) => {
      if (kind !== 'sandbox')
        throw new RunError('service_unknown', { detail: 'a simulation calls only the sandbox' });
      return { baseUrl: `${service.url}${SANDBOX_PATH}`, prefix: undefined, key };
    },
    ownSources: () => Promise.resolve('none'),
    progress: () => [],
    missingTools: () => Promise.resolve([]),
    serviceSources: () => Promise.resolve([]),
    isFree: () => Promise.resolve(true),
    random: options.random,
  };

  async function advance(until: number): Promise<void> {
    for (;;) {
      const next = await readNextSimulated(ctx.db.pool, options.name);
      if (next === null || next.getTime() > until) break;
      // A retry whose time has passed in the meantime runs late, as in production.
      if (next > clock.now()) clock.set(next);
      // Runs first: a slot at the very time of a retry finds it ended.
      await offerWaitingRuns(ctx, clock.now());
      if (offered.length === 0) await enqueueDueSearches(ctx, clock.now());
      for (const runId of offered.splice(0)) {
        const report = await executeRun(ctx, runId);
        if (report !== null) await options.onRun(report, clock.now());
      }
    }
    clock.set(new Date(until));
  }

  return { ctx, advance, close: () => service.close() };
}

/** A queue with one worker, in order. Sends no notifications about a simulated past. */
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
