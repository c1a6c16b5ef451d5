/** The status of the installation: database, queue, scan, services, workers, runs, searches, and what is due next. */

import { readCallsPerDay } from '../../config/config.ts';
import { maskUrl } from '../../model/links/link.ts';
import { DAY } from '../../lib/time.ts';
import {
  readSystemEventRows,
  readSystemRule,
  type RuleRow,
  type SystemEventRow,
} from '../../store/alerts/alert-queries.ts';
import { type AsideReading, readSetAside } from '../../store/derive/pending-derivations.ts';
import { describeDatabase } from '../../store/db/migrate.ts';
import {
  readServiceDays,
  type RunTally,
  type ServiceDay,
  tallyRuns,
} from '../../store/queries/run-tallies.ts';
import { readSilentTools, type SilentTool } from '../../store/queries/run-tools.ts';
import {
  type NextSlot,
  readNextSlots,
  readSearches,
  type SearchRow,
} from '../../store/queries/search-list.ts';
import { readTrendStates } from '../../store/queries/trend-reports.ts';
import {
  isScanLate,
  readBacklog,
  readServer,
  readUnread,
  type UnreadResponses,
} from '../../store/queries/system.ts';
import type { SearchStatusName } from '../../model/closed-lists.ts';
import { type PauseOfAll, readPauseOfAll } from '../../store/topics/pauses.ts';
import { listLiveWorkers, WORKER_SILENCE_MS, type WorkerRow } from '../../store/runs/worker-registry.ts';
import type { Context } from '../context.ts';
import { formatSlot } from '../schedule/schedule-text.ts';
import { type IncompleteSearch, judgeCompleteness } from './search-completeness.ts';
import { listTroubled, readSearchStatuses, type SearchStatus, tallyStatuses } from './search-status.ts';
import { judgeSilence, type SilentSearches } from './search-silence.ts';

export type EmbeddedDatabase = { url: string; sandbox: { url: string }; dataDirectory: string };

export type Status = {
  database: { kind: 'embedded' | 'own'; version: string; name: string; data_directory: string | null };
  queue: { kind: 'redis' | 'postgres'; reachable: boolean; depth: QueueDepth };
  /** The last scan; while it is late, no search runs. */
  scan: { scanned_at: Date; age_seconds: number; late: boolean };
  services: ServiceStatus[];
  workers: WorkerStatus[];
  runs_24h: RunTally[];
  unread_responses: UnreadResponses;
  /** Searches whose trends wait for a reading that keeps failing; at most 100. */
  set_aside: AsideReading[];
  /** Active searches without a successful run for three intervals. */
  silent: SilentSearches;
  /** Number of searches with each status, without removed ones. */
  search_statuses: Record<SearchStatusName, number>;
  /** Searches that do not do what they should, worst first; at most 100. */
  troubled: SearchStatus[];
  /** Searches that miss posts, most first. */
  incomplete: IncompleteSearch[];
  /** Number of searches in each state other than normal, such as rising. */
  trend_states: Record<string, number>;
  /** Tools that did not respond to the newest runs of active searches. */
  silent_tools: SilentTool[];
  /** Searches that are paused, broken or capped. */
  resting: Pick<
    SearchRow,
    'slug' | 'topic' | 'state' | 'state_reason' | 'state_since' | 'paused_until' | 'pauses'
  >[];
  /** The pause of all searches; null if there is none. */
  pause_of_all: PauseOfAll | null;
  /** Problems of the installation that last, the newest first; at most 100. */
  system_events: SystemEventRow[];
  /** The rule that reports them. */
  system_rule: Pick<RuleRow, 'state' | 'channels'>;
  next: (NextSlot & { local: string })[];
};

/** A worker with a heartbeat in the last day; a silent one has probably ended. */
export type WorkerStatus = WorkerRow & { silent: boolean };

/** Number of jobs by state; null if the queue is unreachable. */
type QueueDepth = Record<string, number> | null;

const MAX_SET_ASIDE = 100;
const MAX_INCOMPLETE = 100;
const MAX_TROUBLED = 100;
const MAX_SYSTEM_EVENTS = 100;

/**
 * @param embedded the database that this program runs itself; null if `DATABASE_URL` is set
 */
