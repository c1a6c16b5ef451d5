/** What changed in the window of the chart: spikes with their causes, answers, stories, and the first post. */
import { formatCopies } from '../../lib/display-format.ts';
import { removeCitations } from '../../model/statements/cited-text.ts';
import { nameSearch } from '../../model/search-name.ts';
import type { SearchStatus } from '../../monitor/status/search-status.ts';
import { describeStatements } from '../../store/queries/completion-diff.ts';
import type { CompletionRow } from '../../store/queries/completions.ts';
import type { PostRow } from '../../store/queries/post-detail.ts';
import type { StoryRow } from '../../store/queries/stories.ts';
import type { TopicBriefs } from '../../store/queries/briefs.ts';
import { BriefBlock } from '../components/brief.tsx';
import { SpikeLine, StateLine } from '../components/discovery-item.tsx';
import { ItemLink } from '../components/item-link.tsx';
import { writeListPath } from '../components/list-address.ts';
import { formatCount } from '../components/numbers.tsx';
import { nameAuthor } from '../components/post-card.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { Translated } from '../components/translation.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { CompletionChanges } from './completion-diff.tsx';
import type { TopicData, TopicScope } from './topic-data.ts';
import { type PageView, type Window, writeView } from './view-address.ts';
import type { WindowAnswer, WindowData } from './window-data.ts';

/** Of a range; a window that was chosen has more room. */
const MAX_SPIKES = 1;
const MAX_SPIKES_IN_PART = 2;
const MAX_STATES = 2;
const MAX_CLAIMS = 1;
const MAX_CLAIMS_IN_PART = 3;
const MAX_ANSWER = 260;
const MAX_STORY = 110;

export function WhatChanged({
  scope,
  view: { window, address },
  data,
  changed: { answers, stories, first },
  briefs,
  statuses,
}: {
  scope: TopicScope;
  view: PageView;
  data: TopicData;
  changed: WindowData;
  briefs: TopicBriefs;
  statuses: readonly SearchStatus[];
}) {
  const spikes = data.spikes.filter((spike) => isInWindow(spike, window)).toReversed();
  const states = data.states.filter(({ until }) => until === null).toReversed();
  // Spikes and states are of searches of posts: one of them needs no name.
  const postSearches = scope.searches.filter(({ operation }) => operation === 'microblog').length;
  const nameOf = (searchId: bigint) => {
    const search = scope.searches.find(({ id }) => id === searchId);
    return search === undefined || postSearches < 2 ? null : nameSearch(search, scope.searches);
  };
  const maxSpikes = window.isPart ? MAX_SPIKES_IN_PART : MAX_SPIKES;
  // One brief at a time: of the topic's last day, or of the spikes of a time or search.
  const brief = window.reachesNow && !window.isPart && scope.search === undefined ? briefs.topic : null;
  const isEmpty = spikes.length + states.length + answers.length + stories.length === 0 && first === null;
  return (
    <Section
      title="What changed"
      id="changed"
      live
      aside={
        <span class="hint" data-in-place="">
          {window.words}{' '}
          {window.isPart ? (
            <a href={writeView({ ...address, from: undefined, to: undefined })}>Whole range</a>
          ) : null}
        </span>
      }
    >
      <BriefBlock brief={brief} span="last 24 hours" />
      {window.isPart && !data.linksOnly ? <PostsOfWindow scope={scope} data={data} window={window} /> : null}
      {window.reachesNow
        ? states
            .slice(0, MAX_STATES)
            .map((state) => <StateLine state={state} name={nameOf(state.search_id)} />)
        : null}
      {spikes.slice(0, maxSpikes).map((spike) => (
        <>
          <SpikeLine spike={spike} name={nameOf(spike.search_id)} />
          <BriefBlock brief={brief === null ? (briefs.spikes.get(spike.id) ?? null) : null} />
        </>
      ))}
      {spikes.length <= maxSpikes ? null : (
        <p class="hint">and {formatCount(spikes.length - maxSpikes, 'more spike')} on the chart.</p>
      )}
      {answers.map((answer) => (
        <AnswerPart
          answer={answer}
          title={answers.length > 1 ? nameSearch(answer.search, scope.searches) : 'Answer'}
          most={window.isPart ? MAX_CLAIMS_IN_PART : MAX_CLAIMS}
          isCurrent={window.reachesNow && isCurrent(answer, statuses)}
        />
      ))}
      {stories.length === 0 ? null : <StoriesPart stories={stories} />}
      {first === null ? null : <FirstPart post={first} />}
      {isEmpty ? <EmptyState words={`Nothing (${window.words}).`} /> : null}
    </Section>
  );
}

