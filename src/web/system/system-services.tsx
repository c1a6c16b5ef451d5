import type { SourceHealth } from '../../protocol/service-status.ts';
import { DAY } from '../../domain/time.ts';
import type { ServiceDay } from '../../store/queries/run-tallies.ts';
import type { CallDay } from '../../store/queries/system.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { Count, isPaid, Usd } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES } from '../components/page-frame.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink } from '../components/untrusted-text.tsx';

export type ServiceBudget = ServiceDay & {
  /** Calls that are allowed on a UTC day; null: as many as are asked for. */
  limit: number | null;
  /** Nobody said where it is. */
  missing: boolean;
};

/** What was called, against what is allowed. */
export function BudgetSection({
  services,
  days,
  from,
  count,
}: {
  services: readonly ServiceBudget[];
  days: readonly CallDay[];
  from: Date;
  count: number;
}) {
  const at = Array.from({ length: count }, (_, i) => new Date(from.getTime() + i * DAY));
  const called = [...new Set(days.map(({ service }) => service))];
  return (
    <Section
      title="Services and budgets"
      id="budgets"
      note="Calls of this UTC day, which may be more than answers: a call that was lost counts as made. CALLS_PER_DAY sets the limit of each service, MAX_CALLS_PER_RUN that of a run."
    >
      {services.length === 0 ? (
        <EmptyState
          words="No service is known yet: the first search brings its own."
          todo={{ words: 'Watch something', href: '/new', scope: CREATE_TOPIC_SCOPES }}
        />
      ) : (
        <Table
          caption="Services, and what they were asked today"
          rows={services}
          columns={[
            { head: 'Service', cell: ({ name, kind }) => (name === kind ? name : `${name} (${kind})`) },
            {
              head: 'Address',
              cell: ({ address, missing }) =>
                missing ? (
                  'not known: set SEARCH_API_URL'
                ) : address === null ? (
                  'this program'
                ) : (
                  <ExternalLink href={address} text={readHost(address)} />
                ),
            },
            { head: 'Calls today', cell: ({ calls_today: n }) => <Count of={n} />, number: true },
            {
              head: 'Allowed a day',
              cell: ({ limit }) => (limit === null ? 'no limit' : <Count of={limit} />),
              number: true,
            },
            { head: 'Cost today', cell: (service) => <ServiceCost service={service} />, number: true },
          ]}
        />
      )}
      {called.length === 0 ? null : (
        <Chart
          caption={`Calls per day of the last ${count} days`}
          at={at}
          seconds={86_400}
          series={called.slice(0, 6).map((name) => ({
            name,
            values: at.map((day) => {
              const iso = day.toISOString().slice(0, 10);
              return days.find((one) => one.service === name && one.day === iso)?.calls ?? 0;
            }),
          }))}
          unit="calls"
        />
      )}
    </Section>
  );
}

/** What was not told is not nothing. */
function ServiceCost({ service }: { service: ServiceDay }) {
  const { kind, cost_usd_today: cost, calls_today: calls, calls_without_cost_today: silent } = service;
  if (cost === null && (calls === 0 || !isPaid(kind))) return <>nothing</>;
  return (
    <>
      <Usd of={cost} />
      {cost === null || silent === 0 ? '' : ` (${silent} calls named no cost)`}
    </>
  );
}

/** Without what may be secret in an address. */
function readHost(address: string): string {
  return /^https?:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(address)?.[1] ?? 'an address that cannot be shown';
}

const WHOLE = new Intl.NumberFormat('en');

/** Public sources of the own service, as this process has found them. */
export function SourceTable({ rows }: { rows: readonly SourceHealth[] }) {
  return (
    <Section
      title="Sources of the own service"
      id="sources"
      note="As this process has found them since it began; a worker elsewhere may have found them otherwise. SERVICE_SOURCES says which are asked."
    >
      {rows.length === 0 ? (
        <EmptyState words="None is there: SERVICE_SOURCES is sandbox, and everything the own service tells is invented." />
      ) : (
        <Table
          caption="Public sources"
          rows={rows}
          columns={[
            { head: 'Source', cell: ({ title }) => title },
            { head: 'Finds', cell: ({ source }) => source.replaceAll('_', ' ') },
            { head: 'State', cell: ({ state, reason, live }) => describeState(state, reason, live) },
            {
              head: 'Last answer',
              cell: ({ live }) =>
                live === undefined ? '' : <Timestamp at={live.lastSuccess ?? null} never="none yet" />,
            },
            {
              head: 'Last failure',
              cell: ({ live }) =>
                live?.lastFailure === undefined ? (
                  ''
                ) : (
                  <>
                    <Timestamp at={live.lastFailure.at} />: {live.lastFailure.reason}
                  </>
                ),
            },
            { head: 'Used', cell: ({ live }) => describeUsage(live?.allowance), number: true },
          ]}
        />
      )}
    </Section>
  );
}

function describeState(state: SourceHealth['state'], reason: string | undefined, live: SourceHealth['live']) {
  if (state === 'off') return <>off: {reason ?? 'not asked'}</>;
  if (live?.openUntil !== undefined)
    return (
      <>
        left alone until <Timestamp at={live.openUntil} exact />
      </>
    );
  return <>on</>;
}

type Allowance = NonNullable<NonNullable<SourceHealth['live']>['allowance']>;

function describeUsage(allowance: Allowance | undefined): string {
  if (allowance === undefined) return '';
  const { used, most, unit, period } = allowance;
  return `${used === undefined ? 'unknown' : WHOLE.format(used)} of ${WHOLE.format(most)} ${unit}, ${period}`;
}
