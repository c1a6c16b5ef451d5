/** What the doctor says of the searches themselves: whether they can run, and whether anybody runs them. */
import type { Home } from '../../home.ts';
import { readSearches } from '../../store/reads/searches.ts';
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
  return checks;
}
