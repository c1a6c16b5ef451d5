import { RUN_CODES } from '../../../errors.ts';
import type { Id } from '../../../store/database.ts';
import type { RunRow } from '../../../store/reads/runs.ts';
import { lengthOf } from '../detail/units.ts';
import { Badge } from '../kit/badge.tsx';
import { Count, Usd } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

/** @param services by the ids of their searches */
export function RunTable({ runs, services }: { runs: readonly RunRow[]; services: ReadonlyMap<Id, string> }) {
  return (
    <Table
      caption="Runs"
      rows={runs}
      columns={[
        { head: 'Run', cell: ({ id }) => <a href={`/runs/${id}`}>{String(id)}</a>, number: true },
        { head: 'Search', cell: ({ search }) => <a href={`/searches/${search}`}>{search}</a> },
        { head: 'Status', cell: ({ status }) => <Badge state={status} /> },
        { head: 'Due or asked for', cell: (run) => <When at={run.slot_at ?? run.created_at} /> },
        {
          head: 'Took',
          cell: ({ seconds }) => (seconds === null ? '' : lengthOf(seconds)),
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
        { head: 'Why', cell: (run) => <Why run={run} /> },
      ]}
    />
  );
}

function Why({ run }: { run: RunRow }) {
  const { code, baseline, span_slots: slots, reason, trigger } = run;
  if (code !== null) return <>{RUN_CODES[code]}</>;
  if (baseline) return <Badge state="baseline" />;
  if (reason !== null)
    return (
      <>
        {slots === null ? '' : `${slots} slots: `}
        <Outside text={reason} most={120} />
      </>
    );
  return <>{trigger === 'schedule' ? '' : trigger}</>;
}
