import type { Upkeep } from '../../../store/reads/machinery.ts';
import type { Due, TableSize } from '../../../store/retention/sizes.ts';
import { Facts } from '../detail/facts.tsx';
import { bytesOf } from '../detail/units.ts';
import { Bars } from '../kit/bars.tsx';
import { Count, counted, Short } from '../kit/number.tsx';
import { Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';
import { kindsOf } from './kinds.ts';

type Days = { answers: number; rejects: number; audit: number; snapshots: number | null };

export function Storage({
  tables,
  due,
  upkeep,
  days,
}: {
  tables: readonly TableSize[];
  due: Due;
  upkeep: Upkeep;
  days: Days;
}) {
  return (
    <Section
      title="Storage"
      id="storage"
      note="Sizes with indexes, in the database; rows as the planner estimates them."
    >
      <div class="columns">
        <div>
          <h3>By kind</h3>
          <Bars
            caption="What is stored, by kind"
            unit="size"
            rows={kindsOf(tables).map(({ kind, bytes }) => ({
              name: kind,
              value: bytes,
              shown: bytesOf(bytes),
            }))}
          />
        </div>
        <div>
          <h3>How long it is kept</h3>
          <Facts
            label="Retention"
            facts={[
              ['Raw answers', counted(days.answers, 'day')],
              ['Rejects', counted(days.rejects, 'day')],
              [
                'Counters over time',
                days.snapshots === null ? 'for ever' : `${counted(days.snapshots, 'day')}, by whole months`,
              ],
              ['Audit log', counted(days.audit, 'day')],
              ['All else', 'for ever'],
              ['Too old now', dueWords(due)],
              ['Last done', <When at={upkeep.retained_at} never="never: a worker does it once an hour" />],
            ]}
          />
          <p class="note">
            <code>ANSWER_DAYS</code>, <code>REJECT_DAYS</code>, <code>AUDIT_DAYS</code> and{' '}
            <code>SNAPSHOT_DAYS</code> set it; <code>strandline retention run</code> lets go at once.
          </p>
        </div>
      </div>
      <details>
        <summary>Months of counters</summary>
        <Table
          caption="Partitions of counters, by month"
          rows={due.months}
          columns={[
            { head: 'Partition', cell: ({ name }) => <code>{name}</code> },
            { head: 'Size', cell: ({ bytes }) => bytesOf(bytes), number: true },
            { head: 'Rows, about', cell: ({ rows }) => <Short of={rows} />, number: true },
            {
              head: <span class="unseen">When it goes</span>,
              cell: (month) => (month.due ? 'goes at the next round' : ''),
            },
          ]}
        />
      </details>
      <details>
        <summary>Every table</summary>
        <Table
          caption="Tables, the largest first"
          rows={tables}
          columns={[
            { head: 'Table', cell: ({ table }) => <code>{table}</code> },
            { head: 'Size', cell: ({ bytes }) => bytesOf(bytes), number: true },
            { head: 'Rows, about', cell: ({ rows }) => <Count of={rows} />, number: true },
          ]}
        />
      </details>
    </Section>
  );
}

function dueWords({ answers, answer_bytes, rejects, months }: Due): string {
  const over = months.filter(({ due }) => due);
  const freed = answer_bytes + over.reduce((sum, { bytes }) => sum + bytes, 0);
  const parts = [
    ...(answers === 0 ? [] : [counted(answers, 'raw answer')]),
    ...(rejects === 0 ? [] : [counted(rejects, 'reject')]),
    ...over.map(({ name }) => name),
  ];
  return parts.length === 0 ? 'nothing' : `${parts.join(', ')} (${bytesOf(freed)})`;
}
