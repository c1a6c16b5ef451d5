import type { PostRank, PostSighting } from '../../store/queries/post-detail.ts';
import { Badge } from '../components/icons.tsx';
import { Count } from '../components/numbers.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** Which searches saw a post, and until when. */
export function PostSightings({ rows }: { rows: readonly PostSighting[] }) {
  return (
    <Section title="Who saw it" id="seen" note="Each search that returned it, the first one first.">
      {rows.length === 0 ? (
        <EmptyState words="No search returned it by itself: it stood inside other posts." />
      ) : (
        <Table
          caption="Searches that saw this post"
          rows={rows}
          columns={[
            {
              head: 'Search',
              cell: ({ search, topic }) => (
                <>
                  <a href={`/searches/${search}`}>{search}</a>
                  <div class="hint">
                    of <a href={`/topics/${topic}`}>{topic}</a>
                  </div>
                </>
              ),
            },
            { head: 'First seen', cell: ({ first_seen_at }) => <Timestamp at={first_seen_at} exact /> },
            {
              head: 'By run',
              cell: ({ first_run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>,
              number: true,
            },
            {
              head: 'Last seen',
              cell: ({ last_seen_at }) => <Timestamp at={last_seen_at} exact never="not known" />,
            },
            {
              head: 'Now',
              cell: ({ unseen, last_seen_at }) =>
                unseen ? (
                  <>
                    not seen since <Timestamp at={last_seen_at} />
                  </>
                ) : (
                  'in the newest answer'
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

/** In which runs it stood, and where; a stretch of runs that did not return it is one row. */
export function PostPlaces({ rows }: { rows: readonly PostRank[] }) {
  if (rows.length === 0) return null;
  const found = rows.filter(({ rank }) => rank !== null).toReversed();
  return (
    <Section
      title="In which answers"
      id="ranks"
      note={`It stood in ${found.length} of the ${rows.length} answers between its first and its last sighting; at most 100 of each search are looked at.`}
    >
      <details>
        <summary>The runs and its place in each</summary>
        <Table
          caption="Runs that returned this post"
          rows={found}
          columns={[
            { head: 'Run', cell: ({ run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>, number: true },
            { head: 'Search', cell: ({ search }) => search },
            { head: 'When', cell: ({ observed_at }) => <Timestamp at={observed_at} exact /> },
            { head: 'Place', cell: ({ rank }) => <Count of={rank} />, number: true },
            { head: 'Of', cell: ({ posts }) => <Count of={posts} unit="posts" />, number: true },
          ]}
        />
      </details>
    </Section>
  );
}

export function DroppedBadge({ at }: { at: Date | null }) {
  if (at === null) return null;
  return (
    <Badge
      state="paused"
      words="not seen any more"
      why={`no newest answer of a search that had it holds it since ${at.toISOString()}; its counters stand still because nobody observes them`}
    />
  );
}
