/** What the facts about the installation mean: each check is decided and worded here, for every door. */

import { formatCount, formatDuration } from '../../lib/display-format.ts';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { SystemEventKind } from '../../model/alerts.ts';
import { describeProblem, findProblemPage } from '../alerts/problem-words.ts';
import { advisoryCheck, type Check, failedCheck, passedCheck } from './check.ts';
import { describeMissed } from './search-completeness.ts';
import { STATUS_NAMES } from './status-names.ts';
import { describeLastRun } from './search-silence.ts';
import type { StatusFacts, WorkerStatus } from './status-facts.ts';

/**
 * Parts that everything needs come first, then problems of searches and messages.
 * @param formatAt writes a time for its reader
 */
export function judgeStatus(facts: StatusFacts, formatAt: (at: Date) => string): Check[] {
  return [
    checkQueue(facts),
    checkScan(facts),
    ...checkWorkers(facts),
    ...facts.services.flatMap(checkService),
    ...checkUnparsedResponses(facts),
    ...checkDelayedTrends(facts),
    ...checkFailingSearches(facts),
    ...checkSilentSearches(facts),
    ...checkRestlessSearches(facts),
    ...checkIncompleteSearches(facts),
    ...checkOtherProblems(facts, formatAt),
    checkReports(facts),
    ...checkOldestTransaction(facts),
    ...checkModel(facts),
  ];
}

function checkQueue({ queue: { kind, depth, cause } }: StatusFacts): Check {
  const where = `BullMQ on ${kind === 'redis' ? 'Redis' : 'Postgres'}`;
  if (depth !== null) return passedCheck('queue', `${where}, ${describeDepth(depth) || 'empty'}`);
  return failedCheck(
    'queue',
    `${where} does not respond${cause === null ? '' : `: ${cause}`}`,
    'until it does, runs wait in the database. If its tables or keys are damaged: strandline doctor --reset-queue',
  );
}

/** `2 waiting, 1 active`; empty without jobs. */
function describeDepth(depth: Readonly<Record<string, number>>): string {
  return Object.entries(depth)
    .flatMap(([name, n]) => (n > 0 ? [`${n} ${name}`] : []))
    .join(', ');
}

/** Without a worker no scan is expected: the missing worker is what has to be mended. */
function checkScan({ scan: { age_seconds, late }, workers }: StatusFacts): Check {
  const last = `last ran ${formatDuration(Math.max(0, age_seconds) * SECOND)} ago`;
  if (!late) return passedCheck('scan', last);
  const facts = `LATE: ${last}, so due searches do not run`;
  return hasLiveWorker(workers)
    ? failedCheck('scan', facts, 'restart the workers; their logs say why they do not scan')
    : advisoryCheck('scan', facts, START_WORKER);
}

const START_WORKER = 'start a worker: strandline up';

const hasLiveWorker = (workers: readonly WorkerStatus[]) => workers.some(({ silent }) => !silent);

/** Clocks with NTP differ by less. */
export const MAX_CLOCK_SKEW_MS = SECOND;

function checkWorkers({ workers, backlog: { overdue }, at: now }: StatusFacts): Check[] {
  const late = overdue === 0 ? '' : `, and ${formatCount(overdue, 'search is', 'searches are')} overdue`;
  const none = `No worker is running: schedules are on hold${late}`;
  return [
    ...(hasLiveWorker(workers) ? [] : [advisoryCheck('workers', none, START_WORKER)]),
    ...workers.map(({ name, version, concurrency, skew_ms, seen_at, silent }) => {
      const age = now.getTime() - seen_at.getTime();
      if (silent)
        return advisoryCheck(
          'workers',
          `${name} ${version}, no heartbeat for ${formatDuration(age)}: probably ended`,
          null,
        );
      const isOff = Math.abs(skew_ms) > MAX_CLOCK_SKEW_MS;
      const facts = [
        `${name} ${version}`,
        `${formatCount(concurrency, 'run')} at once`,
        ...(isOff ? [describeSkew(skew_ms)] : []),
        `seen ${age < SECOND ? 'now' : `${formatDuration(age)} ago`}`,
      ].join(', ');
      return isOff ? advisoryCheck('workers', facts, CLOCK_ADVICE) : passedCheck('workers', facts);
    }),
  ];
}

export const CLOCK_ADVICE = "schedules use the database's clock; run NTP on both machines so that logs agree";

