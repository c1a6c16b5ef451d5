/** The list of a topic or search: tabs with an address each, of which one is read and shown. */
import { formatCount } from '../../lib/display-format.ts';
import { nameSearch } from '../../model/search-name.ts';
import { DismissButton, HiddenNote } from '../components/dismiss-button.tsx';
import { DiscoveryBadges } from '../components/discovery-item.tsx';
import { Icon } from '../components/icons.tsx';
import { ItemLink } from '../components/item-link.tsx';
import { writeListPath } from '../components/list-address.ts';
import { Ratio, ShortCount } from '../components/numbers.tsx';
import { Feed, Section, Tabs } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import type { Visit } from './last-visit.ts';
import { ReactionLine } from './reaction-line.tsx';
import type { TopicScope } from './topic-data.ts';
import type { ListRow } from './topic-list-data.ts';
import { listOrders, type PageView, type TabName, type TabOrder, writeView } from './view-address.ts';
import type { Voices } from './voices-data.ts';
import { VoicesList } from './voices-list.tsx';

const TAB_WORDS: Readonly<Record<TabName, string>> = {
  stories: 'Stories',
  posts: 'Posts',
  links: 'Links',
  answers: 'Answers',
  voices: 'Voices',
};

const ORDER_WORDS: Readonly<Record<TabOrder, string>> = {
  newest: 'Newest',
  oldest: 'Oldest',
  biggest: 'Most copies',
  engagement: 'Most reactions',
  growth: 'Most gained',
  rising: 'Rising',
  outperforming: 'Outperforming',
  posts: 'Most posts',
};

/** What the rows of a tab are, and by what time they are in the window. */
const TAB_NOTES: Readonly<Record<TabName, string>> = {
  stories: 'Each thing once, by when it was found; copies are counted.',
  posts: 'By time of publication.',
  links: 'By when they were found.',
  answers: 'What each answer said first, or no longer.',
  voices: 'In whole days (UTC). Copies: posts that say what another one said before.',
};

const ORDER_NOTES: Partial<Record<TabOrder, string>> = {
  biggest: 'Things said more than once, with news in this time.',
  rising: 'Gaining faster now than is typical at their age.',
  outperforming: 'Reactions at the same age, compared with what is typical.',
};

/** What of a list the page has: its rows, or what is counted by name. */
export type ListContent = { rows: readonly ListRow[] } | { voices: Voices };

export function ListSection({
  scope,
  view,
  tabs,
  content,
  hidden,
  visit,
}: {
  scope: TopicScope;
  view: PageView;
  tabs: readonly TabName[];
  content: ListContent;
  /** How many things of the topic are hidden. */
  hidden: number;
  visit: Visit | null;
}) {
  const { tab, sort, address, window } = view;
  const orders = listOrders(tab, window);
  const all = listWhole(scope, view);
  return (
    <Section
      title={`${TAB_WORDS[tab]}, ${window.words}`}
      id="list"
      held
      quietTitle
      note={ORDER_NOTES[sort] ?? TAB_NOTES[tab]}
      aside={
        <div class="list-tabs" data-in-place="">
          <Tabs
            label="Lists"
            tabs={tabs.map((name) => ({
              href: writeView({ ...address, tab: name === tabs[0] ? undefined : name, sort: undefined }),
              words: TAB_WORDS[name],
              here: name === tab,
            }))}
          />
          {orders.length < 2 ? null : (
            <Tabs
              label="Order"
              tabs={orders.map((name) => ({
                href: writeView({ ...address, sort: name === orders[0] ? undefined : name }),
                words: ORDER_WORDS[name],
                here: name === sort,
              }))}
            />
          )}
        </div>
      }
    >
      {'voices' in content ? (
        <VoicesList voices={content.voices} scope={scope} />
      ) : (
        <div data-roving="buttons">
          <Feed rows={content.rows} empty={`No ${TAB_WORDS[tab].toLowerCase()} (${window.words}).`}>
            {(row) => <Row row={row} visit={visit} />}
          </Feed>
        </div>
      )}
      {'voices' in content ? null : <HiddenNote topic={scope.topic} count={hidden} />}
      {all.length === 0 ? null : (
        <p class="line-more">
          {all.map(({ path, words }) => (
            <a href={path}>{words}</a>
          ))}
        </p>
      )}
    </Section>
  );
}

/** Pages with the whole list, and more to do with it. */
function listWhole(
  scope: TopicScope,
  { tab, sort, window, range }: PageView,
): { path: string; words: string }[] {
  const time = window.isPart ? { from: window.from, to: window.until } : { range: range.name };
  switch (tab) {
    case 'stories':
      return [
        { path: writeListPath('discoveries', scope, time), words: 'Everything new' },
        ...(scope.search === undefined
          ? [{ path: `/topics/${scope.topic}/stories`, words: 'All stories' }]
          : []),
      ];
    case 'posts': {
      const isPlain = sort === 'newest' || sort === 'rising' || sort === 'outperforming';
      return [
        {
          path: writeListPath('posts', scope, { ...time, sort: isPlain ? undefined : sort }),
          words: 'All posts',
        },
      ];
    }
    case 'links':
      return [{ path: writeListPath('links', scope, time), words: 'All links' }];
    case 'answers':
      return scope.searches
        .filter(({ operation }) => operation === 'ai')
        .map((search, _, all) => ({
          path: `/searches/${search.slug}/completions`,
          words: all.length === 1 ? 'All answers' : `All answers of ${nameSearch(search, scope.searches)}`,
        }));
    case 'voices':
      return [];
  }
}

/** One line on wide screens: what, its copies, its reactions, when. */
function Row({ row, visit }: { row: ListRow; visit: Visit | null }) {
  const { kind, who, href, url, text, note, copies, at, thing, discovery } = row;
  const isFresh = visit !== null && discovery !== null && discovery.id > visit.since && !discovery.baseline;
  return (
    <div class={`line is-${kind}${isFresh ? ' fresh' : ''} row`}>
      <span class="line-what">
        <Icon name={kind} />
        <span class="unseen">{`${kind}: `}</span>
        {who === null ? null : (
          <span class="who">
            <UntrustedText text={who} most={40} />{' '}
          </span>
        )}
        <ItemLink path={href} url={url} text={text} most={240} />
      </span>
      <span class="row-note">
        {copies === null ? null : <a href={copies.href}>{copies.words}</a>}
        {note === null ? null : 'times' in note ? (
          <span>
            <Ratio of={note.times} /> typical
          </span>
        ) : (
          <UntrustedText text={note.words} most={40} />
        )}
      </span>
      <span class="row-curve">
        {row.reactions === null ? null : (
          <>
            <ReactionLine points={row.curve} />
            <span>
              <ShortCount of={row.reactions} />
              <span class="unseen"> {formatCount(row.reactions, 'reaction').replace(/^\S+ /, '')}</span>
            </span>
          </>
        )}
      </span>
      <span class="row-when">
        <Timestamp at={at} never="time not reported" />
        {discovery === null ? null : <DiscoveryBadges fresh={isFresh} baseline={discovery.baseline} />}
        {thing === null ? null : <DismissButton {...thing} text={text} />}
      </span>
    </div>
  );
}
