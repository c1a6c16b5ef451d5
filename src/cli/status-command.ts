/** `status`: the state of database, queue, services, workers and runs. */

import type { TrendState } from '../model/enumerations.ts';
import { RUN_CODES } from '../model/errors.ts';
import type { SystemEventKind } from '../model/alerts.ts';
import { describeProblem } from '../monitor/alerts/problem-words.ts';
import { STATUS_NAMES } from '../monitor/status/search-status.ts';
import { describeLastRun } from '../monitor/status/search-silence.ts';
import { describeDepth, readStatus, type Status } from '../monitor/status/system-status.ts';
import { formatSlot } from '../monitor/schedule/schedule-text.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import type { ServiceDay } from '../store/queries/run-tallies.ts';
import { SEARCH_STATUSES } from '../model/closed-lists.ts';
import type { Check } from './check-result.ts';
import type { Cli } from './command-context.ts';
import { describeSilences } from './result-notices.ts';
import { diagnoseAtServer, listIneffective } from './shell-settings.ts';
import type { Terminal } from './terminal-io.ts';
import { renderList } from './terminal-table.ts';
import {
  formatCost,
  formatCount,
  formatDayAndMinute,
  formatDistance,
  formatDuration,
  formatQuantity,
  formatRelative,
} from './value-formatting.ts';
import { describeMissed } from '../monitor/status/search-completeness.ts';
import type { Command } from 'commander';

export function registerStatus(command: Command, cli: Cli): void {
  const listing = command.option('--json', 'print JSON');
  listing.action(async (options: { json?: boolean }) => {
    const { done, problem } = await diagnoseAtServer(cli);
    if (done) return;
    if (problem !== null) cli.say(problem);
    await cli.withProgram(async (program) => {
      const status = await readStatus(program.ctx, program.embedded);
      const free: FreeKinds = new Set();
      for (const { kind } of status.services) if (await program.ctx.isFree(kind)) free.add(kind);
      await cli.show(options.json, status, () =>
        renderStatus(status, free, program.ctx.clock.now(), cli.page),
      );
    });
    const ineffective = await listIneffective(cli);
    if (ineffective.length > 0)
      cli.say(
        `Set in this shell, but the running server uses other values: ${ineffective.join(', ')}. See: strandline config show`,
      );
  });
}

/** Kinds of services that are known to cost nothing. */
type FreeKinds = Set<ServiceDay['kind']>;

function describePauseOfAll({ pause_of_all: pause }: Status, page: Terminal): string[] {
  if (pause === null) return [];
  const end = pause.until === null ? '' : ` until ${formatDayAndMinute(pause.until, page)}`;
  return [
    `${formatQuantity(pause.searches, 'search', 'searches')} with all searches${end}; to continue now: strandline resume`,
  ];
}

type StatusLine = readonly [name: string, value: string];

function renderStatus(status: Status, free: FreeKinds, now: Date, page: Terminal): string[] {
  const lines: StatusLine[] = [
    ...renderDatabase(status),
    ...renderQueue(status),
    ...renderScan(status, now, page),
    ...renderServices(status, free, page),
    ...renderWorkers(status, now, page),
    ...renderRuns(status),
    ...renderProblems(listProblems(status, now)),
    ...labelLines('problems', describeOtherProblems(status, page)),
    ...labelLines('reports', [describeReports(status)]),
    ...labelLines('trends', describeTrendStates(status)),
    ...labelLines('tools', describeSilences(status.silent_tools, page)),
    ...labelLines('searches', describeSearchStatuses(status)),
    ...labelLines('paused', describePauseOfAll(status, page)),
    ...labelLines(
      'not active',
      // What is broken is among the problems.
      status.resting
        .filter(({ state, pauses }) => state !== 'broken' && pauses.join() !== 'all')
        .map((search) => {
          const why = search.state_reason === null ? '' : `: ${search.state_reason}`;
          const { paused_until: end } = search;
          const until = end === null ? '' : ` until ${formatDayAndMinute(end, page)}`;
          return `${search.slug} is ${search.state}${until}${why} (${formatRelative(search.state_since, now, page)})`;
        }),
    ),
    ...labelLines(
      'next',
      status.next.length === 0
        ? ['no searches are scheduled']
        : status.next.map(({ local, search, next_due_at }) => {
            const at = page.live ? formatSlot(next_due_at, page.zone) : local;
            return `${at}  ${search}${next_due_at < now ? ' (overdue)' : ''}`;
          }),
    ),
  ];
  const room = page.width - LABEL_WIDTH;
  return renderList(
    lines.flatMap(([name, value]) => labelLines(name, page.wrapHint(value, room))),
    page,
  );
}