/** `2.5 s behind the database's clock`. */
export function describeSkew(ms: number): string {
  const amount = Math.abs(ms) < SECOND ? `${Math.abs(ms)} ms` : `${(Math.abs(ms) / SECOND).toFixed(1)} s`;
  return `${amount} ${ms < 0 ? 'behind' : 'ahead of'} the database's clock`;
}

function checkService({ name, missing, searches: { active = 0 } }: StatusFacts['services'][number]): Check[] {
  if (missing === null || active === 0) return [];
  const facts = `${formatCount(active, 'search', 'searches')} cannot run: ${missing}`;
  return [failedCheck(`service ${name}`, facts, 'see: strandline config show')];
}

/** The next scan parses a response whose run ended without it; an older one is stuck. */
const STUCK_RESPONSE_MS = 5 * MINUTE;

function checkUnparsedResponses({ unread_responses: unread }: StatusFacts): Check[] {
  const { late, oldest_seconds, oldest_run_id, spooled } = unread;
  const checks: Check[] = [];
  if (late > 0 && oldest_seconds !== null && oldest_run_id !== null) {
    const ms = oldest_seconds * SECOND;
    checks.push(
      (ms > STUCK_RESPONSE_MS ? failedCheck : advisoryCheck)(
        'unparsed',
        `${formatCount(late, 'paid response')} not parsed, the oldest for ${formatDuration(ms)}`,
        `parse it again: strandline runs replay ${oldest_run_id}`,
        `/runs/${oldest_run_id}`,
      ),
    );
  }
  if (spooled > 0)
    checks.push(
      advisoryCheck(
        'unparsed',
        `${formatCount(spooled, 'paid response')} on the disk of a worker`,
        'stored when Postgres accepts them; keep its data directory until then',
      ),
    );
  return checks;
}

const MAX_LISTED_SEARCHES = 10;

/** The first of them, and how many more there are. */
function listFirst<T>(all: readonly T[], total: number, check: (row: T) => Check): Check[] {
  const checks = all.slice(0, MAX_LISTED_SEARCHES).map(check);
  const more = total - checks.length;
  const [first] = checks;
  if (first === undefined || more <= 0) return checks;
  return [
    ...checks,
    { ...first, facts: `and ${more} more`, advice: 'see: strandline status --json', page: '/' },
  ];
}

const nameIn = ({ search_names }: StatusFacts, slug: string) => search_names.get(slug)?.full ?? slug;

/** Workers log the error once, with its cause. */
function checkDelayedTrends(facts: StatusFacts): Check[] {
  const { set_aside: aside } = facts;
  const distance = (at: Date) => {
    const ms = at.getTime() - facts.at.getTime();
    return ms < 0 ? `${formatDuration(-ms)} ago` : `in ${formatDuration(ms)}`;
  };
  return listFirst(aside, aside.length, ({ search, run_id, at, attempts, code, retry_at }) =>
    failedCheck(
      'derivation',
      `${nameIn(facts, search)}: trends are derived up to ${distance(at)}; run ${run_id} failed ${formatCount(attempts, 'time')} (${code}), retries ${distance(retry_at)}`,
      'see "response set aside" in the logs of workers',
      `/runs/${run_id}`,
    ),
  );
}

const seeRun = (runId: bigint | null, search: string) =>
  `see: strandline ${runId === null ? `search show ${search}` : `runs show ${runId}`}`;

const lasting = (since: Date | null, now: Date) =>
  `for ${formatDuration(now.getTime() - (since ?? now).getTime())}`;

/** Broken searches, and failing searches that are not listed as silent. */
function checkFailingSearches(facts: StatusFacts): Check[] {
  const { troubled, silent } = facts;
  const listed = new Set(silent.searches.map(({ slug }) => slug));
  const failing = troubled.filter(
    ({ status, search }) => status === 'broken' || (status === 'failing' && !listed.has(search)),
  );
  return listFirst(failing, failing.length, ({ search, status, since, reason, advice, last_run_id }) =>
    failedCheck(
      STATUS_NAMES[status],
      `${nameIn(facts, search)}: ${lasting(since, facts.at)}: ${reason ?? 'reason not recorded'}`,
      advice ?? seeRun(last_run_id, search),
      `/searches/${search}`,
    ),
  );
}

function checkSilentSearches(facts: StatusFacts): Check[] {
  const { total, searches } = facts.silent;
  return listFirst(searches, total, (search) =>
    failedCheck(
      STATUS_NAMES.silent,
      `${nameIn(facts, search.slug)}: no successful run ${lasting(search.since, facts.at)}; ${describeLastRun(search)}`,
      seeRun(search.run_id, search.slug),
      `/searches/${search.slug}`,
    ),
  );
}

