/** The searches of a topic with their last runs, and the runs of one search. */
import { RUN_CODES } from '../../model/errors.ts';
import { nameSearch } from '../../model/search-name.ts';
import { type DateReader, formatMinute } from '../../lib/display-format.ts';
import { describeUnresponsiveCount } from '../../model/tool-coverage.ts';
import { describeStoredSchedule } from '../../monitor/schedule/schedule-text.ts';
import type { SearchStatus } from '../../monitor/status/search-status.ts';
import type { RunCell } from '../../store/queries/search-activity.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import { Table } from '../components/data-table.tsx';
import { StateIcon } from '../components/icons.tsx';
import { formatCount } from '../components/numbers.tsx';
import { CREATE_TOPIC_SCOPES, useFrame } from '../components/page-frame.tsx';
import { EmptyState, FoldedSection } from '../components/section.tsx';
import { SearchStatusCell } from '../components/status-line.tsx';
import { DueTime, Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

/** Runs of a search that its strip has. */
export const SHOWN_RUNS = 30;

export function SearchesSection({
  topic,
  searches,
  statuses,
  runs,
  open = false,
}: {
  topic: TopicRow;
  searches: readonly SearchRow[];
  statuses: readonly SearchStatus[];
  /** Of all searches, newest first. */
  runs: readonly RunCell[];
  open?: boolean;
}) {
  const todo = {
    words: 'Add a search',
    href: `/new?${new URLSearchParams({ topic: topic.slug }).toString()}`,
    scope: CREATE_TOPIC_SCOPES,
  };
  return (
    <FoldedSection
      title={`${formatCount(searches.length, 'search', 'searches')}${describeFailures(runs)}`}
      id="searches"
      open={open}
    >
      <Table
        empty="This topic has no searches."
        {...(topic.archived_at === null ? { todo } : {})}
        caption="Searches of this topic"
        rows={searches}
        columns={[
          {
            head: 'Search',
            cell: (search) => (
              <>
                <a class="who" href={`/searches/${search.slug}`}>
                  <UntrustedText text={nameSearch(search, searches)} />
                </a>
                <div class="hint">
                  “<UntrustedText text={search.prompt} most={90} />”
                </div>
              </>
            ),
          },
          {
            head: 'Status',
            cell: ({ id }) => (
              <SearchStatusCell status={statuses.find(({ search_id }) => search_id === id)} />
            ),
          },
          { head: 'Schedule', wide: true, cell: (search) => describeStoredSchedule(search) },
          { head: 'Next run', wide: true, cell: ({ next_due_at }) => <DueTime at={next_due_at} /> },
          {
            head: 'Last runs, oldest first',
            cell: (search) => (
              <RunStrip
                runs={runs.filter(({ search_id }) => search_id === search.id).toReversed()}
                label={`Last runs of ${nameSearch(search, searches)}`}
              />
            ),
          },
        ]}
      />
      <p class="line-more">
        <span>
          Watched since <Timestamp at={topic.created_at} exact />
        </span>
        <a href={`/runs?${new URLSearchParams({ topic: topic.slug }).toString()}`}>All runs</a>
      </p>
    </FoldedSection>
  );
}

/** Of one search. @param props.runs newest first */
export function RunsSection({ search, runs }: { search: string; runs: readonly RunCell[] }) {
  return (
    <FoldedSection title={`Runs${describeFailures(runs)}`} id="runs">
      <RunStrip runs={runs.toReversed()} label="Last runs" />
      <p class="line-more">
        <a href={`/runs?${new URLSearchParams({ search }).toString()}`}>All runs</a>
      </p>
    </FoldedSection>
  );
}

/** `, 2 of the last 60 runs failed`; nothing if none did. */
function describeFailures(runs: readonly RunCell[]): string {
  const failed = runs.filter(({ status }) => status === 'failed').length;
  return failed === 0 ? '' : `, ${failed} of the last ${runs.length} runs failed`;
}

/** A row of cells, oldest run first; each links to its run and shows its status by shape. */
export function RunStrip({ runs, label }: { runs: readonly RunCell[]; label: string }) {
  const frame = useFrame();
  if (runs.length === 0) return <EmptyState words="No runs yet." />;
  const counts = new Map<RunCell['status'], number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  return (
    <div class="runs">
      <ol class="strip" aria-label={label} data-roving="">
        {runs.map((run) => {
          const text = describeRun(run, frame);
          return (
            <li>
              <a href={`/runs/${run.id}`} class={`cell is-${run.status}`} title={text}>
                <StateIcon state={run.status} />
                <span class="unseen">{text}</span>
              </a>
            </li>
          );
        })}
      </ol>
      <p class="legend">
        {[...counts].map(([status, n]) => (
          <span>
            <StateIcon state={status} /> {n} {status}
          </span>
        ))}
      </p>
    </div>
  );
}

/** `21 Nov, 14:05: failed, the service failed` */
function describeRun(run: RunCell, reader: DateReader): string {
  const at = formatMinute(run.slot_at ?? run.created_at, reader);
  const why = run.code === null ? run.reason : RUN_CODES[run.code];
  const span = run.span_slots === null || run.span_slots < 2 ? '' : ` (${run.span_slots} slots)`;
  const newItems = run.status === 'succeeded' && run.items_new !== null ? `, ${run.items_new} new` : '';
  const unresponsive = describeUnresponsiveCount(run);
  return [`${at}${span}: ${run.status}${newItems}`, why, unresponsive]
    .filter((part) => part !== null)
    .join(', ');
}