export async function readStatus(ctx: Context, embedded: EmbeddedDatabase | null): Promise<Status> {
  const { db, queue, config } = ctx;
  const own = ctx.kind === 'real' ? embedded : embedded?.sandbox;
  const now = ctx.clock.now();
  const dayAgo = new Date(now.getTime() - DAY);
  const allSearches = readAllSearches(db);
  const allIds = allSearches.then((all) => all.map(({ id }) => id));
  const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
  const [
    server,
    depth,
    backlog,
    unread,
    set_aside,
    silent,
    statuses,
    incomplete,
    trends,
    silent_tools,
    services,
    workers,
    runs_24h,
    searches,
    next,
    pause_of_all,
    system_events,
    system_rule,
  ] = await Promise.all([
    readServer(db),
    readQueueDepth(queue),
    readBacklog(db, now),
    readUnread(db, { statementTime: ctx.clock.statementTime(), heardSince }),
    readSetAside(db, MAX_SET_ASIDE),
    judgeSilence(ctx),
    readSearchStatuses(ctx),
    judgeCompleteness(ctx),
    allIds.then((ids) => readTrendStates(db, ids, now)),
    readSilentTools(db, {}),
    readServices(ctx, allSearches),
    readWorkers(ctx),
    tallyRuns(db, dayAgo),
    allSearches,
    readNextSlots(db, 5),
    readPauseOfAll(db),
    readSystemEventRows(db, { open: true, limit: MAX_SYSTEM_EVENTS }),
    readSystemRule(db),
  ]);
  return {
    database: {
      kind: embedded === null ? 'own' : 'embedded',
      version: server.version,
      name: describeDatabase(own?.url ?? config.databaseUrl ?? ''),
      data_directory: embedded?.dataDirectory ?? null,
    },
    queue: { kind: queue.kind, reachable: depth !== null, depth },
    scan: {
      scanned_at: backlog.scanned_at,
      age_seconds: backlog.scan_age_seconds,
      late: isScanLate(backlog),
    },
    services,
    workers,
    runs_24h,
    unread_responses: unread,
    set_aside,
    silent,
    search_statuses: tallyStatuses(statuses),
    troubled: listTroubled(statuses).slice(0, MAX_TROUBLED),
    incomplete: incomplete.slice(0, MAX_INCOMPLETE),
    trend_states: countStates(trends.filter(({ until, state }) => until === null && state !== 'normal')),
    silent_tools,
    resting: searches
      .filter((search) => search.state !== 'active')
      .map(({ slug, topic, state, state_reason, state_since, paused_until, pauses }) => ({
        slug,
        topic,
        state,
        state_reason,
        state_since,
        paused_until,
        pauses,
      })),
    pause_of_all,
    system_events,
    system_rule: { state: system_rule.state, channels: system_rule.channels },
    next: next.map((slot) => ({ ...slot, local: formatSlot(slot.next_due_at, slot.tz) })),
  };
}

/** By name. */
export async function readWorkers({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<WorkerStatus[]> {
  const now = clock.now().getTime();
  const workers = await listLiveWorkers(db, new Date(now - DAY));
  return workers.map((worker) => ({ ...worker, silent: now - worker.seen_at.getTime() > WORKER_SILENCE_MS }));
}

/** Null on any error: workers log the cause. The queue limits how long it may take, here as for `doctor`. */
export function readQueueDepth(queue: Pick<Context['queue'], 'depth'>): Promise<QueueDepth> {
  return queue.depth().catch(() => null);
}

/** `2 waiting, 1 active`; empty without jobs. */
export function describeDepth(depth: Readonly<Record<string, number>>): string {
  return Object.entries(depth)
    .flatMap(([name, n]) => (n > 0 ? [`${n} ${name}`] : []))
    .join(', ');
}

/** A service and its calls today. */
export type ServiceBudget = ServiceDay & {
  /** Limit of calls per UTC day; null: no limit. */
  calls_per_day: number | null;
  /** Missing configuration that keeps its searches from running; null: none. */
  missing: string | null;
};

type ServiceStatus = ServiceBudget & {
  /** Number of its searches, by state. */
  searches: Record<string, number>;
};

/** Practically unlimited. */
const MAX_SEARCHES = 100_000;

/** All searches that are not removed. */
function readAllSearches(db: Context['db']): Promise<SearchRow[]> {
  return readSearches(db, { limit: MAX_SEARCHES });
}

/** All services by name. @param searches the searches to count, if already read */
export async function readServices(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  searches: Promise<readonly SearchRow[]> = readAllSearches(ctx.db),
): Promise<ServiceStatus[]> {
  const [services, counted] = await Promise.all([readServiceBudgets(ctx), searches]);
  return services.map((service) => ({
    ...service,
    searches: countStates(counted.filter((search) => search.service === service.name)),
  }));
}

/** All services by name, without secrets in their URLs. */
export async function readServiceBudgets({
  db,
  clock,
  config,
}: Pick<Context, 'db' | 'clock' | 'config'>): Promise<ServiceBudget[]> {
  return (await readServiceDays(db, clock.now())).map((service) => ({
    ...service,
    address: service.address === null ? null : maskUrl(service.address),
    calls_per_day: readCallsPerDay(config, service.kind),
    missing: service.kind === 'hosted' && config.hosted === undefined ? 'SEARCH_API_URL is not set' : null,
  }));
}

function countStates(searches: readonly { state: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of searches) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
