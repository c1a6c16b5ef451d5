import type { WorkerRow } from '../../../store/workers.ts';
import { Count, counted } from '../kit/number.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

export type ShownWorker = WorkerRow & { silent: boolean };

/** Less than a second is what any two clocks differ by. */
const SKEW_MS = 1_000;

export function Workers({ rows }: { rows: readonly ShownWorker[] }) {
  return (
    <Section
      title="Workers"
      id="workers"
      note="Processes that execute runs and were heard of within a day: each sends a heartbeat every 30 seconds."
    >
      {rows.length === 0 ? (
        <Empty words="No worker is running: schedules are on hold. Start one: strandline up, or more of them: strandline worker." />
      ) : (
        <Table
          caption="Workers"
          rows={rows}
          columns={[
            { head: 'Worker', cell: ({ name }) => <code>{name}</code> },
            { head: 'State', cell: ({ silent }) => (silent ? 'no heartbeat: probably ended' : 'running') },
            { head: 'Heartbeat', cell: ({ seen_at }) => <When at={seen_at} /> },
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
