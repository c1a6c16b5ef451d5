/** Stories of topics, and what they consist of. */
import { and, asc, desc, eq, gt, gte, sql } from 'drizzle-orm';
import type { Id, Reads } from '../db/database.ts';
import { storiesView, storyItemsView } from '../schema/analytics-views.ts';

export type StoryRow = typeof storiesView.$inferSelect;
export type StoryItemRow = typeof storyItemsView.$inferSelect;

/** Stories of a topic, the last news first. @param filter.after time and key of the last story before the page */
export async function readStories(
  { orm }: Reads,
  filter: { topic: string; since?: Date | undefined; after?: readonly [Date, Id] | undefined; limit: number },
): Promise<StoryRow[]> {
  const view = storiesView;
  const { topic, since, after, limit } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(
        eq(view.topic, topic),
        since === undefined ? undefined : gte(view.last_news_at, since),
        after === undefined
          ? undefined
          : sql`(${view.last_news_at}, ${view.id}) < (${after[0].toISOString()}::timestamptz, ${after[1]})`,
      ),
    )
    .orderBy(desc(view.last_news_at), desc(view.id))
    .limit(limit);
}

export async function readStory({ orm }: Reads, id: Id): Promise<StoryRow | undefined> {
  const [row] = await orm.select().from(storiesView).where(eq(storiesView.id, id)).limit(1);
  return row;
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
