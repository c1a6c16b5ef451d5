/**
 * `doctor` checks of searches: whether they can run and do, whether their responses are parsed and derived, and whether
 * the language model and public sources are reachable.
 */

import type { Program } from '../app/program.ts';
import type { ProbeResult } from '../app/service-access.ts';
import type { Config } from '../config/config.ts';
import { HOUR, SECOND } from '../lib/time.ts';
import { readStatus, type Status } from '../monitor/status/system-status.ts';
import { type OpenTransaction, readOldestTransaction } from '../store/queries/system.ts';
import { advisoryCheck, type Check, checkAddress, failedCheck, passedCheck } from './check-result.ts';
import { listProblems } from './status-command.ts';
import { formatDuration, formatQuantity } from './value-formatting.ts';

export async function checkSearches({ ctx, embedded }: Pick<Program, 'ctx' | 'embedded'>): Promise<Check[]> {
  const status = await readStatus(ctx, embedded);
  const now = ctx.clock.now();
  return [
    ...status.services.flatMap(checkService),
    ...checkWorkers(status, now),
    ...listProblems(status, now),
    ...checkOldestTransaction(await readOldestTransaction(ctx.db)),
  ];
}

function checkService({ name, missing, searches: { active = 0 } }: Status['services'][number]): Check[] {
  if (missing === null || active === 0) return [];
  const found = `${formatQuantity(active, 'search', 'searches')} cannot run: ${missing}`;
  return [failedCheck(`service ${name}`, found, 'see: strandline config show')];
}

/** Without workers, nothing scans, which matters once a search is due. */
function checkWorkers({ workers, next, scan }: Status, now: Date): Check[] {
  if (workers.some(({ silent }) => !silent)) return [checkScan(scan)];
  if (!next.some(({ next_due_at }) => next_due_at < now)) return [];
  return [advisoryCheck('workers', 'none is running, and searches are overdue', 'start one: strandline up')];
}

export function checkScan({ age_seconds, late }: Pick<Status['scan'], 'age_seconds' | 'late'>): Check {
  const found = `last ran ${formatDuration(age_seconds * SECOND)} ago`;
  if (!late) return passedCheck('scan', found);
  return failedCheck(
    'scan',
    `${found}, so due searches do not run`,
    "restart the workers; their logs say why they don't scan",
  );
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

/** Without a language model, completions quote their sources, so this is advisory. */
export async function checkModel({ service: { model } }: Config): Promise<Check[]> {
  if (model === undefined) return [];
  const advice = 'check LLM_BASE_URL; until it answers, completions quote their sources';
  const judged = { timeoutMs: MODEL_CONNECT_TIMEOUT_MS, judge: advisoryCheck, advice };
  return [await checkAddress('language model', model.baseUrl, judged)];
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
