import { SearchLink } from './scope-names.tsx';
import { composeReason } from '../../monitor/trends/rules/reason-sentence.ts';
import { composeSpikeSentences } from '../../monitor/trends/rules/spike-sentence.ts';
import type { Id } from '../../store/db/database.ts';
import type { DiscoveryRow, DiscoveryView } from '../../store/queries/discoveries.ts';
import { type Copies, ONE_COPY } from '../../store/stories/one-thing.ts';
import { formatCopies, formatPercent } from '../../lib/display-format.ts';
import { composeStateSentence } from '../../monitor/trends/rules/state-sentence.ts';
import type { SpikeRow, TrendStateRow } from '../../store/queries/trend-reports.ts';
import { DismissButton } from './dismiss-button.tsx';
import { Badge, Icon } from './icons.tsx';
import { writeListPath } from './list-address.ts';
import { useFrame } from './page-frame.tsx';
import { Timestamp } from './timestamp.tsx';
import { Translated } from './translation.tsx';
import { removeCitations } from '../../model/statements/cited-text.ts';
import { UntrustedText } from './untrusted-text.tsx';

/** A discovery in one line: kind, text, search, time. */
export function DiscoveryLine({
  discovery,
  fresh = false,
  within,
  canDismiss = false,
}: {
  discovery: DiscoveryRow & Partial<Copies>;
  fresh?: boolean;
  /** Leaves out what the page already shows. */
  within?: 'search' | undefined;
  /** Whether the page has the form of the button. */
  canDismiss?: boolean;
}) {
  const { at, search, baseline, author_username, named_post_id } = discovery;
  const thing = canDismiss ? findThing(discovery) : null;
  const kind = named_post_id === null ? discovery.kind : 'post';
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
        <Translated text={discovery.text} most={180} />
      </span>
      <span class="line-more">
        <CopiesNote discovery={discovery} />
        {within === 'search' ? null : <SearchLink slug={search} within="topic" />}
        <Timestamp at={at} />
        <DiscoveryBadges fresh={fresh} baseline={baseline} />
        {thing === null ? null : <DismissButton {...thing} text={describeDiscovery(discovery)} />}
      </span>
    </div>
  );
}

/** The post or link that a discovery is about; null if it is about another thing. */
export function findThing({
  kind,
  post_id,
  named_post_id,
  link_id,
}: Pick<DiscoveryRow, 'kind' | 'post_id' | 'named_post_id' | 'link_id'>): {
  kind: 'post' | 'link';
  id: Id;
} | null {
  if (kind !== 'post' && kind !== 'link' && kind !== 'growth') return null;
  const post = named_post_id ?? post_id;
  if (post !== null) return { kind: 'post', id: post };
  return link_id === null ? null : { kind: 'link', id: link_id };
}

/** Whether a discovery is new since the last visit, and whether it was there when its search started. */
export function DiscoveryBadges({ fresh, baseline }: { fresh: boolean; baseline: boolean }) {
  return (
    <>
      {fresh ? <Badge state="new" /> : null}
      {baseline ? (
        <Badge
          state="baseline"
          why="There when the search started: found by its first run, and may be older"
        />
      ) : null}
    </>
  );
}

/** `×27, 3 authors`, which leads to the story; of the discovery that reports it. */
export function CopiesNote({ discovery }: { discovery: DiscoveryRow & Partial<Copies> }) {
  const { copies, authors, copies_at_least, story_id } = { ...ONE_COPY, ...discovery };
  const words = discovery.first_in_topic ? formatCopies({ copies, authors, copies_at_least }) : null;
  return words === null || story_id === null ? null : <a href={`/stories/${story_id}`}>{words}</a>;
}

/** A completion of an earlier version has its beginning, which is shown without citations. */
function describeDiscovery({ kind, text, url }: DiscoveryRow): string {
  if (text === null) return url ?? `a new ${kind}`;
  return kind === 'completion' ? removeCitations(text) : text;
}

