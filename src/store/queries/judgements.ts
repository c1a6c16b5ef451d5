/** What a topic with a goal found, with verdicts; and what a goal is tried on. */
import { and, type Column, desc, eq, isNull, lt, type SQL } from 'drizzle-orm';
import type { Id, Pooled, Reads } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { LINK_TEXT, POST_TEXT } from '../judgements/item-text.ts';
import { judgementsView } from '../schema/analytics-views.ts';
import { FIRST_DISCOVERY } from '../stories/one-thing.ts';

export type JudgementRow = typeof judgementsView.$inferSelect;

/** Which verdicts a list has. */
export const RELEVANCES = ['relevant', 'irrelevant', 'not_judged'] as const;
export type Relevance = (typeof RELEVANCES)[number];

/** The condition on a column `relevant`. */
export function isJudged(column: Column, relevance: Relevance | undefined): SQL | undefined {
  if (relevance === undefined) return undefined;
  return relevance === 'not_judged' ? isNull(column) : eq(column, relevance === 'relevant');
}

/** Items of a topic by the current goal, the newest first. */
export async function readJudgements(
  { orm }: Reads,
  filter: { topic: string; relevance?: Relevance | undefined; after?: Id | undefined; limit: number },
): Promise<JudgementRow[]> {
  const view = judgementsView;
  const { topic, relevance, after, limit } = filter;
  return orm
    .select()
    .from(view)
    .where(
      and(
        eq(view.topic, topic),
        isJudged(view.relevant, relevance),
        after === undefined ? undefined : lt(view.discovery_id, after),
      ),
    )
    .orderBy(desc(view.discovery_id))
    .limit(limit);
}

/** A story, or an item that is in none, by the first item that was found. */
export type FoundStory = {
  kind: 'post' | 'link';
  id: Id;
  url: string | null;
  /** Text of the post, or title and snippet of the link. */
  text: string;
};

/** The newest stories of a topic that were first found since a time, without hidden ones and those without a text. */
export async function readFoundStories(
  { pool }: Pooled,
  { topicId, since, limit }: { topicId: Id; since: Date; limit: number },
): Promise<{ stories: FoundStory[]; total: number }> {
  const rows = await rowsOf<FoundStory & { total: number }>(
    pool,
    statement`WITH items AS MATERIALIZED (
        SELECT DISTINCT ${topicId}::bigint AS topic_id, d.kind, d.thing FROM strandline.searches s
        JOIN strandline.discoveries d ON d.search_id = s.id AND d.at > ${since}
        WHERE s.topic_id = ${topicId} AND d.kind IN ('post', 'link') AND NOT d.hidden
      ), firsts AS (
        SELECT DISTINCT ON (coalesce(i.story_id, f.id)) f.id, u.kind, u.thing FROM items u
        CROSS JOIN LATERAL ${FIRST_DISCOVERY}
        CROSS JOIN LATERAL (SELECT at FROM strandline.discoveries WHERE id = f.id OFFSET 0) d
        LEFT JOIN strandline.story_items i ON i.discovery_id = f.id
        WHERE d.at > ${since} ORDER BY coalesce(i.story_id, f.id), f.id
      )
      SELECT n.kind, n.thing AS id, x.url, x.text, (count(*) OVER ())::int AS total FROM firsts n
      CROSS JOIN LATERAL (
        SELECT p.url, ${POST_TEXT} AS text FROM strandline.posts p WHERE n.kind = 'post' AND p.id = n.thing
        UNION ALL
        SELECT l.url, ${LINK_TEXT} FROM strandline.links l WHERE n.kind = 'link' AND l.id = n.thing
      ) x WHERE x.text <> '' ORDER BY n.id DESC LIMIT ${limit}`,
  );
  return { stories: rows.map(({ total: _total, ...story }) => story), total: rows[0]?.total ?? 0 };
}
