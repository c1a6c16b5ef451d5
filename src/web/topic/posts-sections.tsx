import { type BarRow, Bars } from '../components/data-table.tsx';
import { writeFieldQuery } from '../../model/query-fields.ts';
import { DiscoveryLine, ViewNote } from '../components/discovery-item.tsx';
import { type ListKind, writeListPath } from '../components/list-address.ts';
import { Count, formatCount } from '../components/numbers.tsx';
import { PostCard } from '../components/post-card.tsx';
import { EmptyState, Feed, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { LanguageName, UntrustedText } from '../components/untrusted-text.tsx';
import type { Visit } from './last-visit.ts';
import type { TopicScope } from './topic-data.ts';
import type { TopicSectionProps } from './volume-section.tsx';
import type { ComponentChildren } from 'preact';

/** The newest discoveries; those since the last visit are marked. */
export function NewSection({ scope, range, data, visit }: TopicSectionProps & { visit: Visit | null }) {
  const other = scope.view === 'topic' ? 'search' : 'topic';
  return (
    <Section
      title="Newest"
      id="newest"
      held
      note={
        scope.search !== undefined ? (
          'Posts, links and answers, by time of first sighting.'
        ) : (
          <ViewNote view={scope.view} other={`?range=${range.name}&view=${other}#newest`} />
        )
      }
      aside={<a href={writeListPath('discoveries', scope)}>Everything new</a>}
    >
      <Feed
        rows={data.newest}
        empty="Nothing found yet. What the first run finds was there at the start; later runs show what is new."
      >
        {(discovery) => (
          <DiscoveryLine
            discovery={discovery}
            fresh={visit !== null && discovery.id > visit.since && !discovery.baseline}
            within={scope.search === undefined ? undefined : 'search'}
          />
        )}
      </Feed>
    </Section>
  );
}

/** Posts that gain faster than is typical at their age. */
export function RisingSection({ data }: TopicSectionProps) {
  return (
    <Section
      title="Rising now"
      id="rising"
      live
      note="Likes, reposts, replies and quotes gained in the last 6 hours, compared with what is typical at the same age."
    >
      <Feed
        rows={data.rising}
        empty="No rising posts: no post seen at least twice in the last hours gained engagement."
      >
        {(post) => (
          <PostCard
            post={{ ...post, id: post.post_id }}
            times={post.ratio}
            note={`+${formatCount(Math.round(post.per_hour * 10) / 10, 'per hour', 'per hour')}`}
          />
        )}
      </Feed>
    </Section>
  );
}

/** Posts compared at the same age, so that young posts are not at a disadvantage. */
export function AheadSection({ data, range }: TopicSectionProps) {
  const { hours, posts } = data.ahead;
  return (
    <Section
      title="Outperforming posts of the same age"
      id="ahead"
      live
      note={`Engagement ${formatCount(hours, 'hour')} after publication, compared with what is typical for this search. Posts from the last ${range.words}.`}
    >
      <Feed rows={posts} empty={`No post was observed ${formatCount(hours, 'hour')} after publication yet.`}>
        {(post) => (
          <PostCard
            post={post.post}
            times={post.engagement_ratio}
            note={`${formatCount(Math.round(post.engagement ?? 0), 'reaction')} at ${hours} h`}
          />
        )}
      </Feed>
    </Section>
  );
}

/** Top authors, domains, hashtags and languages, which lead to their posts. */
export function TopsSection({ data, scope }: TopicSectionProps) {
  const { topsFrom: from, authors, domains, hashtags, languages } = data;
  const note = (
    <p class="note" data-live="tops-since">
      Most frequent since <Timestamp at={from} exact />.
    </p>
  );
  if (data.linksOnly)
    return (
      <>
        {note}
        <TopDomains from={from} rows={domains} scope={scope} />
      </>
    );
  const since = { scope, from };
  return (
    <>
      {note}
      <div class="columns fourths">
        <TopList
          title="Authors"
          rows={authors.map(({ author_id, author_username, posts }) => ({
            name: (
              <a href={`/authors/${author_id}`}>
                {author_username === null ? (
                  <span class="unknown">unknown</span>
                ) : (
                  <UntrustedText text={`@${author_username}`} most={40} />
                )}
              </a>
            ),
            value: posts,
            shown: (
              <FieldLink {...since} field="author-id" value={`${author_id}`}>
                <Count of={posts} />
              </FieldLink>
            ),
          }))}
        />
        <TopDomains from={from} rows={domains} scope={scope} />
        <TopList
          title="Hashtags"
          rows={hashtags.map(({ hashtag, posts }) => ({
            name: (
              <FieldLink {...since} field="hashtag" value={hashtag}>
                <UntrustedText text={`#${hashtag}`} most={60} />
              </FieldLink>
            ),
            value: posts,
          }))}
        />
        <TopList
          title="Languages"
          rows={languages.map(({ lang, posts }) => ({
            name: (
              <FieldLink {...since} field="lang" value={lang}>
                <LanguageName code={lang} />
              </FieldLink>
            ),
            value: posts,
          }))}
        />
      </div>
    </>
  );
}

function TopDomains({
  from,
  rows,
  scope,
}: {
  from: Date;
  rows: TopicSectionProps['data']['domains'];
  scope: TopicScope;
}) {
  return (
    <TopList
      title="Domains"
      rows={rows.map(({ domain, posts, links }) => ({
        name: <UntrustedText text={domain} most={60} />,
        value: posts + links,
        shown: (
          <>
            {posts === 0 ? null : (
              <FieldLink {...{ scope, from, field: 'host', value: domain }}>
                {formatCount(posts, 'post')}
              </FieldLink>
            )}
            {posts === 0 || links === 0 ? '' : ', '}
            {links === 0 ? null : (
              <FieldLink {...{ scope, from, field: 'host', value: domain }} kind="links">
                {formatCount(links, 'link')}
              </FieldLink>
            )}
          </>
        ),
      }))}
    />
  );
}

/** A link to the items since then with this value; only its text if no query can ask for it. */
function FieldLink({
  scope,
  from,
  kind = 'posts',
  field,
  value,
  children,
}: {
  scope: TopicScope;
  from: Date;
  kind?: ListKind;
  field: Parameters<typeof writeFieldQuery>[0];
  value: string;
  children: ComponentChildren;
}) {
  const q = writeFieldQuery(field, value);
  return q === undefined ? <>{children}</> : <a href={writeListPath(kind, scope, { q, from })}>{children}</a>;
}

function TopList({ title, rows }: { title: string; rows: readonly BarRow[] }) {
  return (
    <Section title={title} id={`top-${title.toLowerCase()}`} live>
      {rows.length === 0 ? (
        <EmptyState words="None." />
      ) : (
        <Bars
          caption={`Top ${title.toLowerCase()} by posts`}
          rows={rows}
          unit={title === 'Domains' ? 'Posts and links' : 'Posts'}
        />
      )}
    </Section>
  );
}
