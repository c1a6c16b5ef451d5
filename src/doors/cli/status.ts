import type { Command } from 'commander';
import { callsPerDayOf } from '../../config.ts';
import { DAY } from '../../engine/clock.ts';
import type { Home } from '../../home.ts';
import { formatSlot } from '../../monitor/schedule/words.ts';
import { describeDatabase } from '../../store/migrate.ts';
import { type NextSlot, nextSlots } from '../../store/reads/next-slots.ts';
import { readSearches, type SearchRow } from '../../store/reads/searches.ts';
import { readServer } from '../../store/reads/server.ts';
import { readServiceDays, type RunTally, type ServiceDay, tallyRuns } from '../../store/reads/status.ts';
import { liveWorkers, type WorkerSign } from '../../store/workers.ts';
import { LIMIT_MAX } from './arguments.ts';
import type { Cli } from './cli.ts';
import { withPatience } from './patience.ts';
import { maskUrl } from './secrets.ts';
import { statusPage } from './status-page.ts';
import { WORKER_SILENCE_MS } from './take-run.ts';

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

export function registerStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .description('say how it goes: database, queue, services, workers, runs, what comes next')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      cli.withHome(async (home) => {
        const status = await readStatus(home);
        await cli.show(options.json, status, () => statusPage(status, home.ctx.clock.now(), cli.page));
      }),
    );
}

export async function readStatus(home: Pick<Home, 'ctx' | 'embedded' | 'databaseUrl'>): Promise<Status> {
  const { ctx, embedded, databaseUrl } = home;
  const { db, queue, config } = ctx;
  const now = ctx.clock.now();
  const searches = await readSearches(db, { limit: LIMIT_MAX });
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
