/** How it goes, as a whole: the database, the queue, services, workers, runs, and what comes next. */
import { callsPerDayOf } from '../../config.ts';
import { maskUrl } from '../../contract/mask-url.ts';
import { DAY } from '../../engine/clock.ts';
import { describeDatabase } from '../../store/migrate.ts';
import { type NextSlot, nextSlots } from '../../store/reads/next-slots.ts';
import { readSearches, type SearchRow } from '../../store/reads/searches.ts';
import { readServer } from '../../store/reads/server.ts';
import { readServiceDays, type RunTally, type ServiceDay, tallyRuns } from '../../store/reads/status.ts';
import { liveWorkers, WORKER_SILENCE_MS, type WorkerSign } from '../../store/workers.ts';
import type { Context } from '../context.ts';
import { formatSlot } from '../schedule/words.ts';
import { withPatience } from './patience.ts';

/** More searches than anybody has. */
const ALL = 100_000;

type Embedded = { url: string; dataDirectory: string };

export type Status = {
  database: { kind: 'embedded' | 'own'; version: string; name: string; data_directory: string | null };
  queue: { kind: 'redis' | 'postgres'; reachable: boolean; depth: Record<string, number> | null };
  services: (ServiceDay & {
    searches: Record<string, number>;
    calls_per_day: number | null;
    /** Why none of its searches can run. */
    missing: string | null;
  })[];
  /** Those that gave a sign within a day; a silent one has probably ended. */
  workers: (WorkerSign & { silent: boolean })[];
  runs_24h: RunTally[];
  /** Searches that do not run. */
  resting: Pick<SearchRow, 'slug' | 'topic' | 'state' | 'state_reason' | 'state_since'>[];
  next: (NextSlot & { local: string })[];
};

/** @param embedded the database that this program runs itself; null where `DATABASE_URL` names one */
export async function readStatus(ctx: Context, embedded: Embedded | null): Promise<Status> {
  const { db, queue, config } = ctx;
  const databaseUrl = embedded?.url ?? config.databaseUrl ?? '';
  const now = ctx.clock.now();
  const searches = await readSearches(db, { limit: ALL });
  const depth = await withPatience(queue.depth()).catch(() => null);
  return {
    database: {
      kind: embedded === null ? 'own' : 'embedded',
      version: (await readServer(db)).version,
      name: describeDatabase(databaseUrl),
      data_directory: embedded?.dataDirectory ?? null,
    },
    queue: { kind: queue.kind, reachable: depth !== null, depth },
    services: (await readServiceDays(db, now)).map((service) => ({
      ...service,
      address: service.address === null ? null : maskUrl(service.address),
      searches: countStates(searches.filter((one) => one.service === service.name)),
      calls_per_day: callsPerDayOf(config, service.kind),
      missing: service.kind === 'hosted' && config.hosted === undefined ? 'SEARCH_API_URL is not set' : null,
    })),
    workers: (await liveWorkers(db, new Date(now.getTime() - DAY))).map((worker) => ({
      ...worker,
      silent: now.getTime() - worker.seen_at.getTime() > WORKER_SILENCE_MS,
    })),
    runs_24h: await tallyRuns(db, new Date(now.getTime() - DAY)),
    resting: searches
      .filter(({ state }) => state !== 'active')
      .map(({ slug, topic, state, state_reason, state_since }) => ({
        slug,
        topic,
        state,
        state_reason,
        state_since,
      })),
    next: (await nextSlots(db, 5)).map((slot) => ({
      ...slot,
      local: formatSlot(slot.next_due_at, slot.tz),
    })),
  };
}

function countStates(searches: readonly SearchRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of searches) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
