/**
 * `doctor` checks of searches: whether they can run and do, whether their responses are parsed and derived, and whether
 * the language model and public sources are reachable.
 */

import type { Program } from '../app/program.ts';
import type { ProbeResult } from '../app/service-access.ts';
import type { Config } from '../config/config.ts';
import { openScope } from '../monitor/topics/find-by-slug.ts';
import {
  describeMissed,
  type IncompleteSearch,
  judgeCompleteness,
} from '../monitor/status/search-completeness.ts';
import { judgeSilence, type SilentSearches } from '../monitor/status/search-silence.ts';
import { describeTopicsToRewatch, listTopicsToRewatch } from '../monitor/topics/simulated-topics.ts';
import { HOUR, MINUTE, SECOND } from '../domain/time.ts';
import { type AsideReading, readSetAside } from '../store/derive/pending-derivations.ts';
import { readSearches } from '../store/queries/search-list.ts';
import {
  type Backlog,
  isScanLate,
  type OpenTransaction,
  readBacklog,
  readOldestTransaction,
  readUnread,
  type UnreadResponses,
} from '../store/queries/system.ts';
import { WORKER_SILENCE_MS } from '../store/worker-registry.ts';
import {
  advisoryCheck,
  type Check,
  describeCause,
  failedCheck,
  passedCheck,
  probeConnection,
} from './check-result.ts';
import { hasWorkers } from './local-runs.ts';
import { MAX_LIMIT } from './option-values.ts';
import { formatDuration, formatQuantity } from './value-formatting.ts';

export async function checkSearches({ ctx }: Pick<Program, 'ctx'>): Promise<Check[]> {
  const { data } = (await openScope(ctx.db, {})).scope;
  const searches = await readSearches(ctx.db, { data, state: 'active', limit: MAX_LIMIT });
  const hosted = searches.filter(({ service_kind }) => service_kind === 'hosted').length;
  const now = ctx.clock.now();
  const overdue = searches.filter(({ next_due_at: at }) => at !== null && at < now).length;
  const checks: Check[] = [];
  if (hosted > 0 && ctx.config.hosted === undefined)
    checks.push(
      failedCheck(
        'hosted searches',
        `${formatQuantity(hosted, 'search', 'searches')} of the hosted service cannot run`,
        'set SEARCH_API_URL',
      ),
    );
  const working = await hasWorkers(ctx);
  if (overdue > 0 && !working)
    checks.push(
      advisoryCheck(
        'workers',
        `none is running, and ${formatQuantity(overdue, 'search is', 'searches are')} overdue`,
        'start one: strandline up',
      ),
    );
  const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
  const unread = await readUnread(ctx.db, { statementTime: ctx.clock.statementTime(), heardSince });
  return [
    ...checks,
    ...(working ? [checkScan(await readBacklog(ctx.db, now))] : []),
    ...checkSilentSearches(await judgeSilence(ctx, data)),
    ...checkCompleteness(await judgeCompleteness(ctx, data)),
    ...checkUnparsedResponses(unread),
    ...checkDerivation(await readSetAside(ctx.db, data, MAX_NAMED_SEARCHES)),
    ...checkSimulated(await listTopicsToRewatch(ctx)),
    ...checkOldestTransaction(await readOldestTransaction(ctx.db)),
  ];
}

/** For a program with workers: without them, nothing scans. */
export function checkScan(backlog: Pick<Backlog, 'scan_age_seconds'>): Check {
  const found = `last ran ${formatDuration(backlog.scan_age_seconds * SECOND)} ago`;
  if (!isScanLate(backlog)) return passedCheck('scan', found);
  return failedCheck(
    'scan',
    `${found}, so due searches do not run`,
    "restart the workers; their logs say why they don't scan",
  );
}

const MAX_NAMED_SEARCHES = 5;

function checkSilentSearches({ total, searches }: SilentSearches): Check[] {
  const [first] = searches;
  if (first === undefined) return [];
  const names = searches.slice(0, MAX_NAMED_SEARCHES).map(({ slug }) => slug);
  const more = total > names.length ? ` and ${total - names.length} more` : '';
  return [
    failedCheck(
      'silent searches',
      `no successful run for three intervals: ${names.join(', ')}${more}`,
      `see why: strandline status, strandline runs list --search ${first.slug}`,
    ),
  ];
}

/** Posts that no response contained are lost, so a fixed interval that misses some is worth a change. */
function checkCompleteness(incomplete: readonly IncompleteSearch[]): Check[] {
  const [first] = incomplete;
  if (first === undefined) return [];
  const named = incomplete.slice(0, MAX_NAMED_SEARCHES).map((one) => `${one.slug} ${describeMissed(one)}`);
  const more = incomplete.length > named.length ? `; and ${incomplete.length - named.length} more` : '';
  return [
    advisoryCheck(
      'completeness',
      `${named.join('; ')}${more}`,
      `change the interval: strandline search edit ${first.slug} --every auto`,
    ),
  ];
}

