/** What the doctor says of the searches themselves: whether they can run, and whether anybody runs them. */
import { HOUR, MINUTE, SECOND } from '../../engine/clock.ts';
import type { Home } from '../../home.ts';
import { readSilence, type Silence } from '../../monitor/status/silence.ts';
import { type Backlog, isScanLate, readBacklog } from '../../store/reads/machinery.ts';
import { readSearches } from '../../store/reads/searches.ts';
import { type OpenTransaction, oldestTransaction } from '../../store/reads/server.ts';
import { type AsideReading, readSetAside } from '../../store/derive/pending.ts';
import { readUnread, type UnreadResponses } from '../../store/reads/unread.ts';
import { WORKER_SILENCE_MS } from '../../store/workers.ts';
import { LIMIT_MAX } from './arguments.ts';
import { aside, bad, type Check, good } from './check.ts';
import { hasWorkers } from './take-run.ts';
import { counted, duration } from './words.ts';

export async function checksOfWork({ ctx }: Pick<Home, 'ctx'>): Promise<Check[]> {
  const searches = await readSearches(ctx.db, { state: 'active', limit: LIMIT_MAX });
  const hosted = searches.filter(({ service_kind }) => service_kind === 'hosted').length;
  const now = ctx.clock.now();
  const overdue = searches.filter(({ next_due_at: at }) => at !== null && at < now).length;
  const checks: Check[] = [];
  if (hosted > 0 && ctx.config.hosted === undefined)
    checks.push(
      bad(
        'hosted searches',
        `${counted(hosted, 'search', 'searches')} of the hosted service cannot run`,
        'set SEARCH_API_URL',
      ),
    );
  const working = await hasWorkers(ctx);
  if (overdue > 0 && !working)
    checks.push(
      aside(
        'workers',
        `none, and ${counted(overdue, 'search is', 'searches are')} overdue`,
        'start one: strandline up',
      ),
    );
  const heardSince = new Date(now.getTime() - WORKER_SILENCE_MS);
  const unread = await readUnread(ctx.db, { statementTime: ctx.clock.statementTime(), heardSince });
  return [
    ...checks,
    ...(working ? [checkScan(await readBacklog(ctx.db, now))] : []),
    ...checkSilence(await readSilence(ctx)),
    ...checkUnread(unread),
    ...checkSetAside(await readSetAside(ctx.db, MAX_NAMED)),
    ...checkTransaction(await oldestTransaction(ctx.db)),
  ];
}

/** Of a program with workers: without them, nobody is expected to scan. */
export function checkScan(backlog: Pick<Backlog, 'scan_age_seconds'>): Check {
  const found = `last ran ${duration(backlog.scan_age_seconds * SECOND)} ago`;
  if (!isScanLate(backlog)) return good('scan', found);
  return bad(
    'scan',
    `${found}, so nothing that is due runs`,
    "restart the workers; their logs say why they don't scan",
  );
}

const MAX_NAMED = 5;

export function checkSilence({ total, searches }: Silence): Check[] {
  const [first] = searches;
  if (first === undefined) return [];
  const names = searches.slice(0, MAX_NAMED).map(({ slug }) => slug);
  const more = total > names.length ? ` and ${total - names.length} more` : '';
  return [
    bad(
      'silent searches',
      `no successful run for three intervals: ${names.join(', ')}${more}`,
      `see why: strandline status, strandline runs list --search ${first.slug}`,
    ),
  ];
}

/** Why stands in the logs of workers: there it was said once, with what Postgres or the program said. */
export function checkSetAside(readings: readonly AsideReading[]): Check[] {
  if (readings.length === 0) return [];
  const which = readings.map(({ search, run_id, code }) => `${search} (run ${run_id}: ${code})`);
  const advice = `see "reading set aside" in the logs of workers; it is tried again by itself at least once an hour`;
  return [bad('derivation', `trends wait for readings that fail: ${which.join(', ')}`, advice)];
}

/** The next scan reads a response whose run ended without it: one that is older is stuck. */
const STUCK_MS = 5 * MINUTE;

export function checkUnread(unread: UnreadResponses): Check[] {
  const { late, oldest_seconds, oldest_run_id, spooled } = unread;
  const spool =
    spooled === 0
      ? []
      : [
          aside(
            'spooled responses',
            `${counted(spooled, 'paid response')} on the disk of a worker`,
            'the worker stores them when Postgres allows it: keep its data folder until then',
          ),
        ];
  if (late === 0 || oldest_seconds === null || oldest_run_id === null) return spool;
  const age = oldest_seconds * SECOND;
  const found = `${counted(late, 'paid response')} not parsed, the oldest (of run ${oldest_run_id}) for ${duration(age)}`;
  const advice = `parse it: strandline runs replay ${oldest_run_id}`;
  return [
    age > STUCK_MS ? bad('unread responses', found, advice) : aside('unread responses', found, advice),
    ...spool,
  ];
}

/** A save takes milliseconds and a backup minutes. Of whom the server tells no time, the transactions since are told. */
const LONG_SECONDS = HOUR / SECOND;
const MANY_BEHIND = 1_000_000;

/** What one forgotten transaction keeps Postgres from cleaning slows every save and every look, and fills the disk. */
export function checkTransaction(oldest: OpenTransaction | null): Check[] {
  if (oldest === null) return [];
  const { who, seconds, behind } = oldest;
  if ((seconds ?? 0) < LONG_SECONDS && behind < MANY_BEHIND) return [];
  const since = seconds === null ? '' : ` for ${counted(Math.floor(seconds / 60), 'minute')}`;
  return [
    bad(
      'transactions',
      `one of ${who} is open${since}, with ${counted(behind, 'transaction')} behind it`,
      'end it: Postgres cleans up nothing that it may still look at (pg_stat_activity says which it is)',
    ),
  ];
}
