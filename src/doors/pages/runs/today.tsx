import { RUN_CODES } from '../../../errors.ts';
import type { RunTally } from '../../../store/reads/status.ts';
import { Badge } from '../kit/badge.tsx';
import { Count } from '../kit/number.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { runsAt } from './filter.tsx';

/** How the runs of this UTC day ended, and why those that did not succeed. */
export function Today({ rows }: { rows: readonly RunTally[] }) {
  return (
    <Section title="Today" id="today" note="Runs that were made since midnight UTC, by how they stand.">
      {rows.length === 0 ? (
        <Empty words="No run was made today yet." />
      ) : (
        <Table
          caption="Runs of today by status and code"
          rows={rows}
          columns={[
            { head: 'Status', cell: ({ status }) => <Badge state={status} /> },
            {
              head: 'Why',
              cell: ({ code, reason }) => (code === null ? (reason ?? '') : `${code}: ${RUN_CODES[code]}`),
            },
            {
              head: 'Runs',
              cell: ({ status, code, runs }) => (
                <a href={runsAt({ status, code: code ?? undefined, since: 'today' })}>
                  <Count of={runs} />
                </a>
              ),
              number: true,
            },
          ]}
        />
      )}
    </Section>
  );
}
