/** The rows of the list of a topic or search: one tab, in one order, within the window. */
import { sumEngagement } from '../../model/counters.ts';
import { formatAnswerLine } from '../../model/statements/answer-change.ts';
import { removeCitations } from '../../model/statements/cited-text.ts';
import { readSite } from '../../model/links/link.ts';
import { nameSearch } from '../../model/search-name.ts';
import { formatCopies } from '../../lib/display-format.ts';
import type { Id, Reads } from '../../store/db/database.ts';
import { readAnswerChanges } from '../../store/queries/answer-changes.ts';
import { readCompletionPage } from '../../store/queries/completions.ts';
import { readAheadOfAge } from '../../store/queries/counters-at-age.ts';
import type { DescribedDiscovery } from '../../store/queries/described-discoveries.ts';
import { type PostRow, readPostsByIds } from '../../store/queries/post-detail.ts';
import { readPostPage } from '../../store/queries/post-pages.ts';
import { type ReactionPoint, readReactionCurves } from '../../store/queries/reaction-curves.ts';
import { readRisingPosts } from '../../store/queries/rising.ts';
import { readDiscoveriesOfSearches } from '../../store/queries/search-activity.ts';
import { readBiggestStories, type StoryRow } from '../../store/queries/stories.ts';
import { inOrderOf } from '../../store/queries/view-conditions.ts';
import { DAY } from '../../lib/time.ts';
import { findThing, getDiscoveryPath } from '../components/discovery-item.tsx';
import { nameAuthor } from '../components/post-card.tsx';
import type { TopicScope } from './topic-data.ts';
import type { PageView, TabName, Window } from './view-address.ts';

/** Rows of a list; the page of the list has all. */
export const SHOWN_ROWS = 12;

export type ListRow = {
  kind: 'post' | 'link' | 'completion';
  href: string;
  /** Of the original; null: unknown, or an answer. */
  url: string | null;
  /** Author, or the search that an answer belongs to. */
  who: string | null;
  text: string;
  at: Date | null;
  /** Where it is from, of a link; or how it compares with others. */
  note: { words: string } | { times: number } | null;
  /** Its story, if it has copies. */
  copies: { words: string; href: string } | null;
  /** What can be marked as not relevant; null: an answer. */
  thing: { kind: 'post' | 'link'; id: Id } | null;
  /** The post whose reactions are shown; null if it is none. */
  postId: Id | null;
  /** The latest known number of reactions; null if unknown. */
  reactions: number | null;
  curve: readonly ReactionPoint[];
  /** Of a discovery. */
  discovery: Pick<DescribedDiscovery, 'id' | 'baseline'> | null;
};
type BareRow = Omit<ListRow, 'curve'>;

type ListView = PageView & { tab: Exclude<TabName, 'voices'>; now: Date };

/** The rows of a list. Reactions to all posts among them are one statement. */
export async function readListRows(db: Reads, scope: TopicScope, view: ListView): Promise<ListRow[]> {
  const rows = await readRows(db, scope, view);
  const curves = await readReactionCurves(db, [...new Set(rows.flatMap(({ postId }) => postId ?? []))]);
  return rows.map((row) => {
    const curve = row.postId === null ? [] : (curves.get(row.postId) ?? []);
    return { ...row, curve, reactions: curve.at(-1)?.reactions ?? row.reactions };
  });
}

async function readRows(db: Reads, scope: TopicScope, view: ListView): Promise<BareRow[]> {
  switch (view.tab) {
    case 'stories':
      return view.sort === 'biggest'
        ? (await readBiggestStories(db, toStories(scope, view))).map(toStoryRow)
        : readFound(db, scope, view, ['post', 'link']);
    case 'links':
      return readFound(db, scope, view, ['link']);
    case 'posts':
      return readPosts(db, scope, view);
    case 'answers':
      return readAnswers(db, scope, view);
  }
}

/** What is asked of the stories of a topic in a window. */
export function toStories(
  { topicId }: TopicScope,
  { window: { from, until } }: Pick<PageView, 'window'>,
  limit = SHOWN_ROWS,
) {
  return { topicId, since: from, until, limit };
}

/** A range has no end: what was found a moment ago by another clock belongs to it. */
function endOf({ isPart, until }: Window): Date | undefined {
  return isPart ? until : undefined;
}

function toWhich({ topic, search }: TopicScope) {
  return search === undefined ? { topic } : { search };
}

async function readFound(
  db: Reads,
  { everySearch, view: each }: TopicScope,
  { window, sort }: PageView,
  kinds: readonly ('post' | 'link')[],
): Promise<BareRow[]> {
  const rows = await readDiscoveriesOfSearches(
    db,
    everySearch.map(({ id }) => id),
    {
      kinds,
      view: each,
      since: window.from,
      until: endOf(window) ?? null,
      order: sort === 'oldest' ? 'oldest' : 'newest',
      limit: SHOWN_ROWS,
    },
  );
  return rows.map(toFoundRow);
}