/** Whether a spike overlaps a window. */
function isInWindow(
  { window_start, window_end }: { window_start: Date; window_end: Date },
  { from, until }: Window,
): boolean {
  return window_start < until && window_end > from;
}

function PostsOfWindow({ scope, data, window }: { scope: TopicScope; data: TopicData; window: Window }) {
  const { windowPosts } = data;
  return (
    <p>
      {windowPosts === null ? (
        <span class="unknown">Not observed.</span>
      ) : (
        <a href={writeListPath('posts', scope, { from: window.from, to: window.until })}>
          {formatCount(windowPosts, 'post')}
        </a>
      )}
    </p>
  );
}

/** Whether the newest run of an active search returned it: otherwise it is the last that is known, as of a time. */
function isCurrent({ search, completion }: WindowAnswer, statuses: readonly SearchStatus[]): boolean {
  const status = statuses.find(({ search_id }) => search_id === search.id);
  if (status === undefined || status.last_run_id !== completion.run_id) return false;
  return status.status === 'ok' || status.status === 'nothing_coming';
}

function AnswerPart({
  answer: { search, completion, diff },
  title,
  most,
  isCurrent: current,
}: {
  answer: WindowAnswer;
  title: string;
  /** Changes of each kind. */
  most: number;
  isCurrent: boolean;
}) {
  const changes =
    diff === null ? 0 : diff.new_claims.length + diff.revised_claims.length + diff.gone_claims.length;
  return (
    <div class="changed-part">
      <h3>
        {title}{' '}
        {current ? null : (
          <span class="late">
            as of <Timestamp at={completion.observed_at} exact />
          </span>
        )}
      </h3>
      <p class="changed-answer">
        <UntrustedText text={readAnswerText(completion)} most={MAX_ANSWER} />
      </p>
      <Translated text={readAnswerText(completion)} most={MAX_ANSWER} />
      {diff === null || changes === 0 ? null : <CompletionChanges diff={diff} most={most} brief />}
      <p class="line-more">
        <a href={`/runs/${completion.run_id}#completion`}>Whole answer</a>
        {diff === null ? null : (
          <a href={`/searches/${search.slug}/completions?from=${diff.from.run_id}&to=${diff.to.run_id}`}>
            {changes === 0 ? 'Nothing new since' : describeStatements(diff)}
            {changes === 0 ? (
              <>
                {' '}
                <Timestamp at={diff.from.observed_at} exact />
              </>
            ) : null}
          </a>
        )}
      </p>
    </div>
  );
}

/** Without citations. */
export function readAnswerText(completion: CompletionRow): string {
  return removeCitations(readMainText(completion) ?? '');
}

function readMainText(completion: CompletionRow): string | null {
  const { summary, microblog_summary, news_forum_summary, discussion_board_summary } = completion;
  return summary ?? microblog_summary ?? news_forum_summary ?? discussion_board_summary;
}

function StoriesPart({ stories }: { stories: readonly StoryRow[] }) {
  return (
    <div class="changed-part">
      <h3>Biggest stories</h3>
      <ul class="lines">
        {stories.map(({ id, text, url, things, authors }) => (
          <li>
            <ItemLink path={`/stories/${id}`} url={url} text={text ?? url ?? 'no text'} most={MAX_STORY} />
            <span class="why">
              {formatCopies({
                copies: things,
                authors: authors === 0 ? null : authors,
                copies_at_least: false,
              })}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function FirstPart({ post }: { post: PostRow }) {
  const name = nameAuthor(post.author_username, post.author_name);
  return (
    <div class="changed-part">
      <h3>First post</h3>
      <p class="line-more">
        {name === null ? null : (
          <span class="who">
            <UntrustedText text={name} most={40} />
          </span>
        )}
        <Timestamp at={post.created_at ?? post.first_seen_at} exact />
      </p>
      <ul class="lines">
        <li>
          <ItemLink path={`/posts/${post.id}`} url={post.url} text={post.text} most={MAX_STORY} />
        </li>
      </ul>
    </div>
  );
}
