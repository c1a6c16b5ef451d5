import type { DiscoveryRow } from '../../store/queries/discoveries.ts';
import type { SpikeRow } from '../../store/queries/volume.ts';
import { Badge, Icon } from './icons.tsx';
import { Timestamp } from './timestamp.tsx';
import { removeCitations, UntrustedText } from './untrusted-text.tsx';

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
            <UntrustedText text={`@${author_username}`} most={40} />{' '}
          </span>
        )}
        <a href={getDiscoveryPath(discovery)}>
          <UntrustedText text={describeDiscovery(discovery)} most={180} />
        </a>
      </span>
      <span class="line-more">
        {within === 'search' ? null : <a href={`/searches/${search}`}>{search}</a>}
        <Timestamp at={at} />
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
function describeDiscovery({ kind, text, url }: DiscoveryRow): string {
  if (text === null) return url ?? `a new ${kind}`;
  return kind === 'completion' ? removeCitations(text) : text;
}

function getDiscoveryPath({ kind, post_id, link_id, run_id, search }: DiscoveryRow): string {
  if (post_id !== null && kind === 'post') return `/posts/${post_id}`;
  if (link_id !== null && kind === 'link') return `/links/${link_id}`;
  return kind === 'completion' ? `/runs/${run_id}` : `/searches/${search}#spikes`;
}

/** A spike in its sentence, with where it was and which post most of it is. */
export function SpikeLine({ spike, within }: { spike: SpikeRow; within?: 'topic' | 'search' }) {
  return (
    <div class="spike">
      <Icon name="spike" />
      <p>
        {within === 'search' ? null : (
          <>
            <a href={`/searches/${spike.search}`}>{spike.search}</a>{' '}
          </>
        )}
        <span class="spike-sentence">{spike.sentence}</span>{' '}
        <span class="line-more">
          <Timestamp at={spike.window_end} />
          {spike.top_post_id === null ? null : (
            <a href={`/posts/${spike.top_post_id}`}>the post that gained most</a>
          )}
        </span>
      </p>
    </div>
  );
}
