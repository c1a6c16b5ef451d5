/** Runs and their results. */

import { SearchLink } from '../components/scope-names.tsx';
import { findScope } from '../../monitor/topics/find-by-slug.ts';
import { formatUtcMidnight } from '../../lib/display-format.ts';
import { type Problem, RUN_CODES, type RunCode, SKIP_REASONS } from '../../model/errors.ts';
import { describeUnresponsiveCount } from '../../model/tool-coverage.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { idKey } from '../../model/value-shapes.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import type { Id } from '../../store/db/database.ts';
import { readRunPage, readRunServices, type RunRow } from '../../store/queries/run-list.ts';
import { type RunTally, tallyRuns } from '../../store/queries/run-tallies.ts';
import { RUN_STATUSES } from '../../model/closed-lists.ts';
import { Table } from '../components/data-table.tsx';
import { Button, CheckedFields, Field, type FieldOption, TopicFilter } from '../components/form.tsx';
import { Badge } from '../components/icons.tsx';
import { Count, formatDuration, Usd, formatCount } from '../components/numbers.tsx';
import { writeAddress } from '../components/list-address.ts';
import { CREATE_TOPIC_SCOPES, useFrame } from '../components/page-frame.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, Pager, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { emptyField, toFormProblems } from '../request-input.ts';
import { z } from 'zod';

const PAGE_SIZE = 50;
const SPAN_NAMES = ['hour', 'today', 'day', 'week', 'month'] as const;
type SpanName = (typeof SPAN_NAMES)[number];
/** Creation time filter, by query parameter. */
const SPAN_LABELS: Readonly<Record<Exclude<SpanName, 'today'>, string>> = {
  hour: 'in the last hour',
  day: 'in the last day',
  week: 'in the last week',
  month: 'in the last 30 days',
};
const SPAN_LENGTHS_MS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY };

const querystring = z.strictObject({
  search: emptyField.or(z.string()).optional(),
  topic: emptyField.or(z.string().max(64)).optional(),
  status: emptyField.or(z.enum(RUN_STATUSES)).optional(),
  code: emptyField.or(z.string().refine(isRunCode, 'a run code')).optional(),
  reason: emptyField.or(z.enum(SKIP_REASONS)).optional(),
  since: emptyField.or(z.enum(SPAN_NAMES)).optional(),
  before: emptyField.or(idKey).optional(),
});

export function addRunsPage(app: App, { ctx }: RouteContext): void {
  app.get('/runs', { config: { scope: 'read' }, schema: { querystring } }, async (request, reply) => {
    const { before, ...filter } = request.query;
    const { status, code, reason, since } = filter;
    const now = ctx.clock.now();
    const problems: Problem[] = [];
    const scope = await findScope(ctx.db, filter).catch((error: unknown) => {
      problems.push(...toFormProblems(error, filter, 'search', { search: 'search' }));
      return filter;
    });
    const [{ runs, more }, today] = await Promise.all([
      readRunPage(ctx.db, {
        ...scope,
        status,
        code,
        reason,
        since: since === undefined ? undefined : computeSince(since, now),
        before,
        limit: PAGE_SIZE,
      }),
      tallyRuns(ctx.db, computeSince('today', now)),
    ]);
    const services = await readRunServices(
      ctx.db,
      runs.map(({ search_id }) => search_id),
    );
    const last = runs.at(-1);
    const next = more && last !== undefined ? writeRunsPath({ ...filter, before: last.id }) : null;
    return renderPage(request, reply, {
      title: 'Runs',
      status: problems.length === 0 ? 200 : 404,
      here: '/runs',
      lead: 'One row per slot, including skipped slots and manual runs.',
      body: (
        <>
          <TodayTable rows={today} />
          <Section title="Newest runs" id="list">
            <RunFilterForm filter={filter} problems={problems} />
            {runs.length === 0 ? <NoRuns filter={filter} /> : <RunTable runs={runs} services={services} />}
            <Pager first={before === undefined ? null : writeRunsPath(filter)} next={next} />
          </Section>
        </>
      ),
    });
  });
}

/** Start of a span. */
function computeSince(span: SpanName, now: Date): Date {
  return new Date(
    span === 'today' ? Math.floor(now.getTime() / DAY) * DAY : now.getTime() - SPAN_LENGTHS_MS[span],
  );
}

type RunFilter = Omit<z.output<typeof querystring>, 'before'>;

