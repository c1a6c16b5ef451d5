/** A match of a full-text search. */

import { SearchLink } from '../components/scope-names.tsx';
import { nameCounted } from '../../model/counters.ts';
import type { ExcerptPiece, TextHit } from '../../store/archive/find-text.ts';
import { DismissButton } from '../components/dismiss-button.tsx';
import { Icon } from '../components/icons.tsx';
import { ShortCount } from '../components/numbers.tsx';
import { nameAuthor } from '../components/post-card.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { ExternalLink, UntrustedText } from '../components/untrusted-text.tsx';

/** Searches named per match; the page of the item lists all. */
const MAX_FINDERS = 3;

/**
 * A match with its words highlighted.
 * @param props.topic that the search is limited to; null: without buttons that hide it, because it is hidden
 */
export function HitView({ hit, topic }: { hit: TextHit; topic: string | null | undefined }) {
  const { kind, post, link, at, found_by } = hit;
  const finders = [...new Set(found_by.map((finder) => finder.topic))];
  // A nested post is in no list of a topic.
  const topics = topic === undefined ? finders : finders.filter((finder) => finder === topic);
  const place = post === null ? `/links/${link?.id}` : `/posts/${post.id}`;
  return (
    <article class="hit">
      <p class="hit-head">
        <Icon name={kind} />
        {post !== null && post.author_id !== null ? (
          <a class="who" href={`/authors/${post.author_id}`}>
            <UntrustedText text={nameAuthor(post.author_username, post.author_name) ?? 'unnamed'} most={60} />
          </a>
        ) : null}
        {link === null ? null : (
          <a href={place}>
            {hit.title.length === 0 ? (
              <UntrustedText text={link.url} most={160} />
            ) : (
              <MarkedText parts={hit.title} />
            )}
          </a>
        )}
      </p>
      {hit.excerpt.length === 0 ? null : (
        <p class="hit-text">
          <MarkedText parts={hit.excerpt} />
        </p>
      )}
      <p class="line-more">
        <a href={place}>
          <Timestamp at={at} exact />
        </a>
        {post === null || post.like_count === null ? null : (
          <span>
            <ShortCount of={post.like_count} /> {nameCounted('like_count', post.like_count)}
          </span>
        )}
        {link === null ? null : <ExternalLink href={link.url} text={link.site} />}
        {found_by.slice(0, MAX_FINDERS).map(({ search }) => (
          <SearchLink slug={search} />
        ))}
        {found_by.length <= MAX_FINDERS ? null : <span>and {found_by.length - MAX_FINDERS} more</span>}
        {topics.slice(0, MAX_FINDERS).map((slug) => (
          <DismissButton
            kind={kind}
            id={post?.id ?? link?.id ?? 0n}
            text={post?.text ?? link?.title ?? link?.url ?? ''}
            topic={slug}
            names={topics.length > 1}
          />
        ))}
      </p>
    </article>
  );
}

function MarkedText({ parts }: { parts: readonly ExcerptPiece[] }) {
  return (
    <>
      {parts.map(({ text, match }) =>
        match ? (
          <mark>
            <UntrustedText text={text} />
          </mark>
        ) : (
          <UntrustedText text={text} />
        ),
      )}
    </>
  );
}
