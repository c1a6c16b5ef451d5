import type { WorkerSign } from '../../../store/workers.ts';
import { Count, counted } from '../kit/number.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

export type ShownWorker = WorkerSign & { silent: boolean };

/** Less than a second is what any two clocks differ by. */
const SKEW_MS = 1_000;

export function Workers({ rows }: { rows: readonly ShownWorker[] }) {
  return (
    <Section
      title="Workers"
      id="workers"
      note="Processes that take up runs, by their last sign of life within a day; each gives one every 30 seconds."
    >
      {rows.length === 0 ? (
        <Empty words="None: nothing runs by itself. Start one with strandline up, or more of them with strandline worker." />
      ) : (
        <Table
          caption="Workers"
          rows={rows}
          columns={[
            { head: 'Worker', cell: ({ name }) => <code>{name}</code> },
            { head: 'State', cell: ({ silent }) => (silent ? 'silent: probably ended' : 'alive') },
            { head: 'Last sign', cell: ({ seen_at }) => <When at={seen_at} /> },
            { head: 'Since', cell: ({ started_at }) => <When at={started_at} exact />, wide: true },
            { head: 'Version', cell: ({ version }) => version },
            { head: 'Queue', cell: ({ queue }) => queue, wide: true },
            { head: 'Runs at once', cell: ({ concurrency }) => <Count of={concurrency} />, number: true },
            { head: 'Clock', cell: ({ skew_ms }) => clockWords(skew_ms), number: true },
          ]}
        />
      )}
    </Section>
  );
}

function clockWords(ms: number): string {
  if (Math.abs(ms) < SKEW_MS) return 'as the database’s';
  return `${counted(Math.abs(ms) / 1_000, 's', 's')} ${ms < 0 ? 'behind' : 'ahead'}`;
}
