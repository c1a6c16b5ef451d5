/** The state of everything: database, queue, scan, services, workers, runs, searches, and what is due next. */
import { DAY } from '../../engine/clock.ts';
import { withPatience } from '../../engine/patience.ts';
import { type AsideReading, readSetAside } from '../../store/derive/pending.ts';
import { describeDatabase } from '../../store/migrate.ts';
import { isScanLate, readBacklog } from '../../store/reads/machinery.ts';
import { type NextSlot, nextSlots } from '../../store/reads/next-slots.ts';
import type { SearchRow } from '../../store/reads/searches.ts';
import { readServer } from '../../store/reads/server.ts';
import { type RunTally, tallyRuns } from '../../store/reads/status.ts';
import { readUnread, type UnreadResponses } from '../../store/reads/unread.ts';
import { liveWorkers, WORKER_SILENCE_MS, type WorkerRow } from '../../store/workers.ts';
import type { Context } from '../context.ts';
import { formatSlot } from '../schedule/words.ts';
import { readAllSearches, readServices, type ServiceStatus } from './services.ts';
import { readSilence, type Silence } from './silence.ts';

type Embedded = { url: string; dataDirectory: string };

export type Status = {
  database: { kind: 'embedded' | 'own'; version: string; name: string; data_directory: string | null };
  queue: { kind: 'redis' | 'postgres'; reachable: boolean; depth: Record<string, number> | null };
  /** The last scan; while it is late, nothing that is due runs. */
  scan: { scanned_at: Date; age_seconds: number; late: boolean };
  services: ServiceStatus[];
  /** Those heard of within a day; one that is silent has probably ended. */
  workers: (WorkerRow & { silent: boolean })[];
  runs_24h: RunTally[];
  unread_responses: UnreadResponses;
  /** Searches whose trends wait for a reading that fails again and again; at most 100. */
  set_aside: AsideReading[];
  /** Active searches without a successful run for three intervals. */
  silent: Silence;
  /** Searches that do not run. */
  resting: Pick<SearchRow, 'slug' | 'topic' | 'state' | 'state_reason' | 'state_since'>[];
  next: (NextSlot & { local: string })[];
};

const MAX_SET_ASIDE = 100;

/** @param embedded the database that this program runs itself; null where `DATABASE_URL` names one */
export async function readStatus(ctx: Context, embedded: Embedded | null): Promise<Status> {
  const { db, queue, config } = ctx;
  const now = ctx.clock.now();
  const dayAgo = new Date(now.getTime() - DAY);
  const allSearches = readAllSearches(db);
  const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
  const [server, depth, backlog, unread, set_aside, silent, services, workers, runs_24h, searches, next] =
    await Promise.all([
      readServer(db),
      withPatience(queue.depth()).catch(() => null),
      readBacklog(db, now),
      readUnread(db, { statementTime: ctx.clock.statementTime(), heardSince }),
      readSetAside(db, MAX_SET_ASIDE),
      readSilence(ctx),
      readServices(ctx, allSearches),
      liveWorkers(db, dayAgo),
      tallyRuns(db, dayAgo),
      allSearches,
      nextSlots(db, 5),
    ]);
  return {
    database: {
      kind: embedded === null ? 'own' : 'embedded',
      version: server.version,
      name: describeDatabase(embedded?.url ?? config.databaseUrl ?? ''),
      data_directory: embedded?.dataDirectory ?? null,
    },
    queue: { kind: queue.kind, reachable: depth !== null, depth },
    scan: {
      scanned_at: backlog.scanned_at,
      age_seconds: backlog.scan_age_seconds,
      late: isScanLate(backlog),
    },
    services,
    workers: workers.map((worker) => ({
      ...worker,
      silent: now.getTime() - worker.seen_at.getTime() > WORKER_SILENCE_MS,
    })),
    runs_24h,
    unread_responses: unread,
    set_aside,
    silent,
    resting: searches
      .filter(({ state }) => state !== 'active')
      .map(({ slug, topic, state, state_reason, state_since }) => ({
        slug,
        topic,
        state,
        state_reason,
        state_since,
      })),
    next: next.map((slot) => ({ ...slot, local: formatSlot(slot.next_due_at, slot.tz) })),
  };
}
