import type { Context } from '../../../monitor/context.ts';
import { withPatience } from '../../../engine/patience.ts';
import { type Backlog, isScanLate } from '../../../store/reads/machinery.ts';
import type { AsideReading } from '../../../store/derive/pending.ts';
import type { UnreadResponses } from '../../../store/reads/unread.ts';
import { Facts } from '../detail/facts.tsx';
import { Badge } from '../kit/badge.tsx';
import { Count, counted } from '../kit/number.tsx';
import { Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';

type WorkQueue = Context['queue'];

/** How many jobs the queue holds, by state; null where it cannot be reached. */
export type QueueNow = Record<string, number> | null;

/** Asks the queue, and does not wait for one that does not answer. */
export function readQueue(queue: Pick<WorkQueue, 'depth'>, patienceMs: number): Promise<QueueNow> {
  return withPatience(queue.depth(), patienceMs).catch(() => null); // shown as unavailable; workers log why
}

export function ScanAndQueue({
  kind,
  queue,
  backlog,
  unread,
  aside,
}: {
  kind: WorkQueue['kind'];
  queue: QueueNow;
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
              <When at={backlog.scanned_at} />
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
          ['Jobs', queue === null ? null : depthWords(queue)],
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
          ['Unread responses', <Unread unread={unread} />],
          ['Trends that wait', aside.length === 0 ? null : <SetAside readings={aside} />],
        ]}
      />
    </Section>
  );
}

/** Those of a run in progress are part of it; late ones need attention. */
function Unread({ unread }: { unread: UnreadResponses }) {
  const { stored, spooled, late, oldest_at, oldest_run_id } = unread;
  if (stored + spooled === 0) return <>none</>;
  return (
    <>
      {counted(stored, 'response')} stored and not parsed yet
      {late === 0 || oldest_run_id === null ? null : (
        <>
          , {late === stored ? '' : `${late} of them `}for more than a minute: the oldest is of{' '}
          <a href={`/runs/${oldest_run_id}`}>run {String(oldest_run_id)}</a> (<When at={oldest_at} />)
        </>
      )}
      {spooled === 0
        ? null
        : `; ${spooled} on the disk of a worker, which stores them when Postgres allows it`}
    </>
  );
}

/** What they failed of stands in the logs of workers. */
function SetAside({ readings }: { readings: readonly AsideReading[] }) {
  return (
    <>
      {readings.map(({ search, run_id, code, at, retry_at }) => (
        <div>
          <a href={`/searches/${search}`}>{search}</a> since <When at={at} />:{' '}
          <a href={`/runs/${run_id}`}>run {String(run_id)}</a> cannot be derived ({code}); next attempt{' '}
          <When at={retry_at} />
        </div>
      ))}
    </>
  );
}

function depthWords(depth: Readonly<Record<string, number>>): string {
  const parts = Object.entries(depth)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
