/** One author: who they say they are, what they write, and what is typical of it. */

import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Database, Id } from '../../store/database.ts';
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
} from '../../store/queries/authors.ts';
import type { PostRow } from '../../store/queries/posts.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { Facts, Stat, Stats } from '../components/fact-list.tsx';
import { Count } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { PostCard } from '../components/post-card.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, quoteShellWord, UntrustedText } from '../components/untrusted-text.tsx';
import { createNotFound, requireKey } from '../request-input.ts';
import { z } from 'zod';

const MAX_POSTS = 10;
const MAX_CHANGES = 400;

export function addAuthorPage(app: App, { ctx }: RouteContext): void {
  app.get(
    '/authors/:id',
    { config: { scope: 'read' }, schema: { params: z.object({ id: z.string() }) } },
    async (request, reply) => {
      const { id: idText } = request.params;
      const id = requireKey('author', idText);
      const author = await readAuthor(ctx.db, id);
      if (author === undefined) throw createNotFound('author', idText);
      const { newest, best, topics, typical, snapshots } = await readAuthorData(ctx.db, id);
      const name = author.username === null ? author.name : `@${author.username}`;
      return renderPage(request, reply, {
        title: name?.slice(0, 60) ?? 'An author without a name',
        here: '/explore',
        charts: snapshots.length > 1,
        above: 'Author',
        body: (
          <>
            <AuthorProfile author={author} />
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

async function readAuthorData(db: Database, id: Id) {
  const [newest, best, topics, typical, snapshots] = await Promise.all([
    readAuthorPosts(db, id, { order: 'newest', limit: MAX_POSTS }),
    readAuthorPosts(db, id, { order: 'engagement', limit: MAX_POSTS }),
    readAuthorTopics(db, id),
    readAuthorTypical(db, id),
    readAuthorSnapshots(db, id, MAX_CHANGES),
  ]);
  return { newest, best, topics, typical, snapshots };
}

/** An author as last seen, in their own words. */
function AuthorProfile({ author }: { author: AuthorRow }) {
  const nameMark = (yes: boolean | null, words: string) => (yes === true ? words : null);
  const marks = [
    nameMark(author.verified, 'verified'),
    nameMark(author.is_blue_verified, 'verified by subscription'),
    nameMark(author.can_dm, 'takes direct messages'),
    nameMark(author.can_media_tag, 'may be tagged in media'),
  ].filter((one) => one !== null);
  return (
    <Section title="Profile" id="profile" note="As last seen; pictures are not loaded.">
      {author.description === null ? null : (
        <p class="whole">
          <UntrustedText text={author.description} most={4_000} />
        </p>
      )}
      <Stats label="Counters when last observed">
        <Stat name="followers" value={<Count of={author.followers_count} />} />
        <Stat name="posts written" value={<Count of={author.statuses_count} />} />
        <Stat name="posts liked" value={<Count of={author.favourites_count} />} />
        <Stat name="media" value={<Count of={author.media_count} />} />
        <Stat name="lists" value={<Count of={author.listed_count} />} />
      </Stats>
      <Facts
        label="About this author"
        facts={[
          ['Name', author.name === null ? null : <UntrustedText text={author.name} most={120} />],
          [
            'Place, in their words',
            author.location === null ? null : <UntrustedText text={author.location} most={120} />,
          ],
          ['Account made', author.created_at === null ? null : <Timestamp at={author.created_at} exact />],
          ['Marks', marks.join(', ')],
          ['First seen', <Timestamp at={author.first_seen_at} exact />],
          ['Last change seen', <Timestamp at={author.observed_at} exact />],
          ['Service', author.service],
          ['Id there', <UntrustedText text={author.external_id} most={60} />],
          ['Profile', author.url === null ? null : <ExternalLink href={author.url} text={author.url} />],
        ]}
      />
    </Section>
  );
}

/** Removing somebody for good is asked for where it is done, with what goes said first. */
function ForgetAuthor({ author }: { author: AuthorRow }) {
  return (
    <Section title="Forgetting this author" id="forget">
      <p>
        An author is forgotten from the command line. The command says what would go: posts and what repeats
        them, counters, links to them, and raw answers that name them. With <code>--yes</code> it does it, and
        no later answer brings any of it back.
      </p>
      <pre class="shell" tabIndex={0}>
        <code>{`strandline author forget ${quoteShellWord(author.external_id)} --service ${quoteShellWord(author.service)}`}</code>
      </pre>
    </Section>
  );
}

function FollowerChart({ rows }: { rows: readonly AuthorSnapshotRow[] }) {
  const known = rows.filter(({ followers_count }) => followers_count !== null);
  return (
    <Section
      title="Followers over time"
      id="followers"
      note="As many as the service said at each observation that brought another number."
    >
      {known.length < 2 ? (
        <EmptyState words="Followers were observed once or never: a history begins when a later answer brings another number." />
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

function AuthorTopics({ rows }: { rows: readonly AuthorTopic[] }) {
  return (
    <Section
      title="In which topics"
      id="topics"
      note="Where searches found their newest 2,000 posts; a post counts once in each topic."
    >
      {rows.length === 0 ? (
        <EmptyState words="No search found a post of theirs by itself: they were quoted or repeated by others." />
      ) : (
        <Table
          caption="Topics in which this author speaks"
          rows={rows}
          columns={[
            { head: 'Topic', cell: ({ topic, name }) => <a href={`/topics/${topic}`}>{name}</a> },
            { head: 'Posts', cell: ({ posts }) => <Count of={posts} />, number: true },
            { head: 'Searches', cell: ({ searches }) => <Count of={searches} />, number: true, wide: true },
            { head: 'First seen', cell: ({ first_seen_at: at }) => <Timestamp at={at} exact /> },
            { head: 'Last new post', cell: ({ last_seen_at: at }) => <Timestamp at={at} /> },
          ]}
        />
      )}
    </Section>
  );
}

function TypicalEngagement({ rows }: { rows: readonly AuthorTypical[] }) {
  const rounded = (value: number | null) => <Count of={value === null ? null : Math.round(value)} />;
  return (
    <Section
      title="What is typical of them"
      id="typical"
      note="Medians over their last 200 posts, of those that were observed at that age; unknown where fewer than five are."
    >
      {rows.length === 0 ? (
        <EmptyState words="None of their posts was observed close enough to 1, 3, 8, 24 or 72 hours after it was written." />
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

function AuthorPosts({ newest, best }: { newest: readonly PostRow[]; best: readonly PostRow[] }) {
  if (newest.length === 0)
    return (
      <Section title="Posts" id="posts">
        <EmptyState words="No post of theirs is stored." />
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
