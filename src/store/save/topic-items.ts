/**
 * Which discoveries are the first of their item in their topic. A post, the links to it and its copies in other services
 * are one item, by their key. The primary key of `topic_items` decides: of several transactions that save an item at
 * once, the others wait for the one that inserted it. Items that say the same are one story, which is decided later
 * (`store/stories/`).
 */
import type { Id, Transaction } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';

/** A newly sighted post or link. `place`: of its run in the list of runs, from 1. */
export type Item = { place: number; kind: 'post' | 'link'; thing: Id };

/** What an item is recognized by in a topic: its link identity. */
export type TopicItem = { topicId: Id; key: string };

/** Identifies an {@link Item} in memory. */
export const itemName = ({ place, kind, thing }: { place: number; kind: string; thing: Id }) =>
  `${place} ${kind} ${thing}`;

/** The key of a post `p` without an address. */
export const POST_ID_KEY_SQL = `'post:' || p.service_id || ':' || p.external_id`;
/** The key of a post `p`. Posts from before there were keys have none until `fill-topic-items.ts` has filled them. */
export const POST_KEY_SQL = `coalesce(p.key, ${POST_ID_KEY_SQL})`;

/**
 * Records items as reported in the topics of their searches, in the order of their keys. A baseline reports if its search had its
 * request before the topic had any result: then all that people can see is baseline. One that was added later contains what was there
 * before; another search reports it when it finds it.
 * @param runs in the order in which the places of the items count them
 * @returns the names ({@link itemName}) of the items that were not reported before, each key once
 */
export async function reportItems(
  tx: Transaction,
  runs: readonly { runId: Id; baseline: boolean }[],
  items: readonly Item[],
): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set();
  const rows = await rowsOf<{ n: number }>(
    tx,
    statement`WITH runs AS MATERIALIZED (
        SELECT u.place, s.topic_id, NOT u.baseline OR NOT EXISTS (
          SELECT FROM strandline.searches o JOIN strandline.runs b ON b.search_id = o.id
          WHERE o.topic_id = s.topic_id AND b.status = 'succeeded' AND b.ended_at < s.requested_at) AS reports
        FROM unnest(${runs.map(({ runId }) => runId)}::bigint[], ${runs.map(({ baseline }) => baseline)}::boolean[]) WITH ORDINALITY u(run_id, baseline, place)
        CROSS JOIN LATERAL (
          SELECT s.topic_id, v.created_at AS requested_at FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
          JOIN strandline.search_versions v ON v.search_id = r.search_id AND v.version = r.request_version
          WHERE r.id = u.run_id OFFSET 0
        ) s
      ), items AS MATERIALIZED (
        SELECT u.n, r.topic_id, r.reports, coalesce(p.key, l.key) AS key
        FROM unnest(${items.map(({ place }) => place)}::int[], ${items.map(({ kind }) => kind)}::text[], ${items.map(({ thing }) => thing)}::bigint[]) WITH ORDINALITY u(place, kind, thing, n) JOIN runs r USING (place)
        LEFT JOIN LATERAL (SELECT ${verbatim(POST_KEY_SQL)} AS key FROM strandline.posts p WHERE u.kind = 'post' AND id = u.thing OFFSET 0) p ON true
        LEFT JOIN LATERAL (SELECT canonical AS key FROM strandline.links WHERE u.kind = 'link' AND id = u.thing OFFSET 0) l ON true
      ), candidates AS MATERIALIZED (
        SELECT DISTINCT ON (topic_id, key) topic_id, key, reports, n FROM items i
        WHERE (SELECT reported FROM strandline.topic_items WHERE topic_id = i.topic_id AND key = i.key OFFSET 0) IS NOT TRUE
        ORDER BY topic_id, key, reports DESC, n
      ), written AS (
        INSERT INTO strandline.topic_items AS i (topic_id, key, reported)
        SELECT topic_id, key, reports FROM candidates ORDER BY topic_id, key
        ON CONFLICT (topic_id, key) DO UPDATE SET reported = true WHERE NOT i.reported AND excluded.reported
        RETURNING topic_id, key, reported
      )
      SELECT c.n::int AS n FROM candidates c JOIN written w USING (topic_id, key) WHERE w.reported`,
    'report_items',
  );
  return new Set(rows.flatMap(({ n }) => items.slice(n - 1, n)).map(itemName));
}
