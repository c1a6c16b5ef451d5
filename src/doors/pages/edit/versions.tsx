/** What a search asked for in the course of time, and what each version changed. */
import { isDeepStrictEqual } from 'node:util';
import type { SearchVersionRow as VersionRow } from '../../../store/reads/searches.ts';
import { Badge } from '../kit/badge.tsx';
import { Outside } from '../kit/outside.tsx';
import { Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

const MEMBERS = [
  ['prompt', 'prompt'],
  ['tools', 'where it looks'],
  ['model', 'model'],
  ['date_filter', 'how far back'],
  ['streaming', 'streaming'],
  ['extra', 'extra members'],
  ['cron', 'set times'],
  ['every_seconds', 'interval in seconds'],
  ['tz', 'zone'],
] as const;

/** What the later of two versions says differently, in words. */
function describeChanges(before: VersionRow, after: VersionRow): string[] {
  return MEMBERS.flatMap(([member, words]) => {
    const [was, is] = [before[member], after[member]];
    return isDeepStrictEqual(was, is) ? [] : [`${words}: ${shownAs(was)} → ${shownAs(is)}`];
  });
}

function shownAs(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
}

/** @param props.rows the newest first */
export function Versions({ rows }: { rows: readonly VersionRow[] }) {
  return (
    <Section
      title="Versions"
      id="versions"
      note="Each change of the request begins a new baseline: what its first run finds may have been there for long, and raises no alert."
    >
      <Table
        caption="Versions of this search"
        rows={rows.map((row, i) => ({ row, before: rows[i + 1] }))}
        columns={[
          { head: 'Version', cell: ({ row }) => `v${row.version}` },
          { head: 'Made', cell: ({ row }) => <When at={row.created_at} /> },
          {
            head: 'What changed',
            cell: ({ row, before }) => <Changed row={row} before={before} />,
          },
        ]}
      />
    </Section>
  );
}

function Changed({ row, before }: { row: VersionRow; before: VersionRow | undefined }) {
  if (before === undefined) return row.version === 1 ? <>the beginning</> : <>older versions are not shown</>;
  const changes = describeChanges(before, row);
  return (
    <>
      {changes.length === 0 ? 'labels, or what is unusual' : null}
      <ul class="plain">
        {changes.map((words) => (
          <li>
            <Outside text={words} most={300} />
          </li>
        ))}
      </ul>
      {row.request_version === row.version ? <Badge state="baseline" words="new baseline" /> : null}
    </>
  );
}
