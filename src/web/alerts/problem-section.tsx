/** Problems of strandline itself: those that last, the last ones that ended, and who is told. */
import { describeProblem, findProblemPage } from '../../monitor/alerts/problem-words.ts';
import type { RuleRow, SystemEventRow } from '../../store/alerts/alert-queries.ts';
import { formatMinute } from '../../lib/display-format.ts';
import { Table } from '../components/data-table.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { nameSearchOf } from '../components/scope-names.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

const MAX_SENTENCE = 700;

export function ProblemSection({
  open,
  ended,
  rule,
}: {
  open: readonly SystemEventRow[];
  ended: readonly SystemEventRow[];
  /** The rule that reports them. */
  rule: RuleRow;
}) {
  const lasting = open.filter(({ clear_since }) => clear_since === null);
  return (
    <Section id="problems" title="Problems of strandline" note={<WhoIsTold rule={rule} />}>
      {lasting.length === 0 ? (
        <p class="empty">No problems.</p>
      ) : (
        <ProblemTable caption="Problems" rows={lasting} />
      )}
      {ended.length === 0 ? null : (
        <details>
          <summary>Ended</summary>
          <ProblemTable caption="Ended problems" rows={ended} />
        </details>
      )}
    </Section>
  );
}

function WhoIsTold({ rule: { slug, name, state, channels } }: { rule: RuleRow }) {
  const link = <a href={`/alerts/rules/${slug}`}>rule {name}</a>;
  if (state === 'paused') return <>The {link} is paused: nobody is told.</>;
  if (channels.length === 0) return <>The {link} has no channel yet: it gets the next one that is created.</>;
  return (
    <>
      The {link} reports them to {channels.join(', ')}.
    </>
  );
}

function ProblemTable({ caption, rows }: { caption: string; rows: readonly SystemEventRow[] }) {
  const frame = useFrame();
  const describe = ({ subject, ...event }: SystemEventRow) =>
    describeProblem(
      { ...event, subject: event.search === null ? subject : nameSearchOf(frame, event.search) },
      event.until === null ? 'began' : 'passed',
      (at) => formatMinute(at, frame),
    );
  return (
    <Table
      caption={caption}
      rows={rows}
      columns={[
        {
          head: 'Problem',
          cell: (event) => (
            <a href={findProblemPage(event)}>
              <UntrustedText text={describe(event)} most={MAX_SENTENCE} />
            </a>
          ),
        },
        { head: 'Since', cell: ({ since }) => <Timestamp at={since} />, wide: true },
      ]}
    />
  );
}
