import { DiscoveryLine } from '../kit/discovery-line.tsx';
import { counted } from '../kit/number.tsx';
import { PostCard } from '../kit/post-card.tsx';
import { Empty, Section } from '../kit/section.tsx';
import type { Visit } from './visit.ts';
import type { Shown } from './volume-section.tsx';

/** What was found last; what came since the last visit is marked. */
export function NewSection({ scope, read, visit }: Shown & { visit: Visit }) {
  const { since } = visit;
  return (
    <Section
      title="Newest"
      id="newest"
      held
      note="Posts, links and completions as they were found for the first time."
    >
      {read.newest.length === 0 ? (
        <Empty words="Nothing was found yet. The first run says what there is; later ones what is new." />
      ) : (
        <ul class="feed">
          {read.newest.map((discovery) => (
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
export function RisingSection({ read }: Shown) {
  return (
    <Section
      title="Rising now"
      id="rising"
      live
      note="Likes, reposts, replies and quotes gained in the last six hours, beside what is typical at that age."
    >
      {read.rising.length === 0 ? (
        <Empty words="Nothing rises: no post that was seen twice in the last hours gained anything." />
      ) : (
        <ul class="feed">
          {read.rising.map((post) => (
            <li>
              <PostCard
                post={{ ...post, id: post.post_id }}
                times={post.ratio}
                note={`+${counted(Math.round(post.per_hour * 10) / 10, 'an hour', 'an hour')}`}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Posts beside others of the same age: a young post is not the less for being young. */
export function AheadSection({ read, range }: Shown) {
  const { hours, posts } = read.ahead;
  return (
    <Section
      title="Ahead of others of their age"
      id="ahead"
      live
      note={`Engagement at the age of ${counted(hours, 'hour')}, beside what is typical of the search; posts of the last ${range.words}.`}
    >
      {posts.length === 0 ? (
        <Empty words={`No post was observed at the age of ${counted(hours, 'hour')} yet.`} />
      ) : (
        <ul class="feed">
          {posts.map((post) => (
            <li>
              <PostCard
                post={post.post}
                times={post.engagement_ratio}
                note={`${counted(Math.round(post.engagement ?? 0), 'reaction')} then`}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
