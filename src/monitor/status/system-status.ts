/** The status of the installation: its facts, the checks of them, and what is due next. */

import { awaitMembers } from '../../lib/await-members.ts';
import { DAY } from '../../lib/time.ts';
import { describeDatabase } from '../../store/db/migrate.ts';
import { type RunTally, tallyRuns } from '../../store/queries/run-tallies.ts';
import { readUnresponsiveTools, type UnresponsiveTool } from '../../store/queries/run-tools.ts';
import {
  type NextSlot,
  readNextSlots,
  readSearches,
  type SearchRow,
} from '../../store/queries/search-list.ts';
import { readServer } from '../../store/queries/system.ts';
import { readTrendStates } from '../../store/queries/trend-reports.ts';
import { type PauseOfAll, readPauseOfAll } from '../../store/topics/pauses.ts';
import { formatSlot } from '../schedule/schedule-text.ts';
import type { EmbeddedDatabase } from '../context.ts';
import type { Check } from './check.ts';
import { judgeStatus } from './status-checks.ts';
import { readNames, readStatusFacts, type StatusContext, type StatusFacts } from './status-facts.ts';

/** At most 100 of `troubled` and `incomplete`. */
export type Status = Omit<StatusFacts, 'at' | 'backlog' | 'oldest_transaction' | 'search_names'> & {
  database: { kind: 'embedded' | 'own'; version: string; name: string; data_directory: string | null };
  /** What the facts mean, and what to do. */
  checks: Check[];
  runs_24h: RunTally[];
  /** Number of searches in each state other than normal, such as rising. */
  trend_states: Record<string, number>;
  /** Tools that did not respond to the newest runs of active searches. */
  silent_tools: UnresponsiveTool[];
  /** Searches that are paused, broken or capped. */
  resting: (Pick<
    SearchRow,
    'slug' | 'topic' | 'state' | 'state_reason' | 'state_since' | 'paused_until' | 'pauses'
  > & { name: string })[];
  /** The pause of all searches; null if there is none. */
  pause_of_all: PauseOfAll | null;
  next: (NextSlot & { name: string; local: string })[];
};

const MAX_INCOMPLETE = 100;
const MAX_TROUBLED = 100;
/** Practically unlimited. */
const MAX_SEARCHES = 100_000;

/**
 * @param embedded the database that this program runs itself; null if `DATABASE_URL` is set
 * @param formatAt writes times of checks. Default: in UTC
 */
export async function readStatus(
  ctx: StatusContext,
  embedded: EmbeddedDatabase | null,
  formatAt: (at: Date) => string = formatUtcMinute,
): Promise<Status> {
  const { db, config } = ctx;
  const own = ctx.kind === 'real' ? embedded : embedded?.sandbox;
  const now = ctx.clock.now();
  const allSearches = readSearches(db, { limit: MAX_SEARCHES });
  const { facts, server, trends, searches, next, ...members } = await awaitMembers({
    facts: readStatusFacts(ctx),
    server: readServer(db),
    trends: allSearches.then((all) =>
      readTrendStates(
        db,
        all.map(({ id }) => id),
        now,
      ),
    ),
    silent_tools: readUnresponsiveTools(db, {}),
    runs_24h: tallyRuns(db, new Date(now.getTime() - DAY)),
    searches: allSearches,
    next: readNextSlots(db, 5),
    pause_of_all: readPauseOfAll(db),
  });
  const {
    at: _,
    backlog: __,
    oldest_transaction: ___,
    search_names: ____,
    troubled,
    incomplete,
    ...shown
  } = facts;
  const resting = searches.filter(({ state }) => state !== 'active');
  const names = await readNames(db, [
    ...resting.map(({ slug }) => slug),
    ...next.map(({ search }) => search),
  ]);
  const nameOf = (slug: string) => names.get(slug)?.full ?? slug;
  return {
    checks: judgeStatus(facts, formatAt),
    database: {
      kind: embedded === null ? 'own' : 'embedded',
      version: server.version,
      name: describeDatabase(own?.url ?? config.databaseUrl ?? ''),
      data_directory: embedded?.dataDirectory ?? null,
    },
    ...shown,
    ...members,
    troubled: troubled.slice(0, MAX_TROUBLED),
    incomplete: incomplete.slice(0, MAX_INCOMPLETE),
    trend_states: countStates(trends.filter(({ until, state }) => until === null && state !== 'normal')),
    resting: resting.map(({ slug, topic, state, state_reason, state_since, paused_until, pauses }) => ({
      slug,
      name: nameOf(slug),
      topic,
      state,
      state_reason,
      state_since,
      paused_until,
      pauses,
    })),
    next: next.map((slot) => ({
      ...slot,
      name: nameOf(slot.search),
      local: formatSlot(slot.next_due_at, slot.tz),
    })),
  };
}

/** `2026-11-21 14:05Z`. */
const formatUtcMinute = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`;

function countStates(searches: readonly { state: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state } of searches) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
