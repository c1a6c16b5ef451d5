/** Reads a digest: what a span of time brought, of everything or of one topic or search. */
import { awaitMembers } from '../../lib/await-members.ts';
import { cleanLine } from '../../lib/text.ts';
import type { Id } from '../../store/db/database.ts';
import type { DataScope } from '../../store/queries/data-scope.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import type { FeedRange } from '../../store/queries/span-news.ts';
import { readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { readNamesOf } from '../../store/queries/search-names.ts';
import { followStories } from '../../store/stories/follow-stories.ts';
import type { Context } from '../context.ts';
import { readSearchStatuses } from '../status/search-status.ts';
import { findSearches } from '../topics/find-by-slug.ts';
import { type Digest, type DigestHeld, type DigestNames, MAX_ROWS } from './digest-shapes.ts';
import { readAnswers } from './read-answers.ts';
import { readAttention } from './read-attention.ts';
import { readCollected } from './read-collected.ts';
import { readGrowing, readNews } from './read-news.ts';

type DigestSpan = DataScope & {
  from: Date;
  /** Excluded. */
  until: Date;
  /** Time zone of its texts. */
  tz: string;
  /** New things by the feed instead of by time, so that two digests share none and miss none. */
  range?: FeedRange;
  /** Topics that are left out, with the end of their mute. */
  muted?: ReadonlyMap<Id, Date>;
  /** What mutes that are over held back. */
  held?: readonly DigestHeld[];
};

/** Practically unlimited. */
const MAX_TOPICS = 100_000;

/** Batches of a thousand items whose stories are decided first. */
const MAX_BATCHES_BEFORE = 3;

/**
 * Reads a digest. What needs attention is as of now.
 * @throws Refused `not_found` is left to the caller: an unknown scope has nothing
 */
export async function readDigest(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'kind' | 'isFree' | 'translator'>,
  { from, until, tz, range, muted = new Map(), held = [], ...scope }: DigestSpan,
): Promise<Digest> {
  // So that what says the same is listed once; a worker decides what is left.
  await followStories(ctx.db, { batches: MAX_BATCHES_BEFORE });
  const existing = (await readTopics(ctx.db, { removed: true, limit: MAX_TOPICS })).filter((row) =>
    existed(row, { from, until }),
  );
  const topics = existing.filter(({ id }) => !muted.has(id));
  const kept = new Set(topics.map(({ slug }) => slug));
  const everySearch = await findSearches(ctx.db, scope, { removed: true });
  const searches = everySearch.filter((row) => kept.has(row.topic) && existed(row, { from, until }));
  const names = await readNames(
    ctx,
    existing,
    searches.map(({ slug }) => slug),
  );
  const span = { searchIds: searches.map(({ id }) => id), from, until };
  const current = searches.filter(({ archived_at }) => archived_at === null).map(({ id }) => id);
  const statuses = await readSearchStatuses(ctx, current);
  const { collected, attention, answers, news } = await awaitMembers({
    collected: readCollected(ctx, { searches, statuses, scope, span, names }),
    attention: readAttention(ctx, span, statuses, names),
    answers: readAnswers(ctx, searches, span, names),
    news: readNews(ctx, topics, span, range ?? null),
  });
  const growing = await readGrowing(
    ctx,
    scope,
    span,
    news.flatMap(({ items }) => items),
    names,
    kept,
  );
  return {
    from: from.toISOString(),
    until: until.toISOString(),
    tz,
    topic: scope.topic ?? null,
    search: scope.search ?? null,
    ...nameScope(scope, everySearch, names),
    simulated: ctx.kind === 'sandbox',
    brief: null,
    collected: collected.collected,
    not_collected: collected.not_collected,
    ...attention,
    answers,
    topics: news.slice(0, MAX_ROWS),
    growing,
    held: [...held],
    muted: existing.flatMap(({ id, slug, name }) => {
      const end = muted.get(id);
      return end === undefined
        ? []
        : [{ topic: slug, topic_name: cleanLine(name), until: end.toISOString() }];
    }),
    quiet: listQuiet(topics, searches, {
      loud: new Set([
        ...news.map(({ topic }) => topic),
        ...answers.flatMap(({ topic, changed, before_at }) => (changed || before_at === null ? [topic] : [])),
      ]),
      checked: collected.checked,
    }),
  };
}

async function readNames(
  { db }: Pick<Context, 'db'>,
  topics: readonly TopicRow[],
  slugs: readonly string[],
): Promise<DigestNames> {
  const topicNames = new Map(topics.map(({ slug, name }) => [slug, cleanLine(name)]));
  const searchNames = await readNamesOf(db.pool, slugs);
  const nameTopic = (slug: string) => topicNames.get(slug) ?? slug;
  return {
    topic: nameTopic,
    search: ({ topic, search }) => {
      const name = searchNames.get(search)?.full;
      const search_name = name === undefined ? null : cleanLine(name);
      return { topic, topic_name: nameTopic(topic), search, search_name };
    },
  };
}

/** What the topic or search is called that a digest is limited to. */
function nameScope(
  { topic, search }: DataScope,
  searches: readonly SearchRow[],
  names: DigestNames,
): Pick<Digest, 'topic_name' | 'search_name'> {
  const only = search === undefined ? undefined : searches.find(({ slug }) => slug === search);
  if (only === undefined)
    return { topic_name: topic === undefined ? null : names.topic(topic), search_name: null };
  const { topic_name, search_name } = names.search({ topic: only.topic, search: only.slug });
  return { topic_name, search_name };
}

/** Whether something was not removed before a span, and was created before its end. */
function existed(
  { created_at, archived_at }: Pick<SearchRow, 'created_at' | 'archived_at'>,
  { from, until }: { from: Date; until: Date },
): boolean {
  return created_at < until && (archived_at === null || archived_at > from);
}

/** Topics of the scope without anything new, by slug. */
function listQuiet(
  topics: readonly TopicRow[],
  searches: readonly SearchRow[],
  { loud, checked }: { loud: ReadonlySet<string>; checked: ReadonlySet<string> },
): Digest['quiet'] {
  const watched = new Set(searches.map(({ topic }) => topic));
  return topics
    .filter(({ slug }) => watched.has(slug) && !loud.has(slug))
    .slice(0, MAX_ROWS)
    .map(({ slug, name }) => ({ topic: slug, topic_name: cleanLine(name), checked: checked.has(slug) }));
}