/** Workers log the error once, with its cause. */
function checkDerivation(readings: readonly AsideReading[]): Check[] {
  if (readings.length === 0) return [];
  const which = readings.map(({ search, run_id, code }) => `${search} (run ${run_id}: ${code})`);
  const advice = `see "response set aside" in the logs of workers; workers retry at least once an hour`;
  return [
    failedCheck(
      'derivation',
      `trends are behind because responses could not be processed: ${which.join(', ')}`,
      advice,
    ),
  ];
}

/** The next scan parses a response whose run ended without it; an older one is stuck. */
const STUCK_RESPONSE_MS = 5 * MINUTE;

function checkUnparsedResponses(unread: UnreadResponses): Check[] {
  const { late, oldest_seconds, oldest_run_id, spooled } = unread;
  const spool =
    spooled === 0
      ? []
      : [
          advisoryCheck(
            'spooled responses',
            `${formatQuantity(spooled, 'paid response')} on the disk of a worker`,
            'the worker stores them when Postgres accepts them; keep its data directory until then',
          ),
        ];
  if (late === 0 || oldest_seconds === null || oldest_run_id === null) return spool;
  const age = oldest_seconds * SECOND;
  const found = `${formatQuantity(late, 'paid response')} not parsed, the oldest (of run ${oldest_run_id}) for ${formatDuration(age)}`;
  const advice = `parse it again: strandline runs replay ${oldest_run_id}`;
  return [
    age > STUCK_RESPONSE_MS
      ? failedCheck('unparsed responses', found, advice)
      : advisoryCheck('unparsed responses', found, advice),
    ...spool,
  ];
}

function checkSimulated(topics: readonly string[]): Check[] {
  if (topics.length === 0) return [];
  const { words, advice } = describeTopicsToRewatch(topics);
  return [advisoryCheck('topics', words, advice)];
}

/** A save takes milliseconds and a backup minutes. If the server reports no time, later transactions are counted. */
const LONG_TRANSACTION_SECONDS = HOUR / SECOND;
const MANY_TRANSACTIONS_BEHIND = 1_000_000;

/** An open transaction keeps Postgres from removing dead rows, which slows all queries and fills the disk. */
export function checkOldestTransaction(oldest: OpenTransaction | null): Check[] {
  if (oldest === null) return [];
  const { who, seconds, behind } = oldest;
  if ((seconds ?? 0) < LONG_TRANSACTION_SECONDS && behind < MANY_TRANSACTIONS_BEHIND) return [];
  const open =
    seconds === null ? 'is open' : `has been open for ${formatQuantity(Math.floor(seconds / 60), 'minute')}`;
  const later = `${formatQuantity(behind, 'transaction')} ${behind === 1 ? 'has' : 'have'} started since`;
  return [
    failedCheck(
      'transactions',
      `a transaction of ${who} ${open}; ${later}`,
      'end it (find it in pg_stat_activity): Postgres cannot vacuum rows that it may still read',
    ),
  ];
}

const MODEL_CONNECT_TIMEOUT_MS = 2 * SECOND;

/** Connects to the language model and sends nothing. Without a model, completions quote their sources, so this is advisory. */
export async function checkModel({ service: { model } }: Config): Promise<Check[]> {
  if (model === undefined) return [];
  const { host } = new URL(model.baseUrl);
  try {
    await probeConnection(model.baseUrl, MODEL_CONNECT_TIMEOUT_MS);
    return [passedCheck('language model', `${host} accepts connections`)];
  } catch (error) {
    return [
      advisoryCheck(
        'language model',
        `${host} is unreachable: ${describeCause(error)}`,
        'check LLM_BASE_URL; until it answers, completions quote their sources',
      ),
    ];
  }
}

/** One check per configured public source, and one for those that are off; advisory, because the sandbox works without them. */
export function checkSources(probed: readonly ProbeResult[]): Check[] {
  const enabled = probed.filter(({ outcome }) => outcome !== 'off');
  if (enabled.length === 0)
    return [advisoryCheck('sources', 'none configured', 'see SERVICE_SOURCES in docs/reference/sources.md')];
  const off = probed
    .filter(({ outcome }) => outcome === 'off')
    .map(({ name, words }) => `${name} (${words})`);
  const checks = enabled.map(({ name, source, outcome, words, problems = [] }) => {
    const check = `source ${name} (${source})`;
    if (problems.length > 0) return advisoryCheck(check, problems.join('; '), 'fix or remove these');
    return outcome === 'unreachable'
      ? advisoryCheck(check, words, 'check the network')
      : passedCheck(check, words);
  });
  return off.length === 0 ? checks : [...checks, passedCheck('sources that are off', off.join(', '))];
}
