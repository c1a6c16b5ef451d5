/** Stories of topics, and what they consist of. */
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { amongIds, type Id, type Pooled, prepareOnce, type Reads } from '../db/database.ts';
import { rowsOf, selectIds, statement } from '../db/statement.ts';
import { isJudged, type Relevance } from './judgements.ts';
import { inOrderOf } from './view-conditions.ts';
import { storiesView, storyHoursView, storyItemsView } from '../schema/analytics-views.ts';

export type StoryRow = typeof storiesView.$inferSelect;
export type StoryHourRow = typeof storyHoursView.$inferSelect;
export type StoryItemRow = typeof storyItemsView.$inferSelect;

/** Stories of a topic, the last news first. @param filter.after time and key of the last story before the page */
export async function readStories(
  { orm }: Reads,
  filter: {
    topic: string;
    since?: Date | undefined;
    after?: readonly [Date, Id] | undefined;
    /** Those that a person hides, instead of those that are shown. */
    isHidden?: boolean | undefined;
    /** As the goal of the topic judges them. Default: all. */
    relevance?: Relevance | undefined;
    limit: number;
  },
): Promise<StoryRow[]> {
  const view = storiesView;
  const { topic, since, after, isHidden = false, relevance, limit } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(
        eq(view.topic, topic),
        isHidden ? isNotNull(view.hidden_at) : isNull(view.hidden_at),
        isJudged(view.relevant, relevance),
        since === undefined ? undefined : gte(view.last_news_at, since),
        after === undefined
          ? undefined
          : sql`(${view.last_news_at}, ${view.id}) < (${after[0].toISOString()}::timestamptz, ${after[1]})`,
      ),
    )
    .orderBy(desc(view.last_news_at), desc(view.id))
    .limit(limit);
}

/** Stories with news in a time, those with most distinct things first; `until` is excluded. */
export async function readBiggestStories(
  { orm, pool }: Reads,
  { topicId, since, until, limit }: { topicId: Id; since: Date; until: Date; limit: number },
): Promise<StoryRow[]> {
  const ids = await selectIds(
    pool,
    statement`SELECT id FROM strandline.stories
      WHERE topic_id = ${topicId} AND last_at >= ${since} AND first_at < ${until} AND things > 1 AND hidden_at IS NULL
      ORDER BY things DESC, last_at DESC, id DESC LIMIT ${limit}`,
    'biggest_stories',
  );
  if (ids.length === 0) return [];
  const view = storiesView;
  const rows = await prepareOnce(orm, 'stories_of', () =>
    orm.select().from(view).where(amongIds(view.id)),
  ).execute({ ids });
  return inOrderOf(ids, rows, ({ id }) => id);
}

/** The searches that found stories first, by slug. */
export async function readStorySearches(
  { pool }: Pooled,
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, string>> {
  const rows = await rowsOf<{ id: Id; slug: string }>(
    pool,
    statement`SELECT d.id, s.slug FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
      WHERE d.id = ANY (${ids}::bigint[])`,
  );
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

export async function readStory({ orm }: Reads, id: Id): Promise<StoryRow | undefined> {
  const [row] = await orm.select().from(storiesView).where(eq(storiesView.id, id)).limit(1);
  return row;
}

/** The stories of a post or link, one of each topic at most, in the order in which topics found them. */
export async function readStoriesOfItem(
  { orm, pool }: Reads,
  { kind, id }: { kind: 'post' | 'link'; id: Id },
): Promise<StoryRow[]> {
  const ids = await selectIds(
    pool,
    statement`SELECT DISTINCT i.story_id AS id FROM strandline.discoveries d
      JOIN strandline.story_items i ON i.discovery_id = d.id WHERE d.kind = ${kind} AND d.thing = ${id}`,
  );
  return ids.length === 0
    ? []
    : orm.select().from(storiesView).where(inArray(storiesView.id, ids)).orderBy(asc(storiesView.id));
}

/** How a story grew: the hours in which it did, the oldest first. */
export async function readStoryHours(
  { orm }: Reads,
  { id, after, limit }: { id: Id; after?: Date | undefined; limit: number },
): Promise<StoryHourRow[]> {
  const view = storyHoursView;
  return orm
    .select()
    .from(view)
    .where(and(eq(view.story_id, id), after === undefined ? undefined : gt(view.hour, after)))
    .orderBy(asc(view.hour))
    .limit(limit);
}

/** Posts and links of a story, in the order in which the topic found them. */
export async function readStoryItems(
  { orm }: Reads,
  { id, after, limit }: { id: Id; after?: Id | undefined; limit: number },
): Promise<StoryItemRow[]> {
  const view = storyItemsView;
  return orm
    .select()
    .from(view)
    .where(and(eq(view.story_id, id), after === undefined ? undefined : gt(view.discovery_id, after)))
    .orderBy(asc(view.discovery_id))
    .limit(limit);
}