/** Nothing failed, but nothing is observed either: nothing where much is usual, no source, or no calls left today. */
function checkRestlessSearches(facts: StatusFacts): Check[] {
  return (['nothing_coming', 'waiting_for_source', 'capped'] as const).flatMap((status) => {
    const searches = facts.troubled.filter((search) => search.status === status);
    return listFirst(searches, searches.length, ({ search, since, reason, advice }) =>
      advisoryCheck(
        STATUS_NAMES[status],
        `${nameIn(facts, search)}: ${reason ?? 'reason not recorded'}, ${lasting(since, facts.at)}`,
        advice,
        `/searches/${search}`,
      ),
    );
  });
}

/** Posts that no response contained are lost, so a fixed interval that misses some is worth a change. */
function checkIncompleteSearches(facts: StatusFacts): Check[] {
  const { incomplete } = facts;
  return listFirst(incomplete, incomplete.length, (search) =>
    advisoryCheck(
      'incomplete',
      `${nameIn(facts, search.slug)} ${describeMissed(search)}`,
      search.adaptive
        ? `see: strandline search show ${search.slug}`
        : `change it: strandline search edit ${search.slug} --every auto`,
      `/searches/${search.slug}`,
    ),
  );
}

/** Problems of searches are checked with their reasons above. */
const OTHER_PROBLEMS: ReadonlySet<SystemEventKind> = new Set<SystemEventKind>([
  'source_down',
  'channel_dead',
  'budget_low',
  'worker_stopped',
]);

function checkOtherProblems({ system_events }: StatusFacts, formatAt: (at: Date) => string): Check[] {
  return system_events
    .filter(({ kind, clear_since }) => OTHER_PROBLEMS.has(kind) && clear_since === null)
    .map((event) =>
      advisoryCheck('problems', describeProblem(event, 'began', formatAt), null, findProblemPage(event)),
    );
}

/** Whom the rule `system` notifies about problems. */
function checkReports({ system_rule: { state, channels } }: StatusFacts): Check {
  if (state === 'paused')
    return advisoryCheck(
      'reports',
      'problems are reported to nobody: the rule system is paused',
      'resume it: strandline rules resume system',
    );
  if (channels.length > 0) return passedCheck('reports', `problems are reported to ${channels.join(', ')}`);
  return advisoryCheck(
    'reports',
    'problems are reported to nobody',
    'add a channel (strandline channels add --help), or: strandline rules edit system --channel CHANNEL',
  );
}

/** A save takes milliseconds and a backup minutes. If the server reports no time, later transactions are counted. */
const LONG_TRANSACTION_SECONDS = HOUR / SECOND;
const MANY_TRANSACTIONS_BEHIND = 1_000_000;

/** An open transaction keeps Postgres from removing dead rows, which slows all queries and fills the disk. */
export function checkOldestTransaction({
  oldest_transaction: oldest,
}: Pick<StatusFacts, 'oldest_transaction'>): Check[] {
  if (oldest === null) return [];
  const { who, seconds, behind } = oldest;
  if ((seconds ?? 0) < LONG_TRANSACTION_SECONDS && behind < MANY_TRANSACTIONS_BEHIND) return [];
  const open =
    seconds === null ? 'is open' : `has been open for ${formatCount(Math.floor(seconds / 60), 'minute')}`;
  const later = `${formatCount(behind, 'transaction')} ${behind === 1 ? 'has' : 'have'} started since`;
  return [
    failedCheck(
      'transactions',
      `a transaction of ${who} ${open}; ${later}`,
      'end it (find it in pg_stat_activity): Postgres cannot vacuum rows that it may still read',
    ),
  ];
}

/** Failures of a purpose in a day that are no accident. */
const MIN_MODEL_FAILURES = 3;

/** The limit of the day, and a model that fails half of the time: both mean that things go on as without a model. */
function checkModel({ model_calls: purposes }: Pick<StatusFacts, 'model_calls'>): Check[] {
  return purposes.flatMap(({ purpose, calls, most, failed }) => {
    const name = `language model: ${purpose}`;
    if (calls !== null && calls >= most)
      return [
        advisoryCheck(name, `all ${formatCount(most, 'call')} of today are used`, 'see LLM_CALLS_PER_DAY'),
      ];
    if (calls === null || failed === null || failed < MIN_MODEL_FAILURES || 2 * failed < calls) return [];
    return [
      advisoryCheck(
        name,
        `${failed} of ${formatCount(calls, 'call')} today failed`,
        'check LLM_BASE_URL and LLM_MODEL',
      ),
    ];
  });
}
