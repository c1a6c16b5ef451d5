/** How a post or an author changed over time, on their pages. */
import { useFrame } from '../components/page-frame.tsx';
import { nameSearchOf } from '../components/scope-names.tsx';
import { compareVersions, type VersionMember } from '../../model/item-versions.ts';
import { Table } from '../components/data-table.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

const MAX_VALUE_TEXT = 2_000;

type Version = { valid_from: Date; run_id: bigint | null; search: string | null };

/** The versions of an item with what changed in each, newest first; nothing if it has one only. */
export function Versions<V>({
  versions,
  members,
}: {
  versions: readonly (V & Version)[];
  members: readonly VersionMember<V>[];
}) {
  const frame = useFrame();
  if (versions.length < 2) return null;
  const rows = compareVersions<V & Version>(versions, members).toReversed();
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
              run === null || search === null ? (
                'unknown'
              ) : (
                <a href={`/runs/${run}`}>{nameSearchOf(frame, search)}</a>
              ),
          },
          {
            head: 'Changed',
            cell: ({ changes }) =>
              changes.map(({ label, value }) => (
                <p class="whole">
                  {label}: <UntrustedText text={value ?? 'unknown'} most={MAX_VALUE_TEXT} />
                </p>
              )),
          },
        ]}
      />
    </Section>
  );
}
