import type { Marked, TextHit } from '../../../store/archive/find-text.ts';
import { Badge } from '../kit/badge.tsx';
import { Icon } from '../kit/icon.tsx';
import { Short } from '../kit/number.tsx';
import { OutLink, Outside } from '../kit/outside.tsx';
import { When } from '../kit/when.tsx';

/** Searches that are named; a thing that many found has a page of its own. */
const MOST_FINDERS = 3;

/** What was found, with the words that were looked for marked in it. */
export function Hit({ hit }: { hit: TextHit }) {
  const { kind, post, link, at, found_by, sandbox } = hit;
  const place = post === null ? `/links/${link?.id}` : `/posts/${post.id}`;
  const name = post?.author_username ?? post?.author_name ?? null;
  return (
    <article class="hit">
      <p class="hit-head">
        <Icon name={kind} />
        {post !== null && post.author_id !== null ? (
          <a class="who" href={`/authors/${post.author_id}`}>
            <Outside text={name === null ? 'unnamed' : `@${name}`} most={60} />
          </a>
        ) : null}
        {link === null ? null : (
          <a href={place}>
            {hit.title.length === 0 ? <Outside text={link.url} most={160} /> : <Words parts={hit.title} />}
          </a>
        )}
        {sandbox ? <Badge state="simulated" /> : null}
      </p>
      {hit.excerpt.length === 0 ? null : (
        <p class="hit-text">
          <Words parts={hit.excerpt} />
        </p>
      )}
      <p class="line-more">
        <a href={place}>
          <When at={at} exact />
        </a>
        {post === null || post.like_count === null ? null : (
          <span>
            <Short of={post.like_count} /> {post.like_count === 1 ? 'like' : 'likes'}
          </span>
        )}
        {link === null ? null : <OutLink href={link.url} text={link.site} />}
        {found_by.slice(0, MOST_FINDERS).map(({ search, topic }) => (
          <a href={`/searches/${search}`}>{`${topic} / ${search}`}</a>
        ))}
        {found_by.length <= MOST_FINDERS ? null : <span>and {found_by.length - MOST_FINDERS} more</span>}
      </p>
    </article>
  );
}

function Words({ parts }: { parts: readonly Marked[] }) {
  return (
    <>
      {parts.map(({ text, match }) =>
        match ? (
          <mark>
            <Outside text={text} />
          </mark>
        ) : (
          <Outside text={text} />
        ),
      )}
    </>
  );
}
