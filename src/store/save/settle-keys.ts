/**
 * Which discovery reports an item, where the save could not decide it: an address changed, or the discovery that did is deleted.
 * The story of a discovery that begins or ends to report is decided again.
 */
import type { Id, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import { leaveWaiting } from '../stories/settle-stories.ts';
import type { FormerKey } from './save-facts.ts';
import { POST_KEY_SQL, type TopicItem } from './topic-items.ts';

/** Posts in the topics that found them, under their current and their former keys. */
export async function readRenamedItems(tx: Transaction, posts: readonly FormerKey[]): Promise<TopicItem[]> {
  if (posts.length === 0) return [];
  const ids = posts.map(({ id }) => id);
  const keys = posts.map(({ key }) => key);
  return rowsOf<TopicItem>(
    tx,
    statement`SELECT DISTINCT s.topic_id AS "topicId", n.key
      FROM unnest(${ids}::bigint[], ${keys}::text[]) f(id, key)
      JOIN strandline.posts p ON p.id = f.id
      JOIN strandline.discoveries d ON d.kind = 'post' AND d.thing = p.id JOIN strandline.searches s ON s.id = d.search_id
      CROSS JOIN LATERAL (VALUES (${verbatim(POST_KEY_SQL)}), (coalesce(f.key, ${verbatim(POST_KEY_SQL)}))) n(key)
      WHERE f.key IS DISTINCT FROM p.key`,
  );
}

/**
 * Makes the first discovery of each item that reports it, or that may, the only one. Reports nothing: a discovery that begins to
 * report is behind the cursors of channels, or new to them. Rows are locked in the order of their ids.
 * @param leaving discoveries that are deleted
 */
export async function settleKeys(
  tx: Transaction,
  items: readonly TopicItem[],
  leaving: readonly Id[] = [],
): Promise<void> {
  if (items.length === 0) return;
  const topicIds = items.map(({ topicId }) => topicId);
  const keys = items.map(({ key }) => key);
  const changed = await rowsOf<{ id: Id; kind: string; thing: Id; first: Id }>(
    tx,
    statement`WITH found AS MATERIALIZED (
        SELECT u.topic_id, u.key, d.id, d.first_in_topic OR d.folded AS reports, d.baseline
        FROM unnest(${topicIds}::bigint[], ${keys}::text[]) u(topic_id, key)
        CROSS JOIN LATERAL (
          SELECT 'post' AS kind, id AS thing FROM strandline.posts WHERE key = u.key
          UNION ALL SELECT 'link', id FROM strandline.links WHERE canonical = u.key
        ) i
        CROSS JOIN LATERAL (
          SELECT d.* FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
          WHERE d.kind = i.kind AND d.thing = i.thing AND s.topic_id = u.topic_id OFFSET 0
        ) d
        WHERE d.id <> ALL (${leaving}::bigint[])
      ), chosen AS MATERIALIZED (
        SELECT DISTINCT ON (f.topic_id, f.key) f.topic_id, f.key, f.id FROM found f
        LEFT JOIN strandline.topic_items t ON t.topic_id = f.topic_id AND t.key = f.key
        WHERE f.reports OR NOT f.baseline OR t.reported
        ORDER BY f.topic_id, f.key, f.reports DESC, f.baseline, f.id
      ), wrong AS MATERIALIZED (
        SELECT f.id, c.id AS first FROM found f JOIN chosen c USING (topic_id, key) WHERE f.reports <> (f.id = c.id)
      ), locked AS MATERIALIZED (
        SELECT d.id FROM strandline.discoveries d
        WHERE d.id = ANY (ARRAY(SELECT id FROM wrong)) ORDER BY d.id FOR NO KEY UPDATE
      )
      UPDATE strandline.discoveries d SET first_in_topic = (w.id = w.first), folded = false
      FROM wrong w JOIN locked l ON l.id = w.id WHERE d.id = w.id
      RETURNING d.id, d.kind, d.thing, w.first`,
  );
  if (changed.length === 0) return;
  await execute(
    tx,
    statement`INSERT INTO strandline.story_changes (kind, thing)
      SELECT DISTINCT * FROM unnest(${changed.map(({ kind }) => kind)}::text[], ${changed.map(({ thing }) => thing)}::bigint[])`,
  );
  await leaveWaiting(
    tx,
    changed.filter(({ id, first }) => id !== first),
  );
}
