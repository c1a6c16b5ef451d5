/**
 * What a person marked as not relevant for a topic. The fact is stored at the key of an item (`topic_items.dismissed_at`). A story is
 * hidden if one of its items is marked: so are the items that join it later, and a story that merges with it. An item in no story is
 * hidden if it is marked. What follows from the facts is stored at discoveries and stories, as folding is: lists read a column (`queries/data-scope.ts`).
 */
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import type { TopicItem } from '../save/topic-items.ts';
import { itemsOfDiscoveries, KEY_OF_ITEM } from './one-thing.ts';
import type { UnsettledStory } from './settle-stories.ts';

/** Who hid a story, and when. */
export type HiddenBy = { at: Date; by: string | null };

/** Whether anything is marked in any topic: one read by an index. */
async function isAnythingMarked(tx: Transaction): Promise<boolean> {
  const rows = await rowsOf(
    tx,
    statement`SELECT FROM strandline.topic_items WHERE dismissed_at IS NOT NULL LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * Hides or shows the discoveries of stories, and of items that are in none, as their items are marked. The work grows with the
 * members that are given, and with those of stories that are hidden by joining others. Call it before joined stories are deleted.
 * @param stories as for `settleStories`; members are those whose marks are not known yet
 * @returns the stories that are hidden
 */
export async function settleHidden(
  tx: Transaction,
  stories: readonly UnsettledStory[],
): Promise<Map<Id, HiddenBy>> {
  if (stories.length === 0 || !(await isAnythingMarked(tx))) return new Map();
  return writeHidden(tx, stories);
}

async function writeHidden(tx: Transaction, stories: readonly UnsettledStory[]): Promise<Map<Id, HiddenBy>> {
  const members = stories.flatMap(({ id, members: ids }) => ids.map((item) => ({ story: id, item })));
  const joined = stories.flatMap(({ id, joined: ids }) => ids.map((item) => ({ story: id, item })));
  const rows = await rowsOf<HiddenBy & { story: Id }>(
    tx,
    statement`WITH given AS MATERIALIZED (
        SELECT story, item FROM json_to_recordset(${writeRows(members)}::json) m(story bigint, item bigint)
      ), marks AS (
        SELECT g.story, t.dismissed_at AS at, t.dismissed_by AS by FROM given g
        CROSS JOIN LATERAL (SELECT kind, thing, search_id FROM strandline.discoveries WHERE id = g.item OFFSET 0) x
        CROSS JOIN LATERAL (SELECT topic_id FROM strandline.searches WHERE id = x.search_id OFFSET 0) s
        JOIN strandline.topic_items t ON t.topic_id = s.topic_id AND t.key = ${KEY_OF_ITEM} AND t.dismissed_at IS NOT NULL
        UNION ALL
        SELECT j.story, k.hidden_at, k.hidden_by FROM json_to_recordset(${writeRows(joined)}::json) j(story bigint, item bigint)
        JOIN strandline.stories k ON k.id = j.item WHERE k.hidden_at IS NOT NULL
      ), hidden AS MATERIALIZED (
        SELECT DISTINCT ON (story) story, at, by FROM marks ORDER BY story, at
      ), items AS (
        SELECT g.item, EXISTS (SELECT FROM hidden h WHERE h.story = g.story) AS is_hidden FROM given g
        UNION
        SELECT i.discovery_id, true FROM json_to_recordset(${writeRows(joined)}::json) j(story bigint, item bigint)
        JOIN hidden h ON h.story = j.story
        JOIN strandline.stories k ON k.id = j.item AND k.hidden_at IS NULL
        JOIN strandline.story_items i ON i.story_id = k.id
      ), changed AS MATERIALIZED (
        SELECT o.id, n.is_hidden FROM items n
        CROSS JOIN LATERAL (SELECT kind, thing, search_id FROM strandline.discoveries WHERE id = n.item OFFSET 0) x
        CROSS JOIN LATERAL (SELECT topic_id FROM strandline.searches WHERE id = x.search_id OFFSET 0) s
        CROSS JOIN LATERAL (
          SELECT id, search_id, hidden FROM strandline.discoveries WHERE kind = x.kind AND thing = x.thing
          UNION ALL
          SELECT d.id, d.search_id, d.hidden FROM strandline.growth_reports r
          JOIN strandline.discoveries d ON d.kind = 'growth' AND d.thing = r.id WHERE x.kind = 'post' AND r.post_id = x.thing
        ) o
        WHERE o.hidden <> n.is_hidden
          AND EXISTS (SELECT FROM strandline.searches os WHERE os.id = o.search_id AND os.topic_id = s.topic_id OFFSET 0)
      ), locked AS MATERIALIZED (
        SELECT id FROM strandline.discoveries WHERE id = ANY (ARRAY(SELECT id FROM changed)) ORDER BY id FOR NO KEY UPDATE
      ), written AS (
        UPDATE strandline.discoveries d SET hidden = c.is_hidden FROM changed c JOIN locked l ON l.id = c.id WHERE d.id = c.id
      )
      SELECT story, at, by FROM hidden`,
  );
  return new Map(rows.map(({ story, at, by }) => [story, { at, by }]));
}

/** Writes at stories whether they are hidden. @param hidden those that are, as {@link settleHidden} returns them @param ids of all */
export async function markStories(
  tx: Transaction,
  hidden: ReadonlyMap<Id, HiddenBy>,
  ids: readonly Id[] = [...hidden.keys()],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map((id) => ({ id, at: hidden.get(id)?.at ?? null, by: hidden.get(id)?.by ?? null }));
  await execute(
    tx,
    statement`UPDATE strandline.stories k SET hidden_at = r.at, hidden_by = r.by
      FROM json_to_recordset(${writeRows(rows)}::json) r(id bigint, at timestamptz, by text)
      WHERE k.id = r.id AND (k.hidden_at, k.hidden_by) IS DISTINCT FROM (r.at, r.by)`,
  );
}

/** Hides what another search reports of hidden items, and growth of hidden posts. @param ids of discoveries of any kind */
export async function hideKnown(tx: Transaction, ids: readonly Id[]): Promise<void> {
  if (ids.length === 0 || !(await isAnythingMarked(tx))) return;
  await execute(
    tx,
    statement`UPDATE strandline.discoveries d SET hidden = true FROM (
        SELECT u.id, s.topic_id, coalesce(r.post_id, u.thing) AS thing, CASE u.kind WHEN 'growth' THEN 'post' ELSE u.kind END AS kind
        FROM strandline.discoveries u JOIN strandline.searches s ON s.id = u.search_id
        LEFT JOIN strandline.growth_reports r ON u.kind = 'growth' AND r.id = u.thing
        WHERE u.id = ANY (${ids}::bigint[]) AND u.kind IN ('post', 'link', 'growth')
      ) x
      WHERE d.id = x.id AND EXISTS (
        SELECT FROM strandline.discoveries h JOIN strandline.searches hs ON hs.id = h.search_id
        WHERE h.hidden AND h.kind = x.kind AND h.thing = x.thing AND hs.topic_id = x.topic_id)`,
  );
}

/**
 * Decides again what is hidden, of all that is one thing with these items: after a person marked them, or undid it. The caller
 * holds the lock on stories.
 */
export async function settleMarks(
  tx: Transaction,
  { topicId, keys }: { topicId: Id; keys: readonly TopicItem['key'][] },
): Promise<void> {
  const rows = await rowsOf<{ id: Id; members: Id[] }>(
    tx,
    statement`WITH firsts AS MATERIALIZED (
        SELECT min(d.id) AS id FROM unnest(${keys}::text[]) u(key)
        CROSS JOIN LATERAL (
          SELECT 'post' AS kind, id AS thing FROM strandline.posts WHERE key = u.key
          UNION ALL SELECT 'link', id FROM strandline.links WHERE canonical = u.key
        ) x
        JOIN strandline.discoveries d ON d.kind = x.kind AND d.thing = x.thing
        JOIN strandline.searches s ON s.id = d.search_id AND s.topic_id = ${topicId} GROUP BY x.kind, x.thing
      )
      SELECT i.story_id AS id, array_agg(i.discovery_id) AS members FROM strandline.story_items i
      WHERE i.story_id IN (SELECT o.story_id FROM strandline.story_items o JOIN firsts f ON f.id = o.discovery_id) GROUP BY 1
      UNION ALL
      SELECT f.id, ARRAY[f.id] FROM firsts f WHERE NOT EXISTS (SELECT FROM strandline.story_items WHERE discovery_id = f.id)`,
  );
  const hidden = await writeHidden(
    tx,
    rows.map((row) => ({ ...row, joined: [] })),
  );
  await markStories(
    tx,
    hidden,
    rows.map(({ id }) => id),
  );
}

/**
 * Before members of hidden stories are deleted, marks of these are passed on: the first of the others is marked instead.
 * @param stories what is left of each, and who hid it
 */
export async function passOnMarks(
  tx: Transaction,
  stories: readonly { id: Id; members: readonly Id[]; hidden: HiddenBy | null }[],
): Promise<Map<Id, HiddenBy>> {
  const hidden = stories.flatMap((story) => (story.hidden === null ? [] : [{ ...story, ...story.hidden }]));
  if (hidden.length === 0) return new Map();
  const given = hidden.map(({ id, at, by }) => ({ id, at, by }));
  await execute(
    tx,
    statement`UPDATE strandline.topic_items t SET dismissed_at = r.at, dismissed_by = r.by FROM (
        SELECT x.topic_id, ${KEY_OF_ITEM} AS key, g.at, g.by
        FROM ${itemsOfDiscoveries(hidden.map(({ id }) => id))} x
        JOIN json_to_recordset(${writeRows(given)}::json) g(id bigint, at timestamptz, by text) ON g.id = x.id
      ) r WHERE t.topic_id = r.topic_id AND t.key = r.key AND t.dismissed_at IS NULL`,
  );
  return new Map(hidden.map(({ id, at, by }) => [id, { at, by }]));
}