/** The longest label and the gap behind it. */
const LABEL_WIDTH = 12;

function renderDatabase({ database: { kind, version, name } }: Status): StatusLine[] {
  return [['database', `PostgreSQL ${version}, ${kind === 'embedded' ? 'embedded' : 'external'}: ${name}`]];
}

function renderQueue({ queue: { kind, depth } }: Status): StatusLine[] {
  const where = `BullMQ on ${kind === 'redis' ? 'Redis' : 'Postgres'}`;
  if (depth === null) return [['queue', `${where}, UNREACHABLE; runs wait in the database`]];
  return [['queue', `${where}, ${describeDepth(depth) || 'empty'}`]];
}

function renderScan({ scan: { scanned_at, late } }: Status, now: Date, page: Terminal): StatusLine[] {
  const found = `last ran ${formatRelative(scanned_at, now, page)}`;
  return [
    ['scan', late ? `LATE: ${found}, so due searches do not run. Start a worker: strandline up` : found],
  ];
}

function renderProblems(problems: readonly Check[]): StatusLine[] {
  return problems.map(({ check, found, advice }, i) => [
    problems[i - 1]?.check === check ? '' : check,
    advice === null ? found : `${found}; ${advice}`,
  ]);
}

/** What needs attention, and what to do about it: lines of `status`, checks of `doctor`. */
export function listProblems(status: Status, now: Date): Check[] {
  return [
    ...listUnparsedResponses(status),
    ...listDelayedTrends(status, now),
    ...listFailingSearches(status, now),
    ...listSilentSearches(status, now),
    ...listEmptySearches(status, now),
    ...listSearchesWithoutSource(status, now),
    ...listIncompleteSearches(status),
  ];
}

/** Problems of searches are listed with their reasons above. */
const OTHER_PROBLEMS: ReadonlySet<SystemEventKind> = new Set<SystemEventKind>([
  'source_down',
  'channel_dead',
  'budget_low',
  'worker_stopped',
]);

function describeOtherProblems({ system_events }: Status, page: Terminal): string[] {
  return system_events
    .filter(({ kind, clear_since }) => OTHER_PROBLEMS.has(kind) && clear_since === null)
    .map((event) => describeProblem(event, 'began', (at) => formatDayAndMinute(at, page)));
}

/** Whom the rule `system` tells about problems. */
function describeReports({ system_rule: { state, channels } }: Status): string {
  if (state === 'paused') return 'problems are reported to nobody: strandline rules resume system';
  if (channels.length > 0) return `problems are reported to ${channels.join(', ')}`;
  return 'problems are reported to nobody; add a channel: strandline channels add --help';
}

/** The next scan parses a response whose run ended without it; an older one is stuck. */
const STUCK_RESPONSE_MS = 5 * MINUTE;

function listUnparsedResponses({ unread_responses: unread }: Status): Check[] {
  const { late, oldest_seconds, oldest_run_id, spooled } = unread;
  const problems: Check[] = [];
  if (late > 0 && oldest_seconds !== null && oldest_run_id !== null)
    problems.push({
      check: 'unparsed',
      ok: oldest_seconds * SECOND > STUCK_RESPONSE_MS ? false : null,
      found: `${formatQuantity(late, 'paid response')} not parsed, the oldest for ${formatDuration(oldest_seconds * SECOND)}`,
      advice: `parse it again: strandline runs replay ${oldest_run_id}`,
    });
  if (spooled > 0)
    problems.push({
      check: 'unparsed',
      ok: null,
      found: `${formatQuantity(spooled, 'paid response')} on the disk of a worker`,
      advice: 'stored when Postgres accepts them; keep its data directory until then',
    });
  return problems;
}

