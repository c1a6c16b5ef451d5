/** One author: profile, posts, typical engagement. */

import { awaitMembers } from '../../lib/await-members.ts';
import { AUTHOR_VERSION_MEMBERS } from '../../model/item-versions.ts';
import { findById } from '../../monitor/http/find-by-id.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Database, Id } from '../../store/db/database.ts';
import {
  type AuthorRow,
  type AuthorSnapshotRow,
  type AuthorTopic,
  type AuthorTypical,
  readAuthor,
  readAuthorPosts,
  readAuthorSnapshots,
  readAuthorTopics,
  readAuthorTypical,
  readAuthorVersions,
} from '../../store/queries/authors.ts';
import type { PostRow } from '../../store/queries/post-detail.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { Facts, Stat, Stats } from '../components/fact-list.tsx';
import { Count } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { nameAuthor, PostCard } from '../components/post-card.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, quoteShellWord, UntrustedText } from '../components/untrusted-text.tsx';
import { requireKey } from '../request-input.ts';
import { Versions } from './versions.tsx';
import { z } from 'zod';

const MAX_POSTS = 10;
const MAX_CHANGES = 400;

export function addAuthorPage(app: App, { ctx }: RouteContext): void {
  app.get(
    '/authors/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const id = requireKey('author', request.params.id);
      const author = await findById('author', id, readAuthor(ctx.db, id));
      const { newest, best, topics, typical, snapshots, versions } = await readAuthorData(ctx.db, id);
      return renderPage(request, reply, {
        title: nameAuthor(author.username, author.name)?.slice(0, 60) ?? 'Unnamed author',
        here: '/explore',
        charts: snapshots.length > 1,
        above: 'Author',
        body: (
          <>
            <AuthorProfile author={author} />
            <Versions versions={versions} members={AUTHOR_VERSION_MEMBERS} />
            <FollowerChart rows={snapshots} />
            <AuthorTopics rows={topics} />
            <TypicalEngagement rows={typical} />
            <AuthorPosts newest={newest} best={best} />
            <ForgetAuthor author={author} />
          </>
        ),
      });
    },
  );
}

function readAuthorData(db: Database, id: Id) {
  return awaitMembers({
    newest: readAuthorPosts(db, id, { order: 'newest', limit: MAX_POSTS }),
    best: readAuthorPosts(db, id, { order: 'engagement', limit: MAX_POSTS }),
    topics: readAuthorTopics(db, id),
    typical: readAuthorTypical(db, id),
    snapshots: readAuthorSnapshots(db, id, MAX_CHANGES),
    versions: readAuthorVersions(db, id),
  });
}

function AuthorProfile({ author }: { author: AuthorRow }) {
  const nameMark = (yes: boolean | null, words: string) => (yes === true ? words : null);
  const marks = [
    nameMark(author.verified, 'verified'),
    nameMark(author.is_blue_verified, 'verified by subscription'),
    nameMark(author.can_dm, 'accepts direct messages'),
    nameMark(author.can_media_tag, 'can be tagged in media'),
  ].filter((part) => part !== null);
  return (
    <Section title="Profile" id="profile" note="As last observed. Pictures are not loaded.">
      {author.description === null || author.description === '' ? null : (
        <p class="whole">
          <UntrustedText text={author.description} most={4_000} />
        </p>
      )}
      <Stats label="Counters when last observed">
        <Stat name="followers" value={<Count of={author.followers_count} />} />
        <Stat name="follows" value={<Count of={author.followings_count} />} />
        <Stat name="posts written" value={<Count of={author.statuses_count} />} />
        <Stat name="posts liked" value={<Count of={author.favourites_count} />} />
        <Stat name="media" value={<Count of={author.media_count} />} />
        <Stat name="lists" value={<Count of={author.listed_count} />} />
      </Stats>
      <Facts
        label="About this author"
        facts={[
          ['Name', author.name === null ? null : <UntrustedText text={author.name} most={120} />],
          ['Location', author.location && <UntrustedText text={author.location} most={120} />],
          ['Account created', author.created_at === null ? null : <Timestamp at={author.created_at} exact />],
          ['Flags', marks.join(', ')],
          ['First seen', <Timestamp at={author.first_seen_at} exact />],
          ['Last changed', <Timestamp at={author.observed_at} exact />],
          ['Service', author.service],
          ['Original ID', <UntrustedText text={author.external_id} most={60} />],
          ['Profile', author.url && <ExternalLink href={author.url} text={author.url} />],
        ]}
      />
    </Section>
  );
}

