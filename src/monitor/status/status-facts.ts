/** Facts about the installation, of which checks are made: queue, scan, services, workers, runs, searches. */

import { readCallsPerDay } from '../../config/config.ts';
import { awaitMembers } from '../../lib/await-members.ts';
import { DAY } from '../../lib/time.ts';
import { maskUrl } from '../../model/links/link.ts';
import {
  readSystemEventRows,
  readSystemRule,
  type RuleRow,
  type SystemEventRow,
} from '../../store/alerts/alert-queries.ts';
import { readTime } from '../../store/db/database.ts';
import { type AsideReading, readSetAside } from '../../store/derive/pending-derivations.ts';
import { readServiceDays, type ServiceDay } from '../../store/queries/run-tallies.ts';
import type { SearchNames } from '../../store/queries/search-names.ts';
import { countSearchesOfServices } from '../../store/queries/search-list.ts';
import {
  type Backlog,
  isScanLate,
  type OpenTransaction,
  readBacklog,
  readModelCalls,
  readOldestTransaction,
  readUnread,
  type UnreadResponses,
} from '../../store/queries/system.ts';
import { listLiveWorkers, MAX_HEARTBEAT_AGE_MS, type WorkerRow } from '../../store/runs/worker-registry.ts';
import type { SearchStatusName } from '../../model/closed-lists.ts';
import type { ModelPurpose, ModelUse } from '../../model/model-use.ts';
import type { Context } from '../context.ts';
import { describeCause } from './check.ts';
import { type IncompleteSearch, judgeCompleteness } from './search-completeness.ts';
import { judgeSilence, type SilentSearches } from './search-silence.ts';
import { listTroubled, readSearchStatuses, type SearchStatus, tallyStatuses } from './search-status.ts';

/** What checks are made of. */
export type StatusFacts = {
  /** When they were read, by the database's clock. */
  at: Date;
  /** `cause`: why it is unreachable; null if it is not. */
  queue: { kind: 'redis' | 'postgres'; reachable: boolean; depth: QueueDepth; cause: string | null };
  /** The last scan; while it is late, no search runs. */
  scan: { scanned_at: Date; age_seconds: number; late: boolean };
  /** What is due and has not started. */
  backlog: Backlog;
  services: ServiceStatus[];
  workers: WorkerStatus[];
  unread_responses: UnreadResponses;
  /** Searches whose trends wait for a reading that keeps failing; at most 100. */
  set_aside: AsideReading[];
  /** Active searches without a successful run for three intervals. */
  silent: SilentSearches;
  /** Number of searches with each status, without removed ones. */
  search_statuses: Record<SearchStatusName, number>;
  /** Searches that do not do what they should, worst first. */
  troubled: SearchStatus[];
  /** Searches that miss posts, most first. */
  incomplete: IncompleteSearch[];
  /** Of the searches that checks name. */
  search_names: SearchNames;
  /** Open problems of the installation, newest first; at most 100. */
  system_events: SystemEventRow[];
  /** The rule that reports them. */
  system_rule: Pick<RuleRow, 'state' | 'channels'>;
  oldest_transaction: OpenTransaction | null;
  /** Requests of today to the language model, by purpose; empty if none is configured. */
  model_calls: ModelUse[];
};

/** A worker with a heartbeat in the last day; a silent one has probably ended. */
export type WorkerStatus = WorkerRow & { silent: boolean };

/** Number of jobs by state; null if the queue is unreachable. */
export type QueueDepth = Record<string, number> | null;

const MAX_SET_ASIDE = 100;
const MAX_SYSTEM_EVENTS = 100;

export type StatusContext = Pick<Context, 'db' | 'queue' | 'config' | 'clock' | 'kind'>;

