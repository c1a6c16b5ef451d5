import { SearchLink, TopicLink } from '../components/scope-names.tsx';
import type { PostRank, PostSighting } from '../../store/queries/post-detail.ts';
import { formatFullTime } from '../../lib/display-format.ts';
import { Badge } from '../components/icons.tsx';
import { Count, formatCount } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** The searches that found a post, and when they last returned it. */
export function PostSightings({ rows }: { rows: readonly PostSighting[] }) {
  return (
    <Section title="Found by" id="seen" note="Searches that returned it, in order.">
      <Table
        empty="Not returned by any search: only quoted or reposted in other posts."
        caption="Searches that found this post"
        rows={rows}
        columns={[
          {
            head: 'Search',
            cell: ({ search, topic }) => (
              <>
                <SearchLink slug={search} within="topic" />
                <div class="hint">
                  of <TopicLink slug={topic} />
                </div>
              </>
            ),
          },
          { head: 'First seen', cell: ({ first_seen_at }) => <Timestamp at={first_seen_at} exact /> },
          {
            head: 'First run',
            cell: ({ first_run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>,
            number: true,
          },
          {
            head: 'Last seen',
            cell: ({ last_seen_at }) => <Timestamp at={last_seen_at} exact never="no data" />,
          },
          {
            head: 'Status',
            cell: ({ unseen, last_seen_at }) =>
              unseen ? (
                <>
                  no longer returned since <Timestamp at={last_seen_at} />
                </>
              ) : (
                'in the newest response'
              ),
          },
        ]}
      />
    </Section>
  );
}

/** The runs that returned it, newest first, with its rank. */
export function PostPlaces({ rows }: { rows: readonly PostRank[] }) {
  if (rows.length === 0) return null;
  const ranked = rows.filter(({ rank }) => rank !== null).toReversed();
  return (
    <Section
      title="Responses"
      id="ranks"
      note={`Returned in ${ranked.length} of ${formatCount(rows.length, 'response')} between its first and last sighting (at most 100 per search).`}
    >
      <details>
        <summary>Show runs</summary>
        <Table
          caption="Runs that returned this post"
          rows={ranked}
          columns={[
            { head: 'Run', cell: ({ run_id: id }) => <a href={`/runs/${id}`}>{String(id)}</a>, number: true },
            { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
            { head: 'When', cell: ({ observed_at }) => <Timestamp at={observed_at} exact /> },
            { head: 'Rank', cell: ({ rank }) => <Count of={rank} />, number: true },
            { head: 'Of', cell: ({ posts }) => <Count of={posts} unit="post" />, number: true },
          ]}
        />
      </details>
    </Section>
  );
}

export function DroppedBadge({ at }: { at: Date | null }) {
  const { zone } = useFrame();
  if (at === null) return null;
  return (
    <Badge
      state="paused"
      words="no longer returned"
      why={`Not in the newest response of any search since ${formatFullTime(at, zone)}. Its counters are no longer observed.`}
    />
  );
}
