import { DAY } from '../../../engine/clock.ts';
import type { CallDay } from '../../../store/reads/machinery.ts';
import type { ServiceDay } from '../../../store/reads/status.ts';
import { Chart } from '../kit/chart.tsx';
import { Count, isPaid, Usd } from '../kit/number.tsx';
import { OutLink } from '../kit/outside.tsx';
import { WATCHES } from '../kit/may.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';

export type ShownService = ServiceDay & {
  /** Calls that are allowed on a UTC day; null: as many as are asked for. */
  limit: number | null;
  /** Nobody said where it is. */
  missing: boolean;
};

/** What was called, against what is allowed. */
export function Budgets({
  services,
  days,
  from,
  count,
}: {
  services: readonly ShownService[];
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
        <Empty
          words="No service is known yet: the first search brings its own."
          todo={{ words: 'Watch something', href: '/new', scope: WATCHES }}
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
                  <OutLink href={address} text={hostOf(address)} />
                ),
            },
            { head: 'Calls today', cell: ({ calls_today: n }) => <Count of={n} />, number: true },
            {
              head: 'Allowed a day',
              cell: ({ limit }) => (limit === null ? 'no limit' : <Count of={limit} />),
              number: true,
            },
            { head: 'Cost today', cell: (service) => <Cost service={service} />, number: true },
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
function Cost({ service }: { service: ServiceDay }) {
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
function hostOf(address: string): string {
  return /^https?:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(address)?.[1] ?? 'an address that cannot be shown';
}
