import type { SourceHealth } from '../../protocol/service-status.ts';
import { describeUtcDays, formatWhole } from '../../lib/display-format.ts';
import { DAY } from '../../lib/time.ts';
import type { ServiceDay } from '../../store/queries/run-tallies.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { Count, formatCount, isPaid, Usd } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES, useFrame } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink } from '../components/untrusted-text.tsx';
import { CALL_DAYS, type SystemData } from './system-data.ts';

export function BudgetSection({ facts: { services }, callDays: days, from }: SystemData) {
  const at = Array.from({ length: CALL_DAYS }, (_, i) => new Date(from.getTime() + i * DAY));
  const called = [...new Set(days.map(({ service }) => service))];
  return (
    <Section
      title="Services and budgets"
      id="budgets"
      note={`Lost calls count, so this can exceed the number of responses. CALLS_PER_DAY limits each service, MAX_CALLS_PER_RUN each run. ${describeUtcDays(useFrame())}`}
    >
      <Table
        empty="No services yet. The first search adds one."
        todo={{ words: 'Watch something', href: '/new', scope: CREATE_TOPIC_SCOPES }}
        caption="Services, with calls today"
        rows={services}
        columns={[
          { head: 'Service', cell: ({ name, kind }) => (name === kind ? name : `${name} (${kind})`) },
          {
            head: 'Address',
            cell: ({ address, missing }) =>
              missing !== null ? (
                missing
              ) : address === null ? (
                'built in'
              ) : (
                <ExternalLink href={address} text={readHost(address)} />
              ),
          },
          { head: 'Calls today', cell: ({ calls_today: n }) => <Count of={n} />, number: true },
          {
            head: 'Limit per day',
            cell: ({ calls_per_day: limit }) => (limit === null ? 'no limit' : <Count of={limit} />),
            number: true,
          },
          { head: 'Cost today', cell: (service) => <ServiceCost service={service} />, number: true },
        ]}
      />
      {called.length === 0 ? null : (
        <Chart
          caption={`Calls per day, last ${CALL_DAYS} days`}
          at={at}
          seconds={86_400}
          series={called.slice(0, 6).map((name) => ({
            name,
            values: at.map((day) => {
              const iso = day.toISOString().slice(0, 10);
              return days.find((callDay) => callDay.service === name && callDay.day === iso)?.calls ?? 0;
            }),
          }))}
          unit="calls"
        />
      )}
    </Section>
  );
}

/** Requests of today to the language model; nothing without one. */
export function ModelSection({ facts: { model_calls: purposes } }: SystemData) {
  if (purposes.length === 0) return null;
  return (
    <Section
      title="Language model"
      id="model"
      note="Calls of this UTC day, counted before they are sent. Beyond LLM_CALLS_PER_DAY, and when it fails, everything is as without a model."
    >
      <Table
        caption="Purposes, with calls today"
        rows={purposes}
        columns={[
          { head: 'Purpose', cell: ({ purpose }) => purpose },
          { head: 'Calls today', cell: ({ calls }) => <Count of={calls} />, number: true },
          { head: 'Limit per day', cell: ({ most }) => <Count of={most} />, number: true },
          { head: 'Failed', cell: ({ failed }) => <Count of={failed} />, number: true },
          { head: 'Tokens sent', cell: ({ input_tokens: n }) => <Count of={n} />, number: true, wide: true },
          {
            head: 'Tokens returned',
            cell: ({ output_tokens: n }) => <Count of={n} />,
            number: true,
            wide: true,
          },
        ]}
      />
    </Section>
  );
}

/** A cost that was not reported is not free. */
function ServiceCost({ service }: { service: ServiceDay }) {
  const { kind, cost_usd_today: cost, calls_today: calls, calls_without_cost_today: uncosted } = service;
  if (cost === null && (calls === 0 || !isPaid(kind))) return <>free</>;
  return (
    <>
      <Usd of={cost} />
      {cost === null || uncosted === 0 ? '' : ` (not reported for ${formatCount(uncosted, 'call')})`}
    </>
  );
}

/** Only the host: the rest may contain secrets. */
function readHost(address: string): string {
  return /^https?:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(address)?.[1] ?? 'hidden address';
}

/** Public sources of the own service, as seen by this process. */
export function SourceTable({ rows }: { rows: readonly SourceHealth[] }) {
  if (useFrame().kind === 'sandbox')
    return (
      <Section title="Sources" id="sources">
        <p class="empty">Simulated: in the sandbox, answers are made up, and no public source is asked.</p>
      </Section>
    );
  return (
    <Section
      title="Sources of your own service"
      id="sources"
      note="As seen by this process; other workers may differ. SERVICE_SOURCES selects the sources."
    >
      <Table
        empty="None: SERVICE_SOURCES turns off all public sources."
        caption="Public sources"
        rows={rows}
        columns={[
          { head: 'Source', cell: ({ title }) => title },
          { head: 'Type', cell: ({ source }) => source.replaceAll('_', ' ') },
          { head: 'State', cell: ({ state, reason, live }) => describeState(state, reason, live) },
          {
            head: 'Last response',
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
    </Section>
  );
}

function describeState(state: SourceHealth['state'], reason: string | undefined, live: SourceHealth['live']) {
  if (state === 'off') return <>off: {reason ?? 'not selected'}</>;
  if (live?.openUntil !== undefined)
    return (
      <>
        suspended until <Timestamp at={live.openUntil} exact />
      </>
    );
  return (
    <>
      on
      {live?.problems.map((problem) => (
        <div>{problem}</div>
      ))}
    </>
  );
}

type Allowance = NonNullable<NonNullable<SourceHealth['live']>['allowance']>;

function describeUsage(allowance: Allowance | undefined): string {
  if (allowance === undefined) return '';
  const { used, most, unit, period } = allowance;
  return `${used === undefined ? 'no data' : formatWhole(used)} of ${formatWhole(most)} ${unit}, ${period}`;
}