function toFoundRow(discovery: DescribedDiscovery): BareRow {
  const { kind, named_post_id, post_id, author_username, text, url, at, story_id } = discovery;
  const postId = named_post_id ?? post_id;
  const words = discovery.first_in_topic ? formatCopies(discovery) : null;
  return {
    thing: findThing(discovery),
    url,
    kind: kind === 'link' && named_post_id === null ? 'link' : 'post',
    href: getDiscoveryPath(discovery),
    who: nameAuthor(author_username),
    text: text ?? url ?? `a new ${kind}`,
    at,
    note: kind === 'link' && named_post_id === null ? toSite(url) : null,
    copies: words === null || story_id === null ? null : { words, href: `/stories/${story_id}` },
    postId,
    reactions: sumEngagement({ ...discovery, quote_count: null }) ?? null,
    discovery,
  };
}

function toSite(url: string | null) {
  const site = url === null ? undefined : readSite(url);
  return site === undefined ? null : { words: site };
}

function toStoryRow(story: StoryRow): BareRow {
  const { id, things, authors, first_kind, first_item_id, author_username, text, url, last_news_at } = story;
  const href = `/stories/${id}`;
  const words = formatCopies({
    copies: things,
    authors: authors === 0 ? null : authors,
    copies_at_least: false,
  });
  const kind = first_kind === 'post' ? 'post' : 'link';
  return {
    kind,
    thing: { kind, id: first_item_id },
    href,
    url,
    who: nameAuthor(author_username),
    text: text ?? url ?? 'no text',
    at: last_news_at,
    note: first_kind === 'post' ? null : toSite(url),
    copies: words === null ? null : { words, href },
    postId: first_kind === 'post' ? first_item_id : null,
    reactions: null,
    discovery: null,
  };
}

type ShownPost = Pick<PostRow, 'id' | 'author_username' | 'text' | 'created_at'> &
  Partial<Pick<PostRow, 'author_name' | 'first_seen_at' | 'url'>> &
  Parameters<typeof sumEngagement>[0];

function toPostRow(post: ShownPost, note: ListRow['note'] = null): BareRow {
  return {
    kind: 'post',
    thing: { kind: 'post', id: post.id },
    href: `/posts/${post.id}`,
    url: post.url ?? null,
    who: nameAuthor(post.author_username, post.author_name),
    text: post.text,
    at: post.created_at ?? post.first_seen_at ?? null,
    note,
    copies: null,
    postId: post.id,
    reactions: sumEngagement(post) ?? null,
    discovery: null,
  };
}

async function readPosts(
  db: Reads,
  scope: TopicScope,
  { range, window, sort, now }: ListView,
): Promise<BareRow[]> {
  const which = toWhich(scope);
  const limit = SHOWN_ROWS;
  if (sort === 'rising') {
    const rising = await readRisingPosts(db, { ...which, since: new Date(now.getTime() - DAY), limit });
    return rising.map((post) => toPostRow({ ...post, id: post.post_id }, toTimes(post.ratio)));
  }
  if (sort === 'outperforming') {
    const hours = range.name === '24h' ? 3 : 24;
    const ahead = await readAheadOfAge(db, { ...which, hours, since: window.from, limit });
    const ids = [...new Set(ahead.posts.map(({ post_id }) => post_id))];
    const posts = inOrderOf(ids, await readPostsByIds(db, ids), ({ id }) => id);
    return posts.map((post) =>
      toPostRow(
        post,
        toTimes(ahead.posts.find(({ post_id }) => post_id === post.id)?.engagement_ratio ?? null),
      ),
    );
  }
  const order = sort === 'oldest' || sort === 'engagement' || sort === 'growth' ? sort : 'newest';
  const placed = await readPostPage(db, {
    ...which,
    since: window.from,
    until: endOf(window),
    order,
    limit,
  });
  return placed.map(({ post, place }) =>
    toPostRow(post, order === 'growth' && place.by >= 0n ? { words: `+${place.by} since first seen` } : null),
  );
}

function toTimes(times: number | null): ListRow['note'] {
  return times === null ? null : { times };
}

async function readAnswers(
  db: Reads,
  { searches, ...scope }: TopicScope,
  { window }: PageView,
): Promise<BareRow[]> {
  const which = scope.search === undefined ? { topic: scope.topic } : { search: scope.search };
  const rows = await readCompletionPage(db, {
    ...which,
    since: window.from,
    until: endOf(window),
    limit: SHOWN_ROWS,
  });
  const changes = await readAnswerChanges(
    db.pool,
    rows.map(({ id }) => id),
  );
  const aiSearches = searches.filter(({ operation }) => operation === 'ai');
  return rows.map((row) => {
    const search = searches.find(({ id }) => id === row.search_id);
    const line = formatAnswerLine(changes.get(row.id) ?? []);
    return {
      kind: 'completion',
      thing: null,
      href: `/searches/${row.search}/completions?to=${row.run_id}`,
      url: null,
      who: search !== undefined && aiSearches.length > 1 ? nameSearch(search, searches) : null,
      text: line === null ? `No change. ${removeCitations(row.summary ?? '')}`.trim() : line,
      at: row.observed_at,
      note: null,
      copies: null,
      postId: null,
      reactions: null,
      discovery: null,
    };
  });
}