/** Deletion is a command only, because it needs a preview and a confirmation. */
function ForgetAuthor({ author }: { author: AuthorRow }) {
  return (
    <Section title="Delete this author" id="forget">
      <p>
        Use the command line. The command lists what it would delete: posts and their reposts, counters, links
        to them, and raw responses that name the author. With <code>--yes</code> it deletes them, and later
        responses never restore them.
      </p>
      <pre class="shell" tabIndex={0}>
        <code>{`strandline authors forget ${quoteShellWord(author.external_id)} --service ${quoteShellWord(author.service)}`}</code>
      </pre>
    </Section>
  );
}

function FollowerChart({ rows }: { rows: readonly AuthorSnapshotRow[] }) {
  const known = rows.filter(({ followers_count }) => followers_count !== null);
  return (
    <Section title="Followers over time" id="followers" note="As reported by the service, at each change.">
      {known.length < 2 ? (
        <EmptyState words="No history yet: no change was observed." />
      ) : (
        <Chart
          caption="Followers of this author"
          at={known.map(({ observed_at }) => observed_at)}
          seconds={0}
          series={[{ name: 'followers', values: known.map(({ followers_count }) => followers_count) }]}
          unit="followers"
          singular="follower"
          kind="lines"
        />
      )}
    </Section>
  );
}

function AuthorTopics({ rows }: { rows: readonly AuthorTopic[] }) {
  return (
    <Section
      title="Topics"
      id="topics"
      note="Topics of their newest 2,000 posts. A post counts once per topic."
    >
      <Table
        empty="No topics: their posts were only quoted or reposted by others."
        caption="Topics of this author"
        rows={rows}
        columns={[
          { head: 'Topic', cell: ({ topic, name }) => <a href={`/topics/${topic}`}>{name}</a> },
          { head: 'Posts', cell: ({ posts }) => <Count of={posts} />, number: true },
          { head: 'Searches', cell: ({ searches }) => <Count of={searches} />, number: true, wide: true },
          { head: 'First seen', cell: ({ first_seen_at: at }) => <Timestamp at={at} exact /> },
          { head: 'Last new post', cell: ({ last_seen_at: at }) => <Timestamp at={at} /> },
        ]}
      />
    </Section>
  );
}

function TypicalEngagement({ rows }: { rows: readonly AuthorTypical[] }) {
  const rounded = (value: number | null) => <Count of={value === null ? null : Math.round(value)} />;
  return (
    <Section
      title="Typical engagement"
      id="typical"
      note="Medians over their last 200 posts, at equal age; no data below five observed posts."
    >
      <Table
        empty="None of their posts was observed near 1, 3, 8, 24 or 72 hours after publication."
        caption="Typical engagement of this author by age"
        rows={rows}
        columns={[
          { head: 'Age', cell: ({ hours }) => `${hours} h`, number: true },
          { head: 'Engagement', cell: ({ engagement }) => rounded(engagement), number: true },
          { head: 'Likes', cell: ({ like_count }) => rounded(like_count), number: true },
          { head: 'Views', cell: ({ view_count }) => rounded(view_count), number: true },
          { head: 'Posts', cell: ({ posts }) => <Count of={posts} />, number: true },
        ]}
      />
    </Section>
  );
}

function AuthorPosts({ newest, best }: { newest: readonly PostRow[]; best: readonly PostRow[] }) {
  if (newest.length === 0)
    return (
      <Section title="Posts" id="posts">
        <EmptyState words="No posts stored." />
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
        title="Top posts by engagement"
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
