/**
 * How searches and topics are doing, in one word with its reason: pages, commands, API and metrics show what is decided here.
 *
 * A search is the first of these that is true:
 *
 *   removed, paused, broken, capped   its state, which a person, a refusal by the service, or a limit decided
 *   waiting_for_source   its run waits until a public source is reachable
 *   failing          its newest run failed; since the first failure after the last success
 *   silent           no successful run for three of its slots (`search-silence.ts`)
 *   waiting          no run has succeeded or failed yet
 *   nothing_coming   its newest runs returned no results, where results are usual
 *   ok
 *
 * **Nothing coming.** Let n be the number of successful runs in a row, up to the newest, that returned nothing, and *before* the
 * successful runs before them, at most 50 in total, all with the same request. Something is usual if the median of results of
 * *before* is 10 or more: the Poisson probability of 0 results where 10 are expected is 0.00005. The median is known from
 * three runs on, because then one exceptional run cannot decide it. The status is told if n exceeds the longest row of empty runs in
 * *before*: at the first empty run of a search that never had one, and not every night for a search that is empty at night.
 * An empty response without one of the tools that were asked is not observed, so it counts as no run at all; a response
 * of which nothing could be parsed is not empty.
 *
 * The view `strandline_analytics.search_status` decides everything from rows, and so is the home of the rule; only silence needs
 * the schedule, and is decided here.
 */
