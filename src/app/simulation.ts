/**
 * A simulated past: what searches would have found, had they run on their schedules. The sandbox says what it would have responded at
 * each due time; the responses are parsed and saved like any other, many in one transaction, and figures follow from them. Then the
 * searches continue on their schedules. What is older than the retention of the server is deleted by the server.
 */
import { DAY, HOUR } from '../lib/time.ts';
import { Refused } from '../model/errors.ts';
import { buildBody } from '../monitor/client/service-request.ts';
import type { ActingContext, Context } from '../monitor/context.ts';
import { derivePending } from '../monitor/derive/follower.ts';
import { parseStoredResponse } from '../monitor/runs/parse-and-save.ts';
import { nextSlot, readSchedule, slotsBetween } from '../monitor/schedule/cadence.ts';
import type { Schedule } from '../monitor/schedule/schedule.ts';
import { createSearch, type NewSearch } from '../monitor/topics/save-search.ts';
import { chooseService } from '../monitor/topics/service-choice.ts';
import { monotonicMs, steppedClock } from '../platform/clock.ts';
import type { WorkQueue } from '../platform/queue/queue.ts';
import { loadDialect } from '../protocol/dialect.ts';
import {
  CONTENT_TYPE,
  createSimulatedService,
  type SimulatedService,
} from '../service/sandbox/respond-in-process.ts';
import { inTransaction } from '../store/db/database.ts';
import { encodeBody } from '../store/runs/responses.ts';
import { type PastRun, savePastRuns } from '../store/save/past-runs.ts';
import { holdForPast, releaseFromPast } from '../store/topics/past-searches.ts';
import { findSearch, type Search } from '../store/topics/searches.ts';

type SimulationOptions = {
  from: Date;
  to: Date;
  /** Created at `from` in the sandbox; each runs immediately, like every new search. */
  searches?: readonly NewSearch[];
  /** Creates further searches with this context, or resumes some. @returns their slugs */
  prepare?: (ctx: ActingContext) => Promise<readonly string[]>;
  /** Name of the simulated world. Default: the sandbox's. */
  seed?: string | undefined;
  /**
   * Runs are saved together, and detectors decide, once in so much simulated time: at most the six hours for which a window is news.
   * Default: two hours.
   */
  stepMs?: number;
  /** Called for each run with its simulated time. */
  onRun?: (at: Date) => void | Promise<void>;
  /** Called when a simulated day (UTC) is over and saved, and at the end, with a context of that time. */
  onDay?: (at: Date, ctx: ActingContext) => void | Promise<void>;
};

/** Number of runs. All succeed. */
export type Simulated = { runs: number };

/** Of {@link SimulationOptions.stepMs}. */
const STEP_MS = 2 * HOUR;
/** Their worker. */
const WORKER = 'simulation';

/**
 * Simulates a time range in a migrated database, while workers leave its searches alone.
 * @throws InvalidInput, Refused if a search cannot be created, or is not one of the sandbox on a fixed schedule
 */
export async function simulate(
  parts: Pick<Context, 'config' | 'db' | 'log'>,
  options: SimulationOptions,
): Promise<Simulated> {
  const { from, to, seed, stepMs = STEP_MS, onRun, onDay } = options;
  const ctx = createPastContext(parts, from);
  const searches = await prepareSearches(ctx, options);
  const service = createSimulatedService(parts.log, seed);
  const due = listDueRuns(searches, from, to);
  let runs = 0;
  // The next responses are made while Postgres saves the last ones.
  let saving: Promise<void> = Promise.resolve();
  try {
    for (let at = from.getTime(); at < to.getTime() || runs === 0; ) {
      // Days end with a step.
      const until = Math.min(at - (at % stepMs) + stepMs, to.getTime());
      const step: PastRun[] = [];
      for (; due[0] !== undefined && due[0].at <= until; due.shift()) {
        step.push(await makeRun(service, due[0]));
        runs += 1;
        await onRun?.(new Date(due[0].at));
      }
      await saving;
      const isDayOver = Math.floor(at / DAY) !== Math.floor(until / DAY) || until === to.getTime();
      saving = saveStep(ctx, step, new Date(until), isDayOver);
      // Handled when it is awaited, also if what comes before that fails.
      saving.catch(() => undefined);
      if (isDayOver) {
        await saving;
        await onDay?.(new Date(until), ctx);
      }
      if (until === to.getTime()) break;
      at = until;
    }
    return { runs };
  } finally {
    await saving.catch(() => undefined);
    await releaseFromPast(
      parts.db.pool,
      searches.map(({ search, schedule }) => ({ searchId: search.id, at: new Date(nextSlot(schedule, to)) })),
    );
  }
}

type PastSearch = { search: Search; schedule: Schedule; dialect: string };