export async function readStatusFacts(ctx: StatusContext): Promise<StatusFacts> {
  const { db, queue, clock } = ctx;
  const now = await readTime(db.pool, clock);
  const heardSince = new Date(now.getTime() - MAX_HEARTBEAT_AGE_MS);
  const { reached, statuses, rule, ...facts } = await awaitMembers({
    reached: readQueue(queue),
    backlog: readBacklog(db, now),
    unread_responses: readUnread(db, { statementTime: clock.statementTime(), heardSince }),
    set_aside: readSetAside(db, MAX_SET_ASIDE),
    silent: judgeSilence(ctx),
    statuses: readSearchStatuses(ctx),
    incomplete: judgeCompleteness(ctx),
    services: readServices(ctx),
    workers: readWorkers(ctx),
    system_events: readSystemEventRows(db, { open: true, limit: MAX_SYSTEM_EVENTS }),
    rule: readSystemRule(db),
    oldest_transaction: readOldestTransaction(db),
    model_calls: readModelUse(ctx),
  });
  const { backlog, set_aside, silent, incomplete } = facts;
  const troubled = listTroubled(statuses);
  return {
    ...facts,
    at: now,
    search_names: await readNames(db, [
      ...[...set_aside, ...troubled].map(({ search }) => search),
      ...[...silent.searches, ...incomplete].map(({ slug }) => slug),
    ]),
    queue: { kind: queue.kind, reachable: reached.depth !== null, ...reached },
    scan: {
      scanned_at: backlog.scanned_at,
      age_seconds: backlog.scan_age_seconds,
      late: isScanLate(backlog),
    },
    search_statuses: tallyStatuses(statuses),
    troubled,
    system_rule: { state: rule.state, channels: rule.channels },
  };
}

/** Names of searches. Loaded on demand: checks of a sound installation name none. */
export async function readNames(
  { pool }: Pick<Context['db'], 'pool'>,
  slugs: readonly string[],
): Promise<SearchNames> {
  if (slugs.length === 0) return new Map();
  const { readNamesOf } = await import('../../store/queries/search-names.ts');
  return readNamesOf(pool, slugs);
}

/** Without a language model nothing is read. */
async function readModelUse({
  db,
  config,
  clock,
}: Pick<Context, 'db' | 'config' | 'clock'>): Promise<ModelUse[]> {
  const { model } = config.service;
  if (model === undefined) return [];
  const day = clock.now().toISOString().slice(0, 10);
  const rows = await readModelCalls(db, new Date(`${day}T00:00:00Z`));
  // As they are configured: every purpose has a limit.
  const limits = Object.entries(model.callsPerDay) as [ModelPurpose, number][];
  return limits.map(([purpose, most]) => {
    const row = rows.find((each) => each.purpose === purpose);
    return {
      purpose,
      day,
      calls: row?.calls ?? 0,
      most,
      failed: row?.failed ?? 0,
      calls_with_tokens: row?.calls_with_tokens ?? 0,
      input_tokens: row?.input_tokens ?? null,
      output_tokens: row?.output_tokens ?? null,
    };
  });
}

/** Reads the workers, by name. */
export async function readWorkers({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<WorkerStatus[]> {
  const now = (await readTime(db.pool, clock)).getTime();
  const workers = await listLiveWorkers(db, new Date(now - DAY));
  return workers.map((worker) => ({
    ...worker,
    silent: now - worker.seen_at.getTime() > MAX_HEARTBEAT_AGE_MS,
  }));
}

/** Its depth, or why it is unreachable. The queue limits how long it may take. */
export function readQueue(
  queue: Pick<Context['queue'], 'depth'>,
): Promise<{ depth: QueueDepth; cause: string | null }> {
  return queue.depth().then(
    (depth) => ({ depth, cause: null }),
    (error: unknown) => ({ depth: null, cause: describeCause(error) }),
  );
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

/** All services, sorted by name, with the number of their searches; removed searches do not count. */
export async function readServices(ctx: Pick<Context, 'db' | 'clock' | 'config'>): Promise<ServiceStatus[]> {
  const [services, counts] = await Promise.all([readServiceBudgets(ctx), countSearchesOfServices(ctx.db)]);
  return services.map((service) => ({
    ...service,
    searches: Object.fromEntries(
      counts.filter((row) => row.service === service.name).map(({ state, searches }) => [state, searches]),
    ),
  }));
}

/** All services, sorted by name. Their URLs contain no secrets. */
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
