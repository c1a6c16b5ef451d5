import { type BarRow, Bars } from '../components/data-table.tsx';
import { DiscoveryLine } from '../components/discovery-item.tsx';
import { formatCount } from '../components/numbers.tsx';
import { PostCard } from '../components/post-card.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { formatDay } from '../components/time-format.ts';
import { UntrustedText } from '../components/untrusted-text.tsx';
import type { Visit } from './last-visit.ts';
import type { TopicSectionProps } from './volume-section.tsx';

/** What was found last; what came since the last visit is marked. */
export function NewSection({ scope, data, visit }: TopicSectionProps & { visit: Visit }) {
  const { since } = visit;
  return (
    <Section
      title="Newest"
      id="newest"
      held
      note="Posts, links and completions as they were found for the first time."
    >
      {data.newest.length === 0 ? (
        <EmptyState words="Nothing was found yet. The first run says what there is; later ones what is new." />
      ) : (
        <ul class="feed">
          {data.newest.map((discovery) => (
            <li>
              <DiscoveryLine
                discovery={discovery}
                fresh={since !== null && discovery.id > since.id && !discovery.baseline}
                {...(scope.search === undefined ? {} : { within: 'search' as const })}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** What gains now beyond what is typical at its age. */
export function RisingSection({ data }: TopicSectionProps) {
  return (
    <Section
      title="Rising now"
      id="rising"
      live
      note="Likes, reposts, replies and quotes gained in the last six hours, beside what is typical at that age."
    >
      {data.rising.length === 0 ? (
        <EmptyState words="Nothing rises: no post that was seen twice in the last hours gained anything." />
      ) : (
        <ul class="feed">
          {data.rising.map((post) => (
            <li>
              <PostCard
                post={{ ...post, id: post.post_id }}
                times={post.ratio}
                note={`+${formatCount(Math.round(post.per_hour * 10) / 10, 'an hour', 'an hour')}`}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Posts beside others of the same age: a young post is not the less for being young. */
export function AheadSection({ data, range }: TopicSectionProps) {
  const { hours, posts } = data.ahead;
  return (
    <Section
      title="Ahead of others of their age"
      id="ahead"
      live
      note={`Engagement at the age of ${formatCount(hours, 'hour')}, beside what is typical of the search; posts of the last ${range.words}.`}
    >
      {posts.length === 0 ? (
        <EmptyState words={`No post was observed at the age of ${formatCount(hours, 'hour')} yet.`} />
      ) : (
        <ul class="feed">
          {posts.map((post) => (
            <li>
              <PostCard
                post={post.post}
                times={post.engagement_ratio}
                note={`${formatCount(Math.round(post.engagement ?? 0), 'reaction')} then`}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Who and what the posts speak of. */
export function TopsSection({ data }: TopicSectionProps) {
  const { from, authors, domains, hashtags, languages } = data.tops;
  if (data.linksOnly) return <TopDomains from={from} rows={domains} />;
  return (
    <div class="columns fourths">
      <TopList
        title="Authors"
        from={from}
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
        }))}
      />
      <TopDomains from={from} rows={domains} />
      <TopList
        title="Hashtags"
        from={from}
        rows={hashtags.map(({ hashtag, posts }) => ({
          name: (
            <a href={`/explore?${new URLSearchParams({ q: `#${hashtag}` }).toString()}`}>
              <UntrustedText text={`#${hashtag}`} most={60} />
            </a>
          ),
          value: posts,
        }))}
      />
      <TopList
        title="Languages"
        from={from}
        rows={languages.map(({ lang, posts }) => ({ name: renderLanguage(lang), value: posts }))}
      />
    </div>
  );
}

function TopDomains({ from, rows }: { from: Date; rows: TopicSectionProps['data']['tops']['domains'] }) {
  return (
    <TopList
      title="Domains"
      from={from}
      rows={rows.map(({ domain, posts, links }) => ({
        name: <UntrustedText text={domain} most={60} />,
        value: posts + links,
      }))}
    />
  );
}

function TopList({ title, rows, from }: { title: string; rows: readonly BarRow[]; from: Date }) {
  const since = `since ${formatDay(from, 'UTC')} (UTC)`;
  return (
    <Section title={title} id={`top-${title.toLowerCase()}`} live aside={<span class="hint">{since}</span>}>
      {rows.length === 0 ? (
        <EmptyState words={`None ${since}.`} />
      ) : (
        <Bars
          caption={`${title} by posts, ${since}`}
          rows={rows}
          unit={title === 'Domains' ? 'Posts and links' : 'Posts'}
        />
      )}
    </Section>
  );
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** `German`; what is no language's code is shown as it came. */
function renderLanguage(code: string) {
  try {
    return <UntrustedText text={LANGUAGES.of(code) ?? code} most={30} />;
  } catch {
    return <UntrustedText text={code} most={30} />;
  }
}