const MAX_LISTED_SEARCHES = 10;

/** The first of them, and how many more there are. */
function listFirst<T>(all: readonly T[], total: number, describe: (one: T) => Check): Check[] {
  const problems = all.slice(0, MAX_LISTED_SEARCHES).map(describe);
  const more = total - problems.length;
  const [first] = problems;
  if (first === undefined || more <= 0) return problems;
  return [...problems, { ...first, found: `and ${more} more`, advice: 'see: strandline status --json' }];
}

/** Workers log the error once, with its cause. */
function listDelayedTrends({ set_aside: aside }: Status, now: Date): Check[] {
  return listFirst(aside, aside.length, ({ search, run_id, at, attempts, code, retry_at }) => ({
    check: 'derivation',
    ok: false,
    found: `${search}: trends are derived up to ${formatDistance(at, now)}; run ${run_id} failed ${formatQuantity(attempts, 'time')} (${code}), retries ${formatDistance(retry_at, now)}`,
    advice: 'see "response set aside" in the logs of workers',
  }));
}

/** Failures since the last success; one that goes on for three intervals is silent, too, and is listed there. */
function listFailingSearches({ troubled, silent }: Status, now: Date): Check[] {
  const listed = new Set(silent.searches.map(({ slug }) => slug));
  const failing = troubled.filter(
    ({ status, search }) => status === 'broken' || (status === 'failing' && !listed.has(search)),
  );
  return listFirst(failing, failing.length, ({ search, status, since, reason, advice, last_run_id }) => ({
    check: STATUS_NAMES[status],
    ok: false,
    found: `${search}: for ${formatDuration(now.getTime() - (since ?? now).getTime())}: ${reason ?? 'reason not recorded'}`,
    advice:
      advice ??
      `see: strandline ${last_run_id === null ? `search show ${search}` : `runs show ${last_run_id}`}`,
  }));
}

/** Nothing where much is usual: perhaps nobody says anything, more likely something is wrong. */
function listEmptySearches({ troubled }: Status, now: Date): Check[] {
  const empty = troubled.filter(({ status }) => status === 'nothing_coming');
  return listFirst(empty, empty.length, ({ search, since, reason, advice }) => ({
    check: STATUS_NAMES.nothing_coming,
    ok: null,
    found: `${search}: ${reason ?? ''}, for ${formatDuration(now.getTime() - (since ?? now).getTime())}`,
    advice,
  }));
}

/** Nothing failed, but nothing is observed either. */
function listSearchesWithoutSource({ troubled }: Status, now: Date): Check[] {
  const waiting = troubled.filter(({ status }) => status === 'waiting_for_source');
  return listFirst(waiting, waiting.length, ({ search, since, reason, advice }) => ({
    check: STATUS_NAMES.waiting_for_source,
    ok: null,
    found: `${search}: ${reason ?? ''}; for ${formatDuration(now.getTime() - (since ?? now).getTime())}`,
    advice,
  }));
}

function listSilentSearches({ silent: { total, searches } }: Status, now: Date): Check[] {
  return listFirst(searches, total, (search) => ({
    check: 'silent',
    ok: false,
    found: `${search.slug}: no successful run for ${formatDuration(now.getTime() - search.since.getTime())}; ${describeLastRun(search)}`,
    advice: `see: strandline ${search.run_id === null ? `search show ${search.slug}` : `runs show ${search.run_id}`}`,
  }));
}

/** Posts that no response contained are lost, so a fixed interval that misses some is worth a change. */
function listIncompleteSearches({ incomplete }: Status): Check[] {
  return listFirst(incomplete, incomplete.length, (one) => ({
    check: 'incomplete',
    ok: null,
    found: `${one.slug} ${describeMissed(one)}`,
    advice: one.adaptive
      ? `see: strandline search show ${one.slug}`
      : `change it: strandline search edit ${one.slug} --every auto`,
  }));
}