function RunFilterForm({ filter, problems }: { filter: RunFilter; problems: readonly Problem[] }) {
  const frame = useFrame();
  const labels = { ...SPAN_LABELS, today: `since ${formatUtcMidnight(frame)}` };
  return (
    <form class="form inline" method="get" action="/runs" role="search" aria-label="Filter runs">
      <TopicFilter chosen={filter.topic} />
      <CheckedFields problems={problems}>
        <Field name="search" label="Search" value={filter.search} placeholder="all" />
      </CheckedFields>
      <Field
        name="status"
        label="Status"
        kind="select"
        value={filter.status}
        options={[['', 'all'], ...RUN_STATUSES.map((status): FieldOption => [status, status])]}
      />
      <Field
        name="since"
        label="Created"
        kind="select"
        value={filter.since}
        options={[['', 'any time'], ...SPAN_NAMES.map((name): FieldOption => [name, labels[name]])]}
      />
      <Button words="Show" />
    </form>
  );
}

const writeRunsPath = (filter: RunFilter & { before?: Id }) => writeAddress('/runs', filter);

function isRunCode(code: string): code is RunCode {
  return Object.hasOwn(RUN_CODES, code);
}

function NoRuns({ filter }: { filter: RunFilter }) {
  return writeRunsPath(filter) === '/runs' ? (
    <EmptyState
      words="No runs yet."
      todo={{ words: 'Watch something', href: '/new', scope: CREATE_TOPIC_SCOPES }}
    />
  ) : (
    <EmptyState words="No runs match." todo={{ words: 'Show all runs', href: '/runs' }} />
  );
}

/** Runs of this UTC day by status and code. */
function TodayTable({ rows }: { rows: readonly RunTally[] }) {
  return (
    <Section
      title="Today"
      id="today"
      note={`Runs created since ${formatUtcMidnight(useFrame())}, by status.`}
    >
      <Table
        empty="No runs today."
        caption="Today's runs by status and code"
        rows={rows}
        columns={[
          { head: 'Status', cell: ({ status }) => <Badge state={status} /> },
          {
            head: 'Reason',
            cell: ({ code, reason }) => (code === null ? (reason ?? '') : `${code}: ${RUN_CODES[code]}`),
          },
          {
            head: 'Runs',
            cell: ({ status, code, reason, runs }) => (
              <a
                href={writeRunsPath({
                  status,
                  code: code ?? undefined,
                  reason: SKIP_REASONS.find((skipReason) => skipReason === reason),
                  since: 'today',
                })}
              >
                <Count of={runs} />
              </a>
            ),
            number: true,
          },
        ]}
      />
    </Section>
  );
}

/** @param services by search ID */
function RunTable({ runs, services }: { runs: readonly RunRow[]; services: ReadonlyMap<Id, string> }) {
  return (
    <Table
      caption="Runs"
      rows={runs}
      columns={[
        { head: 'Run', cell: ({ id }) => <a href={`/runs/${id}`}>{String(id)}</a>, number: true },
        { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
        { head: 'Status', cell: ({ status }) => <Badge state={status} /> },
        { head: 'Due', cell: (run) => <Timestamp at={run.slot_at ?? run.created_at} /> },
        {
          head: 'Duration',
          cell: ({ seconds }) => (seconds === null ? '' : formatDuration(seconds)),
          number: true,
          wide: true,
        },
        {
          head: 'Found',
          cell: ({ items_seen: n }) => (n === null ? '' : <Count of={n} />),
          number: true,
          wide: true,
        },
        { head: 'New', cell: ({ items_new: n }) => (n === null ? '' : <Count of={n} />), number: true },
        {
          head: 'Cost',
          cell: (run) =>
            run.calls === 0 ? '' : <Usd of={run.cost_usd} service={services.get(run.search_id)} />,
          number: true,
          wide: true,
        },
        { head: 'Reason', cell: (run) => <RunReason run={run} /> },
      ]}
    />
  );
}

function RunReason({ run }: { run: RunRow }) {
  const { code, baseline, span_slots: slots, reason, trigger } = run;
  if (code !== null) return <>{RUN_CODES[code]}</>;
  const unresponsive = describeUnresponsiveCount(run);
  if (baseline || unresponsive !== null)
    return (
      <>
        {baseline ? <Badge state="baseline" /> : null} {unresponsive}
      </>
    );
  if (reason !== null)
    return (
      <>
        {slots === null ? '' : `${formatCount(slots, 'slot')}: `}
        <UntrustedText text={reason} most={120} />
      </>
    );
  return <>{trigger === 'schedule' ? '' : trigger}</>;
}