/** The page of what was found. */
export function getDiscoveryPath(discovery: DiscoveryRow): string {
  const { kind, post_id, named_post_id, link_id, run_id, search, topic } = discovery;
  if (named_post_id !== null) return `/posts/${named_post_id}`;
  if (post_id !== null && (kind === 'post' || kind === 'growth')) return `/posts/${post_id}`;
  if (link_id !== null && kind === 'link') return `/links/${link_id}`;
  if (kind === 'completion') return `/searches/${search}/completions?to=${run_id}`;
  if (kind === 'name') return `/topics/${topic}/names`;
  return `/searches/${search}#${kind === 'spike' ? 'changed' : 'volume'}`;
}

/** The posts that a spike counts. */
function getSpikePath({ topic, search, window_start: from, window_end: to }: SpikeRow): string {
  return writeListPath('posts', { topic, search }, { from, to });
}

/**
 * A spike with its cause, its posts and its top post.
 * @param props.name of its search (default: its slug); null where the page has no other
 */
export function SpikeLine({ spike, name = spike.search }: { spike: SpikeRow; name?: string | null }) {
  const frame = useFrame();
  const [first, ...others] = composeSpikeSentences(spike, frame);
  const why = composeReason(spike, frame);
  return (
    <div class="spike">
      <Icon name="spike" />
      <p>
        <NamedSearch search={spike.search} name={name} />
        <span class="spike-sentence">{first}</span> {why ?? others.slice(1).join(' ')}{' '}
        <DistinctNames spike={spike} />
        <span class="line-more">
          <Timestamp at={spike.window_end} />
          {spike.measure === 'posts' ? <a href={getSpikePath(spike)}>posts of this time</a> : null}
          {spike.top_post_id === null ? null : <a href={`/posts/${spike.top_post_id}`}>top post</a>}
          {spike.reason_post_id === null || spike.reason_post_id === spike.top_post_id ? null : (
            <a href={`/posts/${spike.reason_post_id}`}>first post</a>
          )}
          <a href={`/evidence/spike/${spike.id}`}>evidence</a>
        </span>
      </p>
    </div>
  );
}

/** What else is more frequent than before, besides the reason itself. */
function DistinctNames({ spike }: { spike: SpikeRow }) {
  const others = (spike.distinct_names ?? []).filter(
    ({ kind, name }) => kind !== spike.reason || name !== spike.reason_name,
  );
  if (others.length === 0) return null;
  const words = others.map(({ kind, name, share }) => {
    const shown = kind === 'hashtag' ? `#${name}` : name;
    return `${shown} (${formatPercent(share)})`;
  });
  return <>More frequent than before, by share of authors: {words.join(', ')}. </>;
}

function NamedSearch({ search, name }: { search: string; name: string | null }) {
  return name === null ? null : (
    <>
      <a href={`/searches/${search}`}>
        <UntrustedText text={name} />
      </a>{' '}
    </>
  );
}

/** A change of the state of a search. @param props.name as for a spike */
export function StateLine({ state, name = state.search }: { state: TrendStateRow; name?: string | null }) {
  const frame = useFrame();
  return (
    <div class={`spike is-${state.state}`}>
      <Icon name="trend" />
      <p>
        <NamedSearch search={state.search} name={name} />
        <span class="spike-sentence">{composeStateSentence(state, frame)}</span>{' '}
        {state.why === null ? null : <strong class="spike-why">{state.why}</strong>}{' '}
        <span class="line-more">
          <Timestamp at={state.at} />
          {state.reason_post_id === null ? null : <a href={`/posts/${state.reason_post_id}`}>post</a>}
        </span>
      </p>
    </div>
  );
}

/** Which discoveries of a topic are listed, and the way to the others. */
export function ViewNote({ view, other }: { view: DiscoveryView; other: string }) {
  return view === 'topic' ? (
    <>
      Each thing once, whichever search found it first; copies are counted. <a href={other}>Show by search</a>
    </>
  ) : (
    <>
      Everything that each search found for the first time. <a href={other}>Show once each</a>
    </>
  );
}