/** Creates the searches, and keeps workers away from them. */
async function prepareSearches(ctx: ActingContext, options: SimulationOptions): Promise<PastSearch[]> {
  const slugs: string[] = [];
  for (const search of options.searches ?? []) {
    const created = await createSearch(ctx, { ...search, service: 'sandbox' });
    slugs.push(created.search.slug);
  }
  slugs.push(...((await options.prepare?.(ctx)) ?? []));
  const searches: PastSearch[] = [];
  const { dialect } = await chooseService(ctx, 'sandbox');
  for (const slug of slugs) searches.push(await readPastSearch(ctx, slug, dialect));
  await inTransaction(ctx.db, (tx) =>
    holdForPast(
      tx,
      searches.map(({ search }) => search.id),
    ),
  );
  return searches;
}

/** @throws Refused for a search that has no simulated past */
async function readPastSearch({ db }: Context, slug: string, dialect: string): Promise<PastSearch> {
  const search = await findSearch(db.pool, slug);
  if (search === null) throw new Refused('not_found', `there is no search "${slug}"`);
  if (search.service_kind !== 'sandbox')
    throw new Refused('conflict', `"${slug}" is no search of the sandbox: only those have a simulated past`);
  const schedule = readSchedule(search);
  if (schedule.kind === 'auto')
    throw new Refused(
      'conflict',
      `"${slug}" has an adaptive interval: only a fixed schedule has a simulated past`,
    );
  return { search, schedule, dialect };
}

/** A run of a search at a time, in ms since 1970. */
type DueRun = { at: number; trigger: PastRun['trigger']; of: PastSearch };

/** All runs, oldest first: a first one of each search that is new, and its slots. */
function listDueRuns(searches: readonly PastSearch[], from: Date, to: Date): DueRun[] {
  return searches
    .flatMap((of): DueRun[] => {
      const isNew = of.search.created_at.getTime() === from.getTime();
      const first: DueRun[] = isNew ? [{ at: from.getTime(), trigger: 'first', of }] : [];
      const slots = [...slotsBetween(of.schedule, from, to)];
      return [...first, ...slots.map((at) => ({ at, trigger: 'schedule' as const, of }))];
    })
    .sort((a, b) => a.at - b.at);
}

/** Makes and parses the response of a run. */
async function makeRun(respond: SimulatedService, { at, trigger, of }: DueRun): Promise<PastRun> {
  const { search, dialect } = of;
  const began = monotonicMs();
  const observedAt = new Date(at);
  const names = loadDialect(dialect);
  const body = await respond(search.operation, names, buildBody(names, search), observedAt);
  const latencyMs = Math.round(monotonicMs() - began);
  const response = { body, contentType: CONTENT_TYPE, receivedAt: observedAt };
  return {
    searchId: search.id,
    serviceId: search.service_id,
    version: search.version,
    requestVersion: search.request_version,
    trigger,
    worker: WORKER,
    observedAt,
    contentType: CONTENT_TYPE,
    latencyMs,
    body: await encodeBody(body),
    findings: await parseStoredResponse({ ...search, dialect }, response),
  };
}

/**
 * Saves the runs of a step, and derives what follows from them at its end. Rising posts and frequent names, from which nothing else
 * follows, are computed when a day is over.
 */
async function saveStep(
  ctx: PastContext,
  runs: readonly PastRun[],
  until: Date,
  isDayOver: boolean,
): Promise<void> {
  ctx.clock.set(until);
  if (runs.length > 0) await savePastRuns(ctx.db, runs);
  await derivePending(ctx, { settleMs: null, figures: isDayOver ? 'all' : 'none' });
}

export type PastContext = ActingContext & { clock: ReturnType<typeof steppedClock> };

/** A context at a time of the past, without queue and services. */
export function createPastContext(parts: Pick<Context, 'config' | 'db' | 'log'>, at: Date): PastContext {
  return {
    ...parts,
    kind: 'sandbox',
    clock: steppedClock(at),
    queue: IDLE_QUEUE,
    worker: WORKER,
    actor: { kind: 'program', name: WORKER },
    endpoint: () => Promise.reject(new Error('a simulated past calls no service')),
    ownSources: () => Promise.resolve('none'),
    progress: () => [],
    missingTools: () => Promise.resolve([]),
    serviceSources: () => Promise.resolve([]),
    isFree: () => Promise.resolve(true),
    judge: null,
    briefWriter: null,
    translator: null,
    random: () => 0,
  };
}

/** Nothing of the past is enqueued, and nobody is notified about it. */
const IDLE_QUEUE: WorkQueue = {
  kind: 'postgres',
  enqueueRuns: async () => {},
  enqueueChannels: async () => {},
  enqueueWork: async () => {},
  restartScan: async () => {},
  depth: async () => ({}),
  ping: async () => {},
  close: async () => {},
};
