/**
 * Moves a search to another topic, with the keys of its items: nothing is reported again in either topic. What the search
 * reported belongs to its new topic; in the former one, the next discovery of the same item takes its place.
 */
import { settleThings } from './copies.ts';
import type { Id, Transaction } from '../db/database.ts';
import { lockAgainstForgetting } from '../erase/forget-lock.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';

const S = 'strandline';

/** Saves of the search wait until the transaction ends: their rows reference it. */
const LOCK_SEARCH = `SELECT FROM ${S}.searches WHERE id = $1 FOR UPDATE`;

/** Discoveries of posts and links of searches, with their keys. @param where on a discovery `d` or its search `s` */
const selectItems = (where: string) => `
  SELECT d.id, d.first_in_topic, coalesce(p.key, l.key) AS key
  FROM ${S}.searches s JOIN ${S}.discoveries d ON d.search_id = s.id
  LEFT JOIN LATERAL (SELECT ${POST_KEY_SQL} AS key FROM ${S}.posts p WHERE d.kind = 'post' AND id = d.thing OFFSET 0) p ON true
  LEFT JOIN LATERAL (SELECT canonical AS key FROM ${S}.links WHERE d.kind = 'link' AND id = d.thing OFFSET 0) l ON true
  WHERE d.kind IN ('post', 'link') AND ${where}`;

/** What the topic has reported already is a repetition there. $1 search, $2 topic. */
const MARK_REPEATED = `
UPDATE ${S}.discoveries SET first_in_topic = false WHERE id IN (
  SELECT m.id FROM (${selectItems('s.id = $1 AND d.first_in_topic')}) m
  JOIN ${S}.topic_items i ON i.topic_id = $2 AND i.key = m.key AND i.reported)`;
/** Of each item that the search reported in its former topic, the first remaining discovery. $1 search, $2 its former topic. */
const PASS_ON = `
WITH moved AS MATERIALIZED (SELECT DISTINCT key FROM (${selectItems('s.id = $1 AND d.first_in_topic')}) m)
UPDATE ${S}.discoveries SET first_in_topic = true WHERE id IN (
  SELECT min(o.id) FROM (${selectItems('s.topic_id = $2 AND s.id <> $1')}) o JOIN moved USING (key)
  GROUP BY o.key HAVING NOT bool_or(o.first_in_topic))`;
/** Of all that the search has seen, in the order of the save. $1 search, $2 topic, $3 its former topic. */
const COPY_KEYS = `
INSERT INTO ${S}.topic_items AS i (topic_id, key, reported)
SELECT $2::bigint, k.key, bool_or(coalesce(f.reported, true)) FROM (
  SELECT ${POST_KEY_SQL} AS key FROM ${S}.post_sightings g JOIN ${S}.posts p ON p.id = g.post_id WHERE g.search_id = $1
  UNION ALL
  SELECT l.canonical FROM ${S}.link_sightings g JOIN ${S}.links l ON l.id = g.link_id WHERE g.search_id = $1
) k LEFT JOIN ${S}.topic_items f ON f.topic_id = $3 AND f.key = k.key
GROUP BY k.key ORDER BY k.key
ON CONFLICT (topic_id, key) DO UPDATE SET reported = true WHERE excluded.reported AND NOT i.reported`;
/** Posts of the search with texts that other posts have, in both topics. $1 search, $2 topic, $3 its former topic. */
const SELECT_COPIED = `
SELECT t.id AS "topicId", ${POST_KEY_SQL} AS key, p.text_key AS "textKey"
FROM ${S}.post_sightings g JOIN ${S}.posts p ON p.id = g.post_id CROSS JOIN unnest(ARRAY[$2, $3]::bigint[]) t(id)
WHERE g.search_id = $1 AND EXISTS (SELECT FROM ${S}.posts o WHERE o.text_key = p.text_key AND o.id <> p.id OFFSET 0)`;
/**
 * Items count for the search of a topic that saw them first, so those that others of either topic saw are counted again.
 * $1 search, $2 topic, $3 its former topic, $4 now.
 */
const COUNT_AGAIN = `
WITH others AS MATERIALIZED (SELECT id FROM ${S}.searches WHERE topic_id IN ($2, $3) AND id <> $1), shared AS (
  SELECT
    ARRAY(SELECT g.post_id FROM ${S}.post_sightings g WHERE g.search_id = $1 AND EXISTS (
      SELECT FROM ${S}.post_sightings o WHERE o.post_id = g.post_id AND o.search_id IN (SELECT id FROM others))) AS posts,
    ARRAY(SELECT g.link_id FROM ${S}.link_sightings g WHERE g.search_id = $1 AND EXISTS (
      SELECT FROM ${S}.link_sightings o WHERE o.link_id = g.link_id AND o.search_id IN (SELECT id FROM others))) AS links
)
INSERT INTO ${S}.pending_derivations (search_id, run_id, at, new_posts, new_links, changed_posts, edited_posts, edited_links,
  touched_posts, touched_links, checked, notify, saved_seconds)
SELECT $1, (SELECT max(id) FROM ${S}.runs WHERE search_id = $1), $4, '{}', '{}', '{}', posts, links, '{}', '{}', false, false, NULL
FROM shared WHERE posts <> '{}' OR links <> '{}'`;

/** @param topicId of a topic that is locked */
export async function moveSearch(
  tx: Transaction,
  { id, from, topicId, now }: { id: Id; from: Id; topicId: Id; now: Date },
): Promise<void> {
  await lockAgainstForgetting(tx);
  await tx.query(LOCK_SEARCH, [id]);
  await tx.query(PASS_ON, [id, from]);
  await tx.query(MARK_REPEATED, [id, topicId]);
  await tx.query(COPY_KEYS, [id, topicId, from]);
  await tx.query(`UPDATE ${S}.searches SET topic_id = $2 WHERE id = $1`, [id, topicId]);
  const { rows: copied } = await tx.query<TopicItem>(SELECT_COPIED, [id, topicId, from]);
  await settleThings(tx, copied);
  await tx.query(COUNT_AGAIN, [id, topicId, from, now]);
}