import { setImmediate } from 'node:timers/promises';
import { createNotFound, RUN_CODES } from '../../model/errors.ts';
import { groupBy } from '../../lib/group-by.ts';
import { findEarliest } from '../../lib/time.ts';
import type { Id } from '../../store/db/database.ts';
import { readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import { readStatusRows, type SearchStatusRow } from '../../store/queries/search-status.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { SEARCH_STATUSES, type SearchStatusName } from '../../model/closed-lists.ts';
import type { Context } from '../context.ts';
import { UNREADABLE_SCHEDULE } from '../schedule/cadence.ts';
import { createSilenceLimits, SCHEDULES_PER_TURN } from './search-silence.ts';

/** The status of a search. */
export type SearchStatus = Pick<
  SearchStatusRow,
  | 'search_id'
  | 'search'
  | 'topic'
  | 'status'
  | 'since'
  | 'last_run_id'
  | 'last_run_at'
  | 'last_success_at'
  | 'next_due_at'
  | 'paused_until'
  | 'pauses'
> & {
  /** Why, in words, such as `the service returned an error (upstream_5xx)`; null for `ok` and `removed`. */
  reason: string | null;
  /** What a person can do about it; null: nothing but to wait, or to run it again. */
  advice: string | null;
};

/** The status of a topic: the worst of its searches; paused ones count only if all are paused. */
export type TopicStatus = {
  /** Null: it has no searches. */
  status: SearchStatusName | null;
  /** When the first of these searches came into it; null for `ok`. */
  since: Date | null;
  /** The reason of the search that has had this status for longest. */
  reason: string | null;
  advice: string | null;
  /** When it becomes active again by itself, if it is paused and all its searches have this end. */
  paused_until: Date | null;
  /** Searches with this status, by how long they have had it, longest first. */
  searches: readonly SearchStatus[];
  /** Number of all its searches that are not removed. */
  total: number;
  /** Its newest run that succeeded or failed. */
  last_run_id: Id | null;
  last_run_at: Date | null;
  next_due_at: Date | null;
};

/** Statuses with which a search does not do what it should. */
const TROUBLED: ReadonlySet<SearchStatusName> = new Set<SearchStatusName>([
  'broken',
  'failing',
  'silent',
  'nothing_coming',
  'waiting_for_source',
  'capped',
]);

/** The worst status first, then the search that has had it for longest. */
export function compareStatuses(
  a: Pick<SearchStatus, 'status' | 'since'>,
  b: Pick<SearchStatus, 'status' | 'since'>,
): number {
  return (
    SEARCH_STATUSES.indexOf(a.status) - SEARCH_STATUSES.indexOf(b.status) ||
    (a.since?.getTime() ?? 0) - (b.since?.getTime() ?? 0)
  );
}

/** Searches that do not do what they should, worst first. */
export function listTroubled(searches: readonly SearchStatus[]): SearchStatus[] {
  return searches.filter(({ status }) => TROUBLED.has(status)).toSorted(compareStatuses);
}

/** Practically unlimited. */
const MAX_SEARCHES = 100_000;

type StatusContext = Pick<Context, 'db' | 'clock' | 'config'>;

/**
 * The status of searches, in the order of topic and slug. This is the one read of it.
 * @param searchIds may be of removed searches; undefined: all searches that are not removed
 */
export async function readSearchStatuses(
  { db, clock, config }: StatusContext,
  searchIds?: readonly Id[],
): Promise<SearchStatus[]> {
  const rows = await readStatusRows(db, searchIds);
  const limitOf = createSilenceLimits(clock.now(), config);
  const statuses: SearchStatus[] = [];
  for (const [i, row] of rows.entries()) {
    if (i % SCHEDULES_PER_TURN === SCHEDULES_PER_TURN - 1) await setImmediate();
    const silent = canBeSilent(row) && row.no_success_since.getTime() < limitOf(row);
    statuses.push(describeRow(row, silent));
  }
  return statuses.toSorted((a, b) => compare(a.topic, b.topic) || compare(a.search, b.search));
}

/** A search that fails for long is also silent; failing is the more informative status. */
function canBeSilent({ status }: SearchStatusRow): boolean {
  return status === 'ok' || status === 'waiting' || status === 'nothing_coming';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function describeRow(row: SearchStatusRow, silent: boolean): SearchStatus {
  const { search_id, search, topic, last_run_id, last_run_at, last_success_at } = row;
  const { next_due_at, paused_until, pauses } = row;
  return {
    search_id,
    search,
    topic,
    status: silent ? 'silent' : row.status,
    since: silent ? row.no_success_since : row.since,
    reason: silent ? explainSilence(row) : explain(row),
    advice: advise(silent ? 'silent' : row.status, row.reason, paused_until),
    last_run_id,
    last_run_at,
    last_success_at,
    next_due_at,
    paused_until,
    pauses,
  };
}

function explainSilence({ last_run_id }: SearchStatusRow): string {
  return `no successful run for three intervals${last_run_id === null ? '; no run has ended yet' : ''}`;
}

function explain({
  status,
  reason,
  last_run_code: code,
  last_run_http_status: http,
  empty_runs: n,
  usual_results: usual,
}: SearchStatusRow): string | null {
  if (status === 'failing')
    return code === null ? null : `${RUN_CODES[code]} (${code}${http === null ? '' : `, HTTP ${http}`})`;
  if (status !== 'nothing_coming') return reason;
  const runs = n === 1 ? 'the last run' : `the last ${n ?? 0} runs`;
  return `${runs} returned 0 results, where ${Math.round(usual ?? 0)} are usual`;
}

/** Advice by the code that begins the reason of a broken search. */
const REPAIRS: Readonly<Record<string, string>> = {
  auth: 'Check the key (SEARCH_API_KEY), then resume.',
  payment: 'Check the account at the service, then resume.',
  invalid_request: 'Edit the request, then resume.',
  [UNREADABLE_SCHEDULE]: 'Edit the schedule, then resume.',
};

function advise(status: SearchStatusName, reason: string | null, pausedUntil: Date | null): string | null {
  switch (status) {
    case 'broken':
      return REPAIRS[reason?.split(':')[0] ?? ''] ?? 'Resume when the cause is removed.';
    case 'waiting_for_source':
      return 'Check the network of this machine; sources are checked again every minute.';
    case 'capped':
      return 'Continues on the next UTC day; CALLS_PER_DAY is the limit.';
    case 'paused':
      return pausedUntil === null ? 'Resume to continue.' : 'Continues by itself; resume to continue now.';
    case 'nothing_coming':
      return 'Check its query, and whether the service still finds anything.';
    case 'silent':
      return 'Check that a worker runs, and its last runs.';
    case 'failing':
    case 'waiting':
    case 'ok':
    case 'removed':
      return null;
  }
}

/** The status of a topic with these searches; removed ones do not count, unless all are. */
export function judgeTopic(searches: readonly SearchStatus[]): TopicStatus {
  const kept = searches.filter(({ status }) => status !== 'removed');
  const sorted = searches.toSorted(compareStatuses);
  const [first] = sorted;
  const its = sorted.filter(({ status }) => status === first?.status);
  const end = first?.paused_until ?? null;
  const paused_until = its.every((status) => status.paused_until?.getTime() === end?.getTime()) ? end : null;
  const [newest] = kept.toSorted((a, b) => (b.last_run_at?.getTime() ?? 0) - (a.last_run_at?.getTime() ?? 0));
  return {
    status: first?.status ?? null,
    since: first?.since ?? null,
    reason: first?.reason ?? null,
    advice: first?.status === 'paused' ? advise('paused', null, paused_until) : (first?.advice ?? null),
    paused_until,
    searches: its,
    total: kept.length,
    last_run_id: newest?.last_run_id ?? null,
    last_run_at: newest?.last_run_at ?? null,
    next_due_at: findEarliest(kept.map(({ next_due_at }) => next_due_at)),
  };
}

/** The status of each topic with searches, by slug. */
export async function readTopicStatuses(ctx: StatusContext): Promise<Map<string, TopicStatus>> {
  const byTopic = groupBy(await readSearchStatuses(ctx), ({ topic }) => topic);
  return new Map([...byTopic].map(([topic, searches]) => [topic, judgeTopic(searches)]));
}

/** The members of a search about its status, in the API and in JSON of commands. */
type StatusMembers = {
  status: SearchStatusName;
  status_since: Date | null;
  status_reason: string | null;
  status_advice: string | null;
  last_run_at: Date | null;
  last_success_at: Date | null;
};

/** Rows of searches with their status, in the same order, without searches that have been purged since. */
export function addStatus<Row extends { id: Id }>(
  rows: readonly Row[],
  statuses: readonly SearchStatus[],
): (Row & StatusMembers)[] {
  const byId = new Map(statuses.map((status) => [status.search_id, status]));
  return rows.flatMap((row) => {
    const known = byId.get(row.id);
    if (known === undefined) return [];
    const { status, since, reason, advice, last_run_at, last_success_at } = known;
    const members = { status, status_since: since, status_reason: reason, status_advice: advice };
    return [{ ...row, ...members, last_run_at, last_success_at }];
  });
}

/** The members of a topic about its status. */
type TopicStatusMembers = {
  status: SearchStatusName | null;
  status_since: Date | null;
  status_reason: string | null;
  status_advice: string | null;
  paused_until: Date | null;
  status_searches: number;
  last_run_at: Date | null;
  next_due_at: Date | null;
};

/** A topic with its status. @param status undefined: it has no searches that are not removed */
export function addTopicStatus<Row extends { archived_at: Date | null }>(
  row: Row,
  known: TopicStatus = judgeTopic([]),
): Row & TopicStatusMembers {
  const { status, since, reason, advice, paused_until, searches, last_run_at, next_due_at } = known;
  return {
    ...row,
    status: row.archived_at === null ? status : 'removed',
    status_since: row.archived_at ?? since,
    status_reason: row.archived_at === null ? reason : null,
    status_advice: row.archived_at === null ? advice : null,
    paused_until: row.archived_at === null ? paused_until : null,
    status_searches: searches.length,
    last_run_at,
    next_due_at,
  };
}

/** A search with its status. @throws Refused `not_found` if it was purged since it was read */
export async function readSearchWithStatus(
  ctx: StatusContext,
  row: SearchRow,
): Promise<SearchRow & StatusMembers> {
  const [known] = addStatus([row], await readSearchStatuses(ctx, [row.id]));
  if (known === undefined) throw createNotFound('search', row.slug);
  return known;
}

/** A topic with its status. */
export async function readTopicWithStatus(
  ctx: StatusContext,
  row: TopicRow,
): Promise<TopicRow & TopicStatusMembers> {
  const searches = await readSearches(ctx.db, { topic: row.slug, limit: MAX_SEARCHES });
  const statuses = await readSearchStatuses(
    ctx,
    searches.map(({ id }) => id),
  );
  return addTopicStatus(row, judgeTopic(statuses));
}

/** Number of searches with each status, also those that none has. */
export function tallyStatuses(searches: readonly SearchStatus[]): Record<SearchStatusName, number> {
  const tally = Object.fromEntries(SEARCH_STATUSES.map((status) => [status, 0])) as Record<
    SearchStatusName,
    number
  >; // fromEntries loses the keys
  for (const { status } of searches) tally[status] += 1;
  return tally;
}
