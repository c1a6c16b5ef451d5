/**
 * A history lived in advance: the monitor's own ticks, claims, calls over HTTP, readings and saves, against
 * the sandbox, with a clock that jumps from one due slot to the next. What it leaves in the database is what
 * a monitor would have left that had run all that time.
 */
import { DAY, MINUTE } from './engine/clock.ts';
import type { WorkQueue } from './engine/queue/queue.ts';
import type { Context } from './monitor/context.ts';
import type { RunReport } from './monitor/run/report.ts';
import { createSearch, type NewSearch } from './monitor/topic/create.ts';
import { drawsOf, keyOfText } from './service/sandbox/random.ts';
import { type Lane, openLane } from './simulation/lane.ts';
import { limitsAt } from './store/retention/limits.ts';
import { retain } from './store/retention/retain.ts';

export type SimulationOptions = {
  from: Date;
  to: Date;
  /** Made at `from`; each runs once at once, as every new search does. Their service is the sandbox. */
  searches?: readonly NewSearch[];
  /** Makes what is to be lived in another way (`watchTopic`); only what it schedules through this context is. */
  prepare?: (ctx: Context) => Promise<unknown>;
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
 * Lives from one instant to another in the given database, which must be migrated. Searches that are there
 * already are left alone. The queue that the searches belong to later is told nothing: a worker's
 * reconciler does that when it starts.
 * @throws InvalidInput, Refused where a search cannot be made
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
  try {
    for (let n = 0; n < (options.lanes ?? LANES); n += 1) {
      const name = `simulation:${n}`;
      lanes.push(await openLane(parts, { name, from, seed, random: drawsOf(keyOfText(name)), onRun: count }));
    }
    await prepare(lanes, options);
    const advance = async (until: number) => {
      // Where one fails the others come to rest first: nothing is lived behind the back of whoever hears of it.
      const lived = await Promise.allSettled(lanes.map((lane) => lane.live(until)));
      for (const one of lived) if (one.status === 'rejected') throw one.reason;
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
    for (const lane of lanes) await lane.close();
  }
}

/** Makes the searches, and gives each to the lane that has the fewest. */
async function prepare(lanes: readonly Lane[], options: SimulationOptions): Promise<void> {
  const [first] = lanes;
  if (first === undefined) throw new RangeError('a simulation has at least one lane');
  const ctx: Context = { ...first.ctx, queue: spread(first.agenda.queue, lanes) };
  for (const search of options.searches ?? []) await createSearch(ctx, { ...search, service: 'sandbox' });
  await options.prepare?.(ctx);
}

function spread(queue: WorkQueue, lanes: readonly Lane[]): WorkQueue {
  const idlest = () => lanes.toSorted((a, b) => a.agenda.searches() - b.agenda.searches())[0]?.agenda.queue;
  return {
    ...queue,
    enqueue: async (runs) => idlest()?.enqueue(runs),
    enqueueChannels: async () => {},
    schedule: async (searchId, pattern) => idlest()?.schedule(searchId, pattern),
  };
}
