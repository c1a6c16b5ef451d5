/** What the doctor says of the searches themselves: whether they can run, and whether anybody runs them. */
import { HOUR, SECOND } from '../../engine/clock.ts';
import type { Home } from '../../home.ts';
import { readSearches } from '../../store/reads/searches.ts';
import { type OpenTransaction, oldestTransaction } from '../../store/reads/server.ts';
import { LIMIT_MAX } from './arguments.ts';
import { aside, bad, type Check } from './check.ts';
import { hasWorkers } from './take-run.ts';
import { counted } from './words.ts';

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
  if (overdue > 0 && !(await hasWorkers(ctx)))
    checks.push(
      aside(
        'workers',
        `none, and ${counted(overdue, 'search is', 'searches are')} overdue`,
        'start one: strandline up',
      ),
    );
  return [...checks, ...checkTransaction(await oldestTransaction(ctx.db))];
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
