import { describeDepth, type WorkerStatus } from '../../monitor/status/system-status.ts';
import type { AsideReading } from '../../store/derive/pending-derivations.ts';
import { isScanLate, type UnreadResponses } from '../../store/queries/system.ts';
import { Table } from '../components/data-table.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Badge } from '../components/icons.tsx';
import { Count, formatCount } from '../components/numbers.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import type { SystemData } from './system-data.ts';

export function ScanAndQueue({ queueKind, queue, backlog, unread, aside }: SystemData) {
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
            'Last scan',
            <>
              <Timestamp at={backlog.scanned_at} />
              {isScanLate(backlog) ? (
                <>
                  {' '}
                  <Badge state="failed" words="late" />: due runs wait until a worker scans again
                </>
              ) : null}
            </>,
          ],
          [
            'Queue',
            `BullMQ on ${queueKind === 'redis' ? 'Redis' : 'Postgres'}${queue === null ? ', unavailable: runs wait in the database' : ''}`,
          ],
          ['Jobs', queue === null ? null : describeDepth(queue) || 'none'],
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
          ['Unread responses', <UnreadCount unread={unread} />],
          ['Delayed trends', aside.length === 0 ? null : <DelayedTrends readings={aside} />],
        ]}
      />
    </Section>
  );
}

/** Unread responses of runs in progress are normal; late ones need attention. */
function UnreadCount({ unread }: { unread: UnreadResponses }) {
  const { stored, spooled, late, oldest_at, oldest_run_id } = unread;
  if (stored + spooled === 0) return <>none</>;
  return (
    <>
      {formatCount(stored, 'response')} stored, not parsed yet
      {late === 0 || oldest_run_id === null ? null : (
        <>
          , {late === stored ? '' : `${late} of them `}for more than a minute; the oldest belongs to{' '}
          <a href={`/runs/${oldest_run_id}`}>run {String(oldest_run_id)}</a> (<Timestamp at={oldest_at} />)
        </>
      )}
      {spooled === 0 ? null : `; ${spooled} on the disk of a worker until Postgres is available`}
    </>
  );
}

/** The logs of workers have the errors. */
function DelayedTrends({ readings }: { readings: readonly AsideReading[] }) {
  return (
    <>
      {readings.map(({ search, run_id, code, at, retry_at }) => (
        <div>
          <a href={`/searches/${search}`}>{search}</a> since <Timestamp at={at} />:{' '}
          <a href={`/runs/${run_id}`}>run {String(run_id)}</a> failed ({code}); next attempt{' '}
          <Timestamp at={retry_at} />
        </div>
      ))}
    </>
  );
}

/** Smaller differences are normal. */
const SKEW_TOLERANCE_MS = 1_000;

export function WorkerTable({ rows }: { rows: readonly WorkerStatus[] }) {
  return (
    <Section
      title="Workers"
      id="workers"
      note="Processes that sent a heartbeat in the last day. Each sends one every 30 seconds."
    >
      <Table
        empty="No worker is running: schedules are on hold. Start one: strandline up, or more: strandline worker."
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
          { head: 'Clock', cell: ({ skew_ms }) => describeSkew(skew_ms), number: true },
        ]}
      />
    </Section>
  );
}

function describeSkew(ms: number): string {
  if (Math.abs(ms) < SKEW_TOLERANCE_MS) return 'in sync';
  return `${formatCount(Math.abs(ms) / 1_000, 's', 's')} ${ms < 0 ? 'behind' : 'ahead'}`;
}
