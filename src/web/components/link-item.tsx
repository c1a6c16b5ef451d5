import type { LinkRow } from '../../store/queries/links.ts';
import { Icon } from './icons.tsx';
import { Timestamp } from './timestamp.tsx';
import { Translated } from './translation.tsx';
import { ExternalLink, UntrustedText } from './untrusted-text.tsx';
import type { ComponentChildren } from 'preact';

/** A link with its title, start of its text, site, and when it was found. @param props.action a button */
export function LinkItem({ link, action }: { link: LinkRow; action?: ComponentChildren }) {
  const { id, url, title, snippet, summary_description, site, published_at, first_seen_at } = link;
  const text = snippet ?? summary_description;
  return (
    <article class="hit">
      <p class="hit-head">
        <Icon name="link" />
        <a href={`/links/${id}`}>
          <UntrustedText text={title ?? url} most={160} />
        </a>
        <Translated text={title} most={160} />
      </p>
      {text === null ? null : (
        <p class="hit-text">
          <UntrustedText text={text} most={280} />
          <Translated text={text} most={280} />
        </p>
      )}
      <p class="line-more">
        <span>
          found <Timestamp at={first_seen_at} />
        </span>
        {published_at === null ? null : (
          <span>
            published <Timestamp at={published_at} exact />
          </span>
        )}
        <ExternalLink href={url} text={site} />
        {action}
      </p>
    </article>
  );
}
