import type { AuthorSnapshotRow, AuthorTopic, AuthorTypical } from '../../../store/reads/author-history.ts';
import type { PostRow } from '../../../store/reads/posts.ts';
import { Chart } from '../kit/chart.tsx';
import { Count } from '../kit/number.tsx';
import { PostCard } from '../kit/post-card.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

export function Followers({ rows }: { rows: readonly AuthorSnapshotRow[] }) {
  const known = rows.filter(({ followers_count }) => followers_count !== null);
  return (
    <Section
      title="Followers over time"
      id="followers"
      note="As many as the service said at each observation that brought another number."
    >
      {known.length < 2 ? (
        <Empty words="Followers were observed once or never: a history begins when a later answer brings another number." />
      ) : (
        <Chart
          caption="Followers of this author"
          at={known.map(({ observed_at }) => observed_at)}
          seconds={0}
          series={[{ name: 'followers', values: known.map(({ followers_count }) => followers_count) }]}
          unit="followers"
          kind="lines"
        />
      )}
    </Section>
  );
}

export function TopicsOf({ rows }: { rows: readonly AuthorTopic[] }) {
  return (
    <Section
      title="In which topics"
      id="topics"
      note="Where searches found their newest 2,000 posts; a post counts once in each topic."
    >
      {rows.length === 0 ? (
        <Empty words="No search found a post of theirs by itself: they were quoted or repeated by others." />
      ) : (
        <Table
          caption="Topics in which this author speaks"
          rows={rows}
          columns={[
            { head: 'Topic', cell: ({ topic, name }) => <a href={`/topics/${topic}`}>{name}</a> },
            { head: 'Posts', cell: ({ posts }) => <Count of={posts} />, number: true },
            { head: 'Searches', cell: ({ searches }) => <Count of={searches} />, number: true, wide: true },
            { head: 'First seen', cell: ({ first_seen_at: at }) => <When at={at} exact /> },
            { head: 'Last new post', cell: ({ last_seen_at: at }) => <When at={at} /> },
          ]}
        />
      )}
    </Section>
  );
}

export function Typical({ rows }: { rows: readonly AuthorTypical[] }) {
  const rounded = (value: number | null) => <Count of={value === null ? null : Math.round(value)} />;
  return (
    <Section
      title="What is typical of them"
      id="typical"
      note="Medians over their last 200 posts, of those that were observed at that age; unknown where fewer than five are."
    >
      {rows.length === 0 ? (
        <Empty words="None of their posts was observed close enough to 1, 3, 8, 24 or 72 hours after it was written." />
      ) : (
        <Table
          caption="What posts of this author usually have at an age"
          rows={rows}
          columns={[
            { head: 'Age', cell: ({ hours }) => `${hours} h`, number: true },
            { head: 'Engagement', cell: ({ engagement }) => rounded(engagement), number: true },
            { head: 'Likes', cell: ({ like_count }) => rounded(like_count), number: true },
            { head: 'Views', cell: ({ view_count }) => rounded(view_count), number: true },
            { head: 'Posts', cell: ({ posts }) => <Count of={posts} />, number: true },
          ]}
        />
      )}
    </Section>
  );
}

export function Written({ newest, best }: { newest: readonly PostRow[]; best: readonly PostRow[] }) {
  if (newest.length === 0)
    return (
      <Section title="Posts" id="posts">
        <Empty words="No post of theirs is stored." />
      </Section>
    );
  return (
    <>
      <Section title="Newest posts" id="newest">
        {newest.map((post) => (
          <PostCard post={post} />
        ))}
      </Section>
      <Section
        title="Posts with most engagement"
        id="best"
        note="Likes, reposts, replies and quotes when last observed."
      >
        {best.map((post) => (
          <PostCard post={post} />
        ))}
      </Section>
    </>
  );
}
