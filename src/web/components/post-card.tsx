import { MAIN_COUNTERS, nameCounted } from '../../model/counters.ts';
import { Badge } from './icons.tsx';
import { Ratio, ShortCount } from './numbers.tsx';
import { Timestamp } from './timestamp.tsx';
import { Translated } from './translation.tsx';
import { ExternalLink, UntrustedText } from './untrusted-text.tsx';
import type { ComponentChildren } from 'preact';

/** The members of a post that a card shows, named as in the views. */
type CardPost = {
  id: bigint;
  author_id: bigint | null;
  author_username: string | null;
  author_name?: string | null;
  text: string;
  lang?: string | null;
  url: string | null;
  created_at: Date | null;
} & { [counter in CardCounter]?: number | null };

/** UTF-16 code units of a text whose translation is shown whole. */
const MAX_TRANSLATED = 400;

const CARD_COUNTERS = MAIN_COUNTERS.filter((counter) => counter !== 'quote_count');
type CardCounter = (typeof CARD_COUNTERS)[number];

export function PostCard({
  post,
  note,
  times = null,
  fresh = false,
  action,
}: {
  post: CardPost;
  /** One line of context: its growth, or its search. */
  note?: ComponentChildren;
  /** Multiple of the typical engagement at its age. */
  times?: number | null;
  /** New since the last visit. */
  fresh?: boolean;
  /** A button, beside its time. */
  action?: ComponentChildren;
}) {
  const name = nameAuthor(post.author_username, post.author_name);
  return (
    <article class={fresh ? 'post fresh' : 'post'}>
      <Avatar name={name} />
      <div>
        <p class="post-head">
          <AuthorLink id={post.author_id} name={name} />
          <a class="post-when" href={`/posts/${post.id}`}>
            <Timestamp at={post.created_at} never="time not reported" />
          </a>
          {fresh ? <Badge state="new" /> : null}
          {action}
        </p>
        <p class="post-text">
          <UntrustedText text={post.text} lang={post.lang} />
          <Translated text={post.text} most={MAX_TRANSLATED} />
        </p>
        <p class="post-foot">
          <PostCounters of={post} />
          {times === null ? null : (
            <span>
              <Ratio of={times} /> typical
            </span>
          )}
          {note === undefined ? null : <span>{note}</span>}
          {post.url === null ? null : <ExternalLink href={post.url} text="original" />}
        </p>
      </div>
    </article>
  );
}

/** `@username`, or the display name, which is no username; null if neither is known. */
export function nameAuthor(username: string | null, name: string | null = null): string | null {
  return username === null ? name : `@${username}`;
}

function AuthorLink({ id, name }: { id: bigint | null; name: string | null }) {
  if (name === null) return <span class="unknown">unknown author</span>;
  const shown = <UntrustedText text={name} most={40} />;
  return id === null ? (
    <span class="who">{shown}</span>
  ) : (
    <a class="who" href={`/authors/${id}`}>
      {shown}
    </a>
  );
}

const AVATAR_HUES = 6;

/** A letter instead of a picture: pages load nothing from other hosts. */
function Avatar({ name }: { name: string | null }) {
  const letters = (name ?? '').replace(/^@/, '').trim();
  const [first = '?'] = letters.toWellFormed();
  let sum = 0;
  for (const sign of letters) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9_973;
  return (
    <span class={`avatar hue-${sum % AVATAR_HUES}`} aria-hidden="true">
      {first.toUpperCase()}
    </span>
  );
}

/** `1.2k likes`, `1 repost`; nothing for a counter that is not known. */
export function PostCounters({
  of: post,
}: {
  of: Partial<Record<(typeof CARD_COUNTERS)[number], number | null>>;
}) {
  return CARD_COUNTERS.map((counter) => {
    const count = post[counter];
    return count === undefined || count === null ? null : (
      <span>
        <ShortCount of={count} /> {nameCounted(counter, count)}
      </span>
    );
  });
}
