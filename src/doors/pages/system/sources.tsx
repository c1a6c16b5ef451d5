import type { SourceHealth } from '../../../service-access.ts';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

const WHOLE = new Intl.NumberFormat('en');

/** Public sources of the own service, as this process has found them. */
export function Sources({ rows }: { rows: readonly SourceHealth[] }) {
  return (
    <Section
      title="Sources of the own service"
      id="sources"
      note="As this process has found them since it began; a worker elsewhere may have found them otherwise. SERVICE_SOURCES says which are asked."
    >
      {rows.length === 0 ? (
        <Empty words="None is there: SERVICE_SOURCES is sandbox, and everything the own service tells is invented." />
      ) : (
        <Table
          caption="Public sources"
          rows={rows}
          columns={[
            { head: 'Source', cell: ({ title }) => title },
            { head: 'Finds', cell: ({ source }) => source.replaceAll('_', ' ') },
            { head: 'State', cell: ({ state, reason, live }) => stateWords(state, reason, live) },
            {
              head: 'Last answer',
              cell: ({ live }) =>
                live === undefined ? '' : <When at={live.lastSuccess ?? null} never="none yet" />,
            },
            {
              head: 'Last failure',
              cell: ({ live }) =>
                live?.lastFailure === undefined ? (
                  ''
                ) : (
                  <>
                    <When at={live.lastFailure.at} />: {live.lastFailure.reason}
                  </>
                ),
            },
            { head: 'Used', cell: ({ live }) => usedWords(live?.allowance), number: true },
          ]}
        />
      )}
    </Section>
  );
}

function stateWords(state: SourceHealth['state'], reason: string | undefined, live: SourceHealth['live']) {
  if (state === 'off') return <>off: {reason ?? 'not asked'}</>;
  if (live?.openUntil !== undefined)
    return (
      <>
        left alone until <When at={live.openUntil} exact />
      </>
    );
  return <>on</>;
}

type Allowance = NonNullable<NonNullable<SourceHealth['live']>['allowance']>;

function usedWords(allowance: Allowance | undefined): string {
  if (allowance === undefined) return '';
  const { used, most, unit, period } = allowance;
  return `${used === undefined ? 'unknown' : WHOLE.format(used)} of ${WHOLE.format(most)} ${unit}, ${period}`;
}
