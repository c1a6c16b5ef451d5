/** How a topic or search is doing: in a line under its title, and as a badge in lists. */
import { judgeTopic, type SearchStatus, type TopicStatus } from '../../monitor/status/search-status.ts';
import { nameStatus, nameTopicStatus } from '../../monitor/status/status-names.ts';
import { formatWithWeekday } from '../../lib/display-format.ts';
import { ActionButton } from './form.tsx';
import { Badge } from './icons.tsx';
import { IfAllowed, useFrame } from './page-frame.tsx';
import { DueTime, Timestamp } from './timestamp.tsx';
import { UntrustedText } from './untrusted-text.tsx';

const MAX_REASON = 300;

/** Of a topic that is not removed. @param slug of the topic */
export function TopicStatusLine({ status, slug }: { status: TopicStatus; slug: string }) {
  const [first, ...others] = status.searches;
  // Only what fails is run again: one search by itself, several by the topic.
  const rerun =
    first === undefined || others.length > 0
      ? { action: `/topics/${slug}/run`, fields: { only: 'failing' } }
      : { action: `/searches/${first.search}/run` };
  return <StatusLine status={status} rerun={rerun} />;
}

/** Of a search that is not removed. */
export function SearchStatusLine({ status }: { status: SearchStatus }) {
  return <StatusLine status={judgeTopic([status])} rerun={{ action: `/searches/${status.search}/run` }} />;
}

function StatusLine({
  status,
  rerun,
}: {
  status: TopicStatus;
  rerun: { action: string; fields?: Readonly<Record<string, string>> };
}) {
  const { since, reason, advice, last_run_id, last_run_at, next_due_at } = status;
  return (
    <div class="status-line" data-live="status">
      <TopicStatusBadge status={status} />
      {since === null ? null : (
        <span>
          since <Timestamp at={since} exact />
          {reason === null ? '' : ':'}
        </span>
      )}
      {reason === null ? null : (
        <span>
          <UntrustedText text={reason} most={MAX_REASON} />
          {advice === null ? '' : `. ${advice}`}
        </span>
      )}
      {status.status === null ? null : (
        <span class="why">
          Last run{' '}
          {last_run_id === null ? (
            <Timestamp at={null} />
          ) : (
            <a href={`/runs/${last_run_id}`}>
              <Timestamp at={last_run_at} />
            </a>
          )}
          , next run <DueTime at={next_due_at} />
        </span>
      )}
      {status.status === 'failing' ? (
        <IfAllowed scope="run">
          <ActionButton {...rerun} words="Run again" icon="run" />
        </IfAllowed>
      ) : null}
    </div>
  );
}

/** Of a topic: with the number of searches that it is about. */
export function TopicStatusBadge({ status }: { status: TopicStatus }) {
  const frame = useFrame();
  const words = nameTopicStatus(status, (at) => formatWithWeekday(at, frame, false));
  return <Badge state={status.status ?? 'removed'} words={words} why={status.reason} />;
}

/** Of a search in a list, with the reason below. */
export function SearchStatusCell({ status }: { status: SearchStatus | undefined }) {
  const frame = useFrame();
  if (status === undefined) return null;
  return (
    <>
      <Badge
        state={status.status}
        words={nameStatus(status, (at) => formatWithWeekday(at, frame, false))}
        why={status.reason}
      />
      {status.reason === null ? null : (
        <div class="why">
          <UntrustedText text={status.reason} most={MAX_REASON} />
        </div>
      )}
    </>
  );
}
