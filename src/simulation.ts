/**
 * A simulated history: the monitor's own scan, claims, calls over HTTP, parsing and saves, against the sandbox, with a
 * clock that jumps from one due slot to the next. What it leaves in the database is what a monitor would have left that
 * had run all that time.
 */
import { randomBytes } from 'node:crypto';
import { DAY, MINUTE } from './engine/clock.ts';
import type { Acting, Context } from './monitor/context.ts';
import { follow } from './monitor/derive/follow.ts';
import type { RunReport } from './monitor/run/report.ts';
import { createSearch, type NewSearch } from './monitor/topic/create.ts';
import { drawsOf, keyOfText } from './service/sandbox/random.ts';
import { type Lane, openLane } from './simulation/lane.ts';
import { limitsAt } from './store/retention/limits.ts';
import { retain } from './store/retention/retain.ts';
import { dealSimulated, endSimulations } from './store/simulated.ts';

export type SimulationOptions = {
  from: Date;
  to: Date;
  /** Created at `from`; each runs once at once, as every new search does. Their service is the sandbox. */
  searches?: readonly NewSearch[];
  /** Creates what is simulated in another way (`watchTopic`): the searches that it creates with this context. */
  prepare?: (ctx: Acting) => Promise<unknown>;
  /** The name of the simulated world; the sandbox's usual one where it is left out. */
  seed?: string | undefined;
  /** How many searches are run at once; more than a few gain nothing on two cores. */
  lanes?: number;
  /** Called after each run with the simulated time of its end. */
  onRun?: (report: RunReport, at: Date) => void | Promise<void>;
  /** Called after each simulated day, and at the end. */
  onDay?: (at: Date) => void | Promise<void>;
};

/** How many runs there were, by how they ended. */
export type Simulated = { runs: number } & Record<RunReport['status'], number>;

/** Lanes are kept abreast: none is further ahead of another than this, so that times in the store hardly cross. */
const ABREAST_MS = 10 * MINUTE;
const LANES = 4;

/**
 * Simulates from one instant to another in the given database, which must be migrated. Searches that are there
 * already are left alone, and workers leave the simulated ones alone until it is over.
 * @throws InvalidInput, Refused where a search cannot be created
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
      const random = drawsOf(keyOfText(`simulation:${n}`));
      lanes.push(await openLane(parts, { name, from, seed, random, onRun: count }));
    }
    await prepare(lanes, options);
    const advance = async (until: number) => {
      // Where one fails the others finish first: nothing goes on behind the back of whoever hears of it.
      const ended = await Promise.allSettled(lanes.map((lane) => lane.advance(until)));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      // When all have come as far, so that nothing is derived before what came earlier.
      const [lane] = lanes;
      if (lane !== undefined) await follow(lane.ctx, { settleMs: null });
    };
    await advance(from.getTime());
    for (let at = from.getTime(); at < to.getTime(); ) {
      const until = Math.min(at + ABREAST_MS, to.getTime());
      await advance(until);
      if (Math.floor(at / DAY) !== Math.floor(until / DAY) || until === to.getTime()) {
        await retain(parts.db, limitsAt(new Date(until), parts.config), () => true);
        await onDay?.(new Date(until));
      }
      at = until;
    }
    return done;
  } finally {
    await endSimulations(parts.db.pool, namesOf(lanes));
    for (const lane of lanes) await lane.close();
  }
}

/** Creates the searches and deals them out among the lanes. */
async function prepare(lanes: readonly Lane[], options: SimulationOptions): Promise<void> {
  const [first] = lanes;
  if (first === undefined) throw new RangeError('a simulation has at least one lane');
  // Their first runs are found by the scan of the lane that gets them.
  const ctx = { ...first.ctx, queue: { ...first.ctx.queue, enqueueRuns: () => Promise.resolve() } };
  for (const search of options.searches ?? []) await createSearch(ctx, { ...search, service: 'sandbox' });
  await options.prepare?.(ctx);
  await dealSimulated(ctx.db.pool, ctx.worker, namesOf(lanes));
}

/** The simulations, one of each lane. */
function namesOf(lanes: readonly Lane[]): string[] {
  return lanes.map((lane) => lane.ctx.worker);
}
