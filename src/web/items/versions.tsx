/** How a post or an author changed over time, on their pages. */
import { Table } from '../components/data-table.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

const MAX_VALUE_TEXT = 2_000;

type Version = { valid_from: Date; run_id: bigint | null; search: string | null };

/** A value of a version, as shown; null: unknown. */
export type Member<V> = readonly [name: string, show: (version: V) => string | null];

/** The versions of an item with what changed in each, newest first; nothing if it has one only. */
export function Versions<V extends Version>({
  versions,
  members,
}: {
  versions: readonly V[];
  members: readonly Member<V>[];
}) {
  if (versions.length < 2) return null;
  const rows = versions
    .map((version, i) => ({ version, changes: listChanges(members, version, versions[i - 1]) }))
    .toReversed();
  return (
    <Section title="Versions" id="versions" note="What changed, as first returned by a search.">
      <Table
        caption="Versions, newest first"
        rows={rows}
        columns={[
          { head: 'From', cell: ({ version }) => <Timestamp at={version.valid_from} exact /> },
          {
            head: 'Seen by',
            cell: ({ version: { run_id: run, search } }) =>
              run === null || search === null ? 'unknown' : <a href={`/runs/${run}`}>{search}</a>,
          },
          {
            head: 'Changed',
            cell: ({ changes }) =>
              changes.map(([name, value]) => (
                <p class="whole">
                  {name}: <UntrustedText text={value ?? 'unknown'} most={MAX_VALUE_TEXT} />
                </p>
              )),
          },
        ]}
      />
    </Section>
  );
}

/** Members that differ from the version before; of the first one, those that are known. */
function listChanges<V>(members: readonly Member<V>[], version: V, before: V | undefined) {
  return members.flatMap(([name, show]) => {
    const value = show(version);
    const isSame = before === undefined ? value === null : show(before) === value;
    return isSame ? [] : [[name, value] as const];
  });
}
