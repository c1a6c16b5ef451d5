import type { Context } from '../../monitor/context.ts';
import { withTimeout } from '../../platform/clock.ts';
import type { AsideReading } from '../../store/derive/pending-derivations.ts';
import { type Backlog, isScanLate, type UnreadResponses } from '../../store/queries/system.ts';
import type { WorkerRow } from '../../store/worker-registry.ts';
import { Table } from '../components/data-table.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Badge } from '../components/icons.tsx';
import { Count, formatCount } from '../components/numbers.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';

type WorkQueue = Context['queue'];

/** How many jobs the queue holds, by state; null where it cannot be reached. */
type QueueDepth = Record<string, number> | null;

/** Asks the queue, and does not wait for one that does not answer. */
export function readQueue(queue: Pick<WorkQueue, 'depth'>, patienceMs: number): Promise<QueueDepth> {
  return withTimeout(queue.depth(), patienceMs).catch(() => null); // shown as unavailable; workers log why
}

export function ScanAndQueue({
  kind,
  queue,
  backlog,
  unread,
  aside,
}: {
  kind: WorkQueue['kind'];
  queue: QueueDepth;
  backlog: Backlog;
  unread: UnreadResponses;
  aside: readonly AsideReading[];
}) {
  return (
    <Section
      title="Scan and queue"
      id="queue"
      note="Twice a second a worker scans the database for what is due and offers it to the queue, which distributes it among workers. The queue may be emptied at any moment: the scan offers everything again."
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
                  <Badge state="failed" words="late" />: nothing that is due runs until a worker scans again
                </>
              ) : null}
            </>,
          ],
          [
            'Queue',
            `BullMQ on ${kind === 'redis' ? 'Redis' : 'Postgres'}${queue === null ? ', unavailable: runs wait in the database' : ''}`,
          ],
          ['Jobs', queue === null ? null : describeDepth(queue)],
          [
            'To be offered',
            <>
              <Count of={backlog.to_offer} /> {backlog.to_offer === 1 ? 'run' : 'runs'}, by the next scan
            </>,
          ],
          [
            'Abandoned runs',
            <>
              <Count of={backlog.expired} />
              {backlog.expired > 0 ? ': the next scan offers them to other workers' : ''}
            </>,
          ],
          ['Unread responses', <UnreadCount unread={unread} />],
          ['Trends that wait', aside.length === 0 ? null : <DelayedTrends readings={aside} />],
        ]}
      />
    </Section>
  );
}

/** Those of a run in progress are part of it; late ones need attention. */
function UnreadCount({ unread }: { unread: UnreadResponses }) {
  const { stored, spooled, late, oldest_at, oldest_run_id } = unread;
  if (stored + spooled === 0) return <>none</>;
  return (
    <>
      {formatCount(stored, 'response')} stored and not parsed yet
      {late === 0 || oldest_run_id === null ? null : (
        <>
          , {late === stored ? '' : `${late} of them `}for more than a minute: the oldest is of{' '}
          <a href={`/runs/${oldest_run_id}`}>run {String(oldest_run_id)}</a> (<Timestamp at={oldest_at} />)
        </>
      )}
      {spooled === 0
        ? null
        : `; ${spooled} on the disk of a worker, which stores them when Postgres allows it`}
    </>
  );
}

/** What they failed of stands in the logs of workers. */
function DelayedTrends({ readings }: { readings: readonly AsideReading[] }) {
  return (
    <>
      {readings.map(({ search, run_id, code, at, retry_at }) => (
        <div>
          <a href={`/searches/${search}`}>{search}</a> since <Timestamp at={at} />:{' '}
          <a href={`/runs/${run_id}`}>run {String(run_id)}</a> cannot be derived ({code}); next attempt{' '}
          <Timestamp at={retry_at} />
        </div>
      ))}
    </>
  );
}

function describeDepth(depth: Readonly<Record<string, number>>): string {
  const parts = Object.entries(depth)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

export type WorkerStatus = WorkerRow & { silent: boolean };

/** Less than a second is what any two clocks differ by. */
const SKEW_TOLERANCE_MS = 1_000;

export function WorkerTable({ rows }: { rows: readonly WorkerStatus[] }) {
  return (
    <Section
      title="Workers"
      id="workers"
      note="Processes that execute runs and were heard of within a day: each sends a heartbeat every 30 seconds."
    >
      {rows.length === 0 ? (
        <EmptyState words="No worker is running: schedules are on hold. Start one: strandline up, or more of them: strandline worker." />
      ) : (
        <Table
          caption="Workers"
          rows={rows}
          columns={[
            { head: 'Worker', cell: ({ name }) => <code>{name}</code> },
            { head: 'State', cell: ({ silent }) => (silent ? 'no heartbeat: probably ended' : 'running') },
            { head: 'Heartbeat', cell: ({ seen_at }) => <Timestamp at={seen_at} /> },
            { head: 'Since', cell: ({ started_at }) => <Timestamp at={started_at} exact />, wide: true },
            { head: 'Version', cell: ({ version }) => version },
            { head: 'Queue', cell: ({ queue }) => queue, wide: true },
            { head: 'Runs at once', cell: ({ concurrency }) => <Count of={concurrency} />, number: true },
            { head: 'Clock', cell: ({ skew_ms }) => describeSkew(skew_ms), number: true },
          ]}
        />
      )}
    </Section>
  );
}

function describeSkew(ms: number): string {
  if (Math.abs(ms) < SKEW_TOLERANCE_MS) return 'as the database’s';
  return `${formatCount(Math.abs(ms) / 1_000, 's', 's')} ${ms < 0 ? 'behind' : 'ahead'}`;
}
