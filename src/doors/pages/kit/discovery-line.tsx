import type { DiscoveryRow } from '../../../store/reads/discoveries.ts';
import { Badge } from './badge.tsx';
import { uncited } from './cited.tsx';
import { Icon } from './icon.tsx';
import { Outside } from './outside.tsx';
import { When } from './when.tsx';

/** A discovery in a line: what it is, what it says, who found it, when. */
export function DiscoveryLine({
  discovery,
  fresh = false,
  within,
}: {
  discovery: DiscoveryRow;
  fresh?: boolean;
  /** Leaves out what the page says already. */
  within?: 'search';
}) {
  const { kind, at, search, baseline, author_username } = discovery;
  return (
    <div class={`line is-${kind}${fresh ? ' fresh' : ''}`}>
      <span class="line-what">
        <Icon name={kind} />
        <span class="unseen">{`${kind}: `}</span>
        {author_username === null ? null : (
          <span class="who">
            <Outside text={`@${author_username}`} most={40} />{' '}
          </span>
        )}
        <a href={placeOf(discovery)}>
          <Outside text={wordsOf(discovery)} most={180} />
        </a>
      </span>
      <span class="line-more">
        {within === 'search' ? null : <a href={`/searches/${search}`}>{search}</a>}
        <When at={at} />
        {fresh ? <Badge state="new" /> : null}
        {baseline ? (
          <Badge
            state="baseline"
            why="found by the first run of a request: it may have been there for long"
          />
        ) : null}
      </span>
    </div>
  );
}

/** A completion without the addresses that its marks lead to: its run shows them. */
function wordsOf({ kind, text, url }: DiscoveryRow): string {
  if (text === null) return url ?? `a new ${kind}`;
  return kind === 'completion' ? uncited(text) : text;
}

function placeOf({ kind, post_id, link_id, run_id, search }: DiscoveryRow): string {
  if (post_id !== null && kind === 'post') return `/posts/${post_id}`;
  if (link_id !== null && kind === 'link') return `/links/${link_id}`;
  return kind === 'completion' ? `/runs/${run_id}` : `/searches/${search}#spikes`;
}
