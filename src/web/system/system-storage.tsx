/** Storage by kind and table, and retention. */

import type { Config } from '../../config/config.ts';
import { describeDue } from '../../store/erase/retention.ts';
import { Bars, Table } from '../components/data-table.tsx';
import { Facts } from '../components/fact-list.tsx';
import { formatBytes } from '../../lib/display-format.ts';
import { Count, formatCount, ShortCount } from '../components/numbers.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import type { SystemData } from './system-data.ts';

export function StorageSection({ tables, due, upkeep, config }: SystemData & { config: Config }) {
  return (
    <Section title="Storage" id="storage" note="Database size including indexes. Row counts are estimates.">
      <div class="columns">
        <div>
          <h3>By kind</h3>
          <Bars
            caption="Storage by kind"
            unit="size"
            rows={sumByKind(tables).map(({ kind, bytes }) => ({
              name: kind,
              value: bytes,
              shown: formatBytes(bytes),
            }))}
          />
        </div>
        <div>
          <h3>Retention</h3>
          <Facts
            label="Retention"
            facts={[
              ['Raw responses', formatCount(config.answerDays, 'day')],
              ['Rejects', formatCount(config.rejectDays, 'day')],
              ['Message bodies', formatCount(config.messageDays, 'day')],
              [
                'Counters over time',
                config.snapshotDays === undefined
                  ? 'indefinitely'
                  : `${formatCount(config.snapshotDays, 'day')}, in whole months`,
              ],
              ['Audit log', formatCount(config.auditDays, 'day')],
              ['Everything else', 'indefinitely'],
              ['Due for deletion', describeDue(due)],
              [
                'Last deletion',
                <Timestamp at={upkeep.retained_at} never="none yet; runs hourly on a worker" />,
              ],
            ]}
          />
          <p class="note">
            <code>ANSWER_DAYS</code>, <code>REJECT_DAYS</code>, <code>MESSAGE_DAYS</code>,{' '}
            <code>AUDIT_DAYS</code> and <code>SNAPSHOT_DAYS</code> set retention. To delete expired data now,
            run <code>strandline retention run</code>.
          </p>
        </div>
      </div>
      <details>
        <summary>Counters by month</summary>
        <Table
          caption="Partitions of counters, by month"
          rows={due.months}
          columns={[
            { head: 'Partition', cell: ({ name }) => <code>{name}</code> },
            { head: 'Size', cell: ({ bytes }) => formatBytes(bytes), number: true },
            { head: 'Rows (estimate)', cell: ({ rows }) => <ShortCount of={rows} />, number: true },
            {
              head: <span class="unseen">Deletion</span>,
              cell: (month) => (month.due ? 'due for deletion' : ''),
            },
          ]}
        />
      </details>
      <details>
        <summary>All tables</summary>
        <Table
          caption="Tables, largest first"
          rows={tables}
          columns={[
            { head: 'Table', cell: ({ table }) => <code>{table}</code> },
            { head: 'Size', cell: ({ bytes }) => formatBytes(bytes), number: true },
            { head: 'Rows (estimate)', cell: ({ rows }) => <Count of={rows} />, number: true },
          ]}
        />
      </details>
    </Section>
  );
}

/** Kinds of data by table; the first match decides. */
const TABLE_KINDS: readonly (readonly [kind: string, tables: RegExp])[] = [
  ['raw responses', /^responses$/],
  ['counters over time', /^(?:post|author)_snapshots$/],
  ['posts and authors', /^(?:posts|authors)$/],
  ['full-text search', /^archive_/],
  ['runs and calls', /^(?:runs|calls|call_days|call_minutes|run_results|rejects|trials)$/],
  ['links', /^(?:links|link_addresses)$/],
  ['answers and statements', /^(?:completions|completion_claims|claims|key_items)$/],
  ['new items and sightings', /^(?:discoveries|post_sightings|link_sightings|dropped_posts|latest_results)$/],
  [
    'trends and growth',
    /^(?:volume|coverage|spikes|trend_states|interval_changes|search_days|search_tops|search_gains|post_counters_at_age)/,
  ],
];

/** Bytes by kind, largest first, with the remaining tables as one kind. */
export function sumByKind(
  tables: readonly { table: string; bytes: number }[],
): { kind: string; bytes: number }[] {
  const sums = new Map<string, number>();
  for (const { table, bytes } of tables) {
    const kind = TABLE_KINDS.find(([, names]) => names.test(table))?.[0] ?? 'everything else';
    sums.set(kind, (sums.get(kind) ?? 0) + bytes);
  }
  return [...sums].map(([kind, bytes]) => ({ kind, bytes })).sort((a, b) => b.bytes - a.bytes);
}
