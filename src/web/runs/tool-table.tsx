/** Coverage by tool on pages: which tools did not respond, so that what they would have returned is not taken for "nothing found". */

import { formatDay } from '../../lib/display-format.ts';
import {
  describeUnresponsiveTool,
  describeToolCoverage,
  describeToolReason,
} from '../../model/tool-coverage.ts';
import type { RunToolRow, UnresponsiveTool } from '../../store/queries/run-tools.ts';
import { Table } from '../components/data-table.tsx';
import { Count } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

/** Tools that did not respond to the newest runs, for pages about what searches found. */
export function UnresponsiveToolsNotice({ tools }: { tools: readonly UnresponsiveTool[] }) {
  const frame = useFrame();
  if (tools.length === 0) return null;
  const words = tools.map((tool) => describeUnresponsiveTool(tool, (at) => formatDay(at, frame)));
  return (
    <div class="advice" data-live="silent-tools">
      <p>Not observed: {words.join('; ')}.</p>
    </div>
  );
}

export function ToolTable({ rows }: { rows: readonly RunToolRow[] }) {
  const frame = useFrame();
  if (rows.length === 0) return null;
  return (
    <Section
      title="Tools"
      id="tools"
      note={
        describeToolCoverage(rows, (at) => formatDay(at, frame)) ?? 'What each tool of the search returned.'
      }
    >
      <Table
        caption="Tools of this run"
        rows={rows}
        columns={[
          { head: 'Tool', cell: ({ tool, asked }) => (asked ? tool : `${tool} (not asked)`) },
          { head: 'Status', cell: ({ responded }) => STATUS_WORDS[String(responded)] },
          {
            head: 'Results',
            cell: ({ responded, items, truncated }) => (
              <>
                {responded === true && items === null ? 'not counted' : <Count of={items} />}
                {truncated === true ? ' or more' : ''}
              </>
            ),
            number: true,
          },
          { head: 'Reason', cell: (row) => <Reason row={row} /> },
          {
            head: 'Last response',
            cell: ({ responded, last_responded_at: last }) =>
              responded === false ? <Timestamp at={last} exact /> : null,
          },
        ]}
      />
    </Section>
  );
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  true: 'responded',
  false: 'no response',
  null: 'unknown',
};

function Reason({ row: { reason, detail } }: { row: RunToolRow }) {
  if (reason === null) return null;
  return (
    <>
      {describeToolReason(reason, detail)}
      {detail === null ? null : (
        <div class="why">
          <UntrustedText text={detail} most={300} />
        </div>
      )}
    </>
  );
}
