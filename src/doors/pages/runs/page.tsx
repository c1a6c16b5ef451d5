/** Runs: what was due, and what became of it. */
import { z } from 'zod';
import { InvalidInput, RUN_CODES, type RunCode } from '../../../errors.ts';
import type { Context } from '../../../monitor/context.ts';
import { findSearches } from '../../../monitor/topic/find.ts';
import { readRunPage, readServicesOf } from '../../../store/reads/run-pages.ts';
import { tallyRuns } from '../../../store/reads/status.ts';
import { RUN_STATUSES } from '../../../store/schema/analytics/runs.ts';
import type { App, WebHome } from '../../routes.ts';
import { readKey } from '../detail/key.ts';
import { WATCHES } from '../kit/may.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Pager } from '../kit/tabs.tsx';
import { Filter, type RunFilter, runsAt, sinceOf, SPAN_NAMES } from './filter.tsx';
import { Today } from './today.tsx';
import { RunTable } from './table.tsx';

const PER_PAGE = 50;
/** A field that was left empty asks for nothing. */
const blank = z.literal('').transform(() => undefined);
const querystring = z.strictObject({
  search: blank.or(z.string().max(64)).optional(),
  topic: blank.or(z.string().max(64)).optional(),
  status: blank.or(z.enum(RUN_STATUSES)).optional(),
  code: blank.or(z.string().refine(isCode, 'a code of a run')).optional(),
  since: blank.or(z.enum(SPAN_NAMES)).optional(),
  before: blank.or(z.string().max(20)).optional(),
});
type Asked = z.infer<typeof querystring>;

export function runsPage(app: App, { ctx }: WebHome): void {
  app.get('/runs', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const { before, ...filter } = request.query;
    const [{ runs, more }, today] = await Promise.all([
      readAsked(ctx, request.query),
      tallyRuns(ctx.db, sinceOf('today', ctx.clock.now())),
    ]);
    const services = await readServicesOf(
      ctx.db,
      runs.map(({ search_id }) => search_id),
    );
    const last = runs.at(-1);
    const next = more && last !== undefined ? runsAt({ ...filter, before: String(last.id) }) : null;
    return showPage(request, reply, {
      title: 'Runs',
      here: '/runs',
      lead: 'One for every slot that was due, also for those that were not run, and those that somebody asked for.',
      body: (
        <>
          <Today rows={today} />
          <Section title="The newest first" id="list">
            <Filter filter={filter} />
            {runs.length === 0 ? <Nothing filter={filter} /> : <RunTable runs={runs} services={services} />}
            <Pager first={before === undefined ? null : runsAt(filter)} next={next} />
          </Section>
        </>
      ),
    });
  });
}

async function readAsked(ctx: Context, { search, topic, status, code, since, before }: Asked) {
  const named = search !== undefined || topic !== undefined;
  const searches = named ? await findSearches(ctx.db, { search, topic }) : undefined;
  const older = before === undefined ? undefined : readKey(before);
  if (before !== undefined && older === undefined)
    throw new InvalidInput([{ path: 'before', given: before, expected: 'the id of a run' }]);
  return readRunPage(ctx.db, {
    searches: searches?.map(({ id }) => id),
    status,
    code,
    since: since === undefined ? undefined : sinceOf(since, ctx.clock.now()),
    before: older,
    limit: PER_PAGE,
  });
}

function isCode(given: string): given is RunCode {
  return Object.hasOwn(RUN_CODES, given);
}

function Nothing({ filter }: { filter: RunFilter }) {
  return runsAt(filter) === '/runs' ? (
    <Empty words="Nothing ran yet." todo={{ words: 'Watch something', href: '/new', scope: WATCHES }} />
  ) : (
    <Empty words="No run is like that." todo={{ words: 'Show all runs', href: '/runs' }} />
  );
}