function renderServices(status: Status, free: FreeKinds, page: Terminal): StatusLine[] {
  if (status.services.length === 0) return [['services', 'none yet; the first search adds one']];
  return labelLines(
    'services',
    status.services.flatMap((service) => {
      const states = Object.entries(service.searches).map(([state, n]) =>
        formatQuantity(n, `${state} search`, `${state} searches`),
      );
      const { kind, name, calls_today, calls_per_day, missing } = service;
      const limit = calls_per_day === null ? '' : ` of ${formatCount(calls_per_day, page)}`;
      const facts = [
        states.length === 0 ? 'no searches' : states.join(', '),
        `${formatCount(calls_today, page)}${limit} ${calls_today === 1 && limit === '' ? 'call' : 'calls'} today`,
        describeCost(service, free.has(kind)),
      ];
      return [
        `${name}${kind === name ? '' : ` (${kind})`}: ${facts.join(', ')}`,
        ...(missing === null ? [] : [`${name} CANNOT RUN: ${missing}`]),
      ];
    }),
  );
}

/** An unreported cost is not zero: a sum says how many calls it omits. */
function describeCost(
  { calls_today, cost_usd_today, calls_without_cost_today: silent }: ServiceDay,
  free: boolean,
): string {
  if (free) return 'free';
  if (calls_today === 0) return 'no cost';
  const left =
    silent === 0 || cost_usd_today === null ? '' : ` (${formatQuantity(silent, 'call')} not reported)`;
  return `cost ${formatCost(cost_usd_today, { free: false })}${left}`;
}

function renderWorkers(status: Status, now: Date, page: Terminal): StatusLine[] {
  const none = 'No worker is running: schedules are on hold. Start one: strandline up';
  return labelLines('workers', [
    ...(status.workers.some(({ silent }) => !silent) ? [] : [none]),
    ...status.workers.map(({ name, version, concurrency, skew_ms, seen_at, silent }) => {
      if (silent) {
        const since = formatDuration(now.getTime() - seen_at.getTime());
        return `${name} ${version}, no heartbeat for ${since}: probably ended`;
      }
      const facts = [
        `${name} ${version}`,
        `${formatQuantity(concurrency, 'run')} at once`,
        ...describeSkew(skew_ms),
      ];
      return `${facts.join(', ')}, seen ${formatRelative(seen_at, now, page)}`;
    }),
  ]);
}

/** Differences below a second are normal. */
function describeSkew(ms: number): string[] {
  if (Math.abs(ms) < SECOND) return [];
  return [`${(Math.abs(ms) / SECOND).toFixed(1)} s ${ms < 0 ? 'behind' : 'ahead of'} the database's clock`];
}

function renderRuns({ runs_24h }: Status): StatusLine[] {
  if (runs_24h.length === 0) return [['last 24 h', 'no runs']];
  return labelLines(
    'last 24 h',
    runs_24h.map(({ status, code, reason, runs: n }) => {
      const why = code === null ? (reason ?? '') : `${code}, ${RUN_CODES[code]}`;
      return `${formatQuantity(n, 'run')} ${status}${why === '' ? '' : `: ${why}`}`;
    }),
  );
}

const TREND_STATE_NAMES: Readonly<Record<Exclude<TrendState, 'normal'>, string>> = {
  rising: 'rising',
  falling: 'falling',
  new_level: 'at a new level',
  silent: 'silent (no posts)',
};

function describeTrendStates({ trend_states }: Status): string[] {
  const parts = Object.entries(TREND_STATE_NAMES).flatMap(([state, name]) => {
    const n = trend_states[state] ?? 0;
    return n === 0 ? [] : [`${formatQuantity(n, 'search', 'searches')} ${name}`];
  });
  return parts.length === 0 ? [] : [parts.join(', ')];
}

/** `2 OK, 1 failing`, the worst first. */
function describeSearchStatuses({ search_statuses }: Status): string[] {
  const parts = SEARCH_STATUSES.flatMap((status) =>
    search_statuses[status] === 0 ? [] : [`${search_statuses[status]} ${STATUS_NAMES[status]}`],
  );
  return parts.length === 0 ? [] : [parts.join(', ')];
}

/** Only the first line has the label. */
function labelLines(name: string, values: readonly string[]): StatusLine[] {
  return values.map((value, i) => [i === 0 ? name : '', value]);
}
