import { formatMinute } from '../../lib/display-format.ts';
import { CHECK_STATES, type CheckState } from '../../monitor/status/check.ts';
import { describeSkew, judgeStatus, MAX_CLOCK_SKEW_MS } from '../../monitor/status/status-checks.ts';
import type { WorkerStatus } from '../../monitor/status/status-facts.ts';
import type { UnreadResponses } from '../../store/queries/system.ts';
import { Table } from '../components/data-table.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Badge, type BadgeState } from '../components/icons.tsx';
import { Count, formatCount } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import type { SystemData } from './system-data.ts';

const STATE_BADGES: Readonly<Record<CheckState, readonly [state: BadgeState, words: string]>> = {
  failed: ['failed', 'failed'],
  attention: ['nothing_coming', 'attention'],
  unknown: ['skipped', 'not checked'],
  ok: ['ok', 'OK'],
};

/** The checks of `strandline status`, what failed first. */
export function CheckSection({ facts }: SystemData) {
  const frame = useFrame();
  const checks = judgeStatus(facts, (at) => formatMinute(at, frame));
  return (
    <Section
      title="Checks"
      id="checks"
      note="The same as of strandline status. For checks of this machine and of sources, run strandline doctor."
    >
      <Table
        caption="Checks"
        rows={checks.toSorted((a, b) => CHECK_STATES.indexOf(a.state) - CHECK_STATES.indexOf(b.state))}
        columns={[
          {
            head: 'State',
            cell: ({ state }) => {
              const [badge, words] = STATE_BADGES[state];
              return <Badge state={badge} words={words} />;
            },
          },
          { head: 'Check', cell: ({ name, page }) => (page === null ? name : <a href={page}>{name}</a>) },
          { head: 'Finding', cell: (check) => check.facts },
          { head: 'What to do', cell: ({ advice }) => advice ?? '' },
        ]}
      />
    </Section>
  );
}

export function ScanAndQueue({ facts: { backlog, unread_responses: unread } }: SystemData) {
  return (
    <Section
      title="Scan and queue"
      id="queue"
      note="Twice a second, a worker scans the database for due runs and enqueues them. The queue holds no state: the scan refills it if it is emptied."
    >
      <Facts
        label="Scan and queue"
        facts={[
          [
            'Waiting for the queue',
            <>
              <Count of={backlog.to_offer} /> {backlog.to_offer === 1 ? 'run' : 'runs'}, enqueued by the next
              scan
            </>,
          ],
          [
            'Abandoned runs',
            <>
              <Count of={backlog.expired} />
              {backlog.expired > 0 ? ': the next scan enqueues them again' : ''}
            </>,
          ],
          ['Unread responses', describeUnread(unread)],
        ]}
      />
    </Section>
  );
}

/** Unread responses of runs in progress are normal; late ones are among the checks. */
function describeUnread({ stored, spooled }: UnreadResponses): string {
  if (stored + spooled === 0) return 'none';
  return `${formatCount(stored, 'response')} stored, not parsed yet${
    spooled === 0 ? '' : `; ${spooled} on the disk of a worker until Postgres is available`
  }`;
}

export function WorkerTable({ rows }: { rows: readonly WorkerStatus[] }) {
  return (
    <Section
      title="Workers"
      id="workers"
      note="Processes that sent a heartbeat in the last day. Each sends one every 30 seconds."
    >
      <Table
        empty="None in the last day. Start one: strandline up, or more: strandline worker."
        caption="Workers"
        rows={rows}
        columns={[
          { head: 'Worker', cell: ({ name }) => <code>{name}</code> },
          { head: 'State', cell: ({ silent }) => (silent ? 'no heartbeat; probably stopped' : 'running') },
          { head: 'Heartbeat', cell: ({ seen_at }) => <Timestamp at={seen_at} /> },
          { head: 'Started', cell: ({ started_at }) => <Timestamp at={started_at} exact />, wide: true },
          { head: 'Version', cell: ({ version }) => version },
          { head: 'Queue', cell: ({ queue }) => queue, wide: true },
          { head: 'Concurrency', cell: ({ concurrency }) => <Count of={concurrency} />, number: true },
          {
            head: 'Clock',
            cell: ({ skew_ms: ms }) => (Math.abs(ms) <= MAX_CLOCK_SKEW_MS ? 'in sync' : describeSkew(ms)),
          },
        ]}
      />
    </Section>
  );
}
