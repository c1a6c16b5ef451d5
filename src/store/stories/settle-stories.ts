/**
 * Which discovery reports a story: of those that report its items, the first. It stays `first_in_topic`; the others are folded.
 * A story that loses its members, or joins another, is settled again. Reports nothing: a discovery that becomes first is behind
 * the cursors of channels, or new to them.
 */
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';

/** A story, or an item that is in none, with the items and stories that join it. */
export type UnsettledStory = {
  id: Id;
  /** First discoveries of items in the topic. */
  members: readonly Id[];
  /** Stories that it had, or that are merged into it. Their rows are still there. */
  joined: readonly Id[];
};

/**
 * Settles stories, in one statement. The caller holds the lock on stories; the save, which holds another, locks rows in the same
 * order.
 * @param leaving discoveries that are deleted
 * @returns the discovery that reports each story; none if no item of it was reported
 */
export async function settleStories(
  tx: Transaction,
  stories: readonly UnsettledStory[],
  leaving: readonly Id[] = [],
): Promise<Map<Id, Id>> {
  const members = stories.flatMap(({ id, members: ids }) => ids.map((item) => ({ story: id, item })));
  const joined = stories.flatMap(({ id, joined: ids }) => ids.map((item) => ({ story: id, item })));
  if (members.length + joined.length === 0) return new Map();
  const rows = await rowsOf<{ story: Id; reported: Id; folded: Id[] }>(
    tx,
    statement`WITH firsts AS MATERIALIZED (
        SELECT m.story, o.id FROM json_to_recordset(${writeRows(members)}::json) m(story bigint, item bigint)
        CROSS JOIN LATERAL (SELECT kind, thing, search_id FROM strandline.discoveries WHERE id = m.item OFFSET 0) d
        CROSS JOIN LATERAL (
          SELECT o.id FROM strandline.discoveries o
          WHERE o.kind = d.kind AND o.thing = d.thing AND (o.first_in_topic OR o.folded) AND o.id <> ALL (${leaving}::bigint[])
            AND (o.search_id = d.search_id OR EXISTS (
            SELECT FROM strandline.searches a, strandline.searches b
            WHERE a.id = o.search_id AND b.id = d.search_id AND a.topic_id = b.topic_id OFFSET 0)) OFFSET 0
        ) o
        UNION
        SELECT j.story, k.reported_id FROM json_to_recordset(${writeRows(joined)}::json) j(story bigint, item bigint)
        JOIN strandline.stories k ON k.id = j.item WHERE k.reported_id IS NOT NULL
      ), chosen AS MATERIALIZED (
        SELECT story, id, min(id) OVER (PARTITION BY story) AS first FROM firsts
      ), locked AS MATERIALIZED (
        SELECT d.id FROM strandline.discoveries d
        WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) ORDER BY d.id FOR NO KEY UPDATE
      ), settled AS (
        UPDATE strandline.discoveries d SET first_in_topic = (c.id = c.first), folded = (c.id <> c.first)
        FROM chosen c JOIN locked l ON l.id = c.id
        WHERE d.id = c.id AND (d.first_in_topic OR d.folded) AND d.first_in_topic <> (c.id = c.first)
        RETURNING d.id, d.folded
      )
      SELECT c.story, c.first AS reported, coalesce(array_agg(s.id) FILTER (WHERE s.folded), '{}') AS folded
      FROM chosen c LEFT JOIN settled s ON s.id = c.id GROUP BY 1, 2`,
  );
  await leaveWaiting(
    tx,
    rows.flatMap(({ reported, folded }) => folded.map((id) => ({ id, first: reported }))),
  );
  return new Map(rows.map(({ story, reported }) => [story, reported]));
}

/** Takes discoveries from messages that are not composed yet, if another message to the channel has what reports their thing. */
export async function leaveWaiting(
  tx: Transaction,
  repeated: readonly { id: Id; first: Id }[],
): Promise<void> {
  if (repeated.length === 0) return;
  const ids = repeated.map(({ id }) => id);
  const firstIds = repeated.map(({ first }) => first);
  await execute(
    tx,
    statement`DELETE FROM strandline.delivery_discoveries x
      USING strandline.deliveries m, unnest(${ids}::bigint[], ${firstIds}::bigint[]) r(id, first)
      WHERE x.discovery_id = r.id AND m.id = x.delivery_id AND m.state = 'gathering' AND m.body IS NULL
        AND EXISTS (SELECT FROM strandline.delivery_discoveries o WHERE o.channel_id = x.channel_id AND o.discovery_id = r.first)`,
  );
}
