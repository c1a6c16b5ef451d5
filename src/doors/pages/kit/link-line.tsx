import type { ComponentChildren } from 'preact';
import { urlOf } from '../../../contract/url.ts';
import { Badge } from './badge.tsx';
import { OutLink, Outside } from './outside.tsx';
import { When } from './when.tsx';

export type LineLink = {
  id: bigint;
  url: string;
  title: string | null;
  site?: string | null;
  first_seen_at: Date;
};

/** A link in a line: its title to what is known of it, its site out to it. */
export function LinkLine({
  link,
  note,
  fresh = false,
}: {
  link: LineLink;
  note?: ComponentChildren;
  fresh?: boolean;
}) {
  return (
    <div class={fresh ? 'line fresh' : 'line'}>
      <a class="line-what" href={`/links/${link.id}`}>
        <Outside text={link.title ?? link.url} most={160} />
      </a>
      <span class="line-more">
        <OutLink href={link.url} text={link.site ?? siteOf(link.url)} />
        <When at={link.first_seen_at} />
        {fresh ? <Badge state="new" /> : null}
        {note === undefined ? null : <span>{note}</span>}
      </span>
    </div>
  );
}

function siteOf(url: string): string {
  return urlOf(url)?.hostname ?? url;
}
