/** What a post stands in: what it repeats, quotes or answers, and what it names. */
import type { PostRow } from '../../../store/reads/posts.ts';
import type { Id } from '../../../store/database.ts';
import { OutLink, Outside } from '../kit/outside.tsx';
import { PostCard } from '../kit/post-card.tsx';
import { Section } from '../kit/section.tsx';

/** Members that name another post by the service's id, and how that is said. */
export const RELATIONS = [
  ['reposted_status_id', 'It repeats'],
  ['quoted_status_id', 'It quotes'],
  ['in_reply_to_status_id', 'It answers'],
] as const;

export function relatedIds(post: PostRow): string[] {
  return [...new Set(RELATIONS.flatMap(([member]) => post[member] ?? []))];
}

export function Around({ post, others }: { post: PostRow; others: readonly PostRow[] }) {
  const related = RELATIONS.flatMap(([member, words]) => {
    const id = post[member];
    return id === null ? [] : [{ id, words, other: others.find((one) => one.external_id === id) }];
  });
  const quoteOnly = post.quote !== null && post.quoted_status_id === null ? post.quote : null;
  if (related.length === 0 && quoteOnly === null) return null;
  return (
    <Section title="What it refers to" id="around">
      {related.map(({ id, words, other }) => (
        <>
          <h3>{words}</h3>
          {other === undefined ? (
            <p>
              the post <Outside text={id} most={40} /> of the same service, which no answer ever held
              {words === 'It answers' && post.in_reply_to_screen_name !== null ? (
                <>
                  {' '}
                  (by <Outside text={`@${post.in_reply_to_screen_name}`} most={40} />)
                </>
              ) : null}
            </p>
          ) : (
            <PostCard post={other} />
          )}
        </>
      ))}
      {quoteOnly === null ? null : (
        <>
          <h3>It quotes</h3>
          <blockquote>
            <Outside text={quoteOnly} most={4_000} />
          </blockquote>
        </>
      )}
    </Section>
  );
}

export function Names({ post, links }: { post: PostRow; links: ReadonlyMap<string, Id> }) {
  const { urls, hashtags, mentions } = post;
  if (urls.length + hashtags.length + mentions.length === 0) return null;
  return (
    <Section title="What it names" id="names">
      {urls.length === 0 ? null : (
        <>
          <h3>Links</h3>
          <ul class="plain">
            {urls.map((url) => {
              const id = links.get(url);
              return (
                <li>
                  <OutLink href={url} text={url} />{' '}
                  {id === undefined ? null : <a href={`/links/${id}`}>also found by a search</a>}
                </li>
              );
            })}
          </ul>
        </>
      )}
      {hashtags.length === 0 ? null : (
        <p class="words">
          Hashtags{' '}
          {hashtags.map((tag) => (
            <>
              <a href={`/explore?q=${encodeURIComponent(tag)}`}>
                <Outside text={`#${tag}`} most={60} />
              </a>{' '}
            </>
          ))}
        </p>
      )}
      {mentions.length === 0 ? null : (
        <p class="words">
          Mentions{' '}
          {mentions.map((name) => (
            <>
              <Outside text={`@${name}`} most={60} />{' '}
            </>
          ))}
        </p>
      )}
    </Section>
  );
}
