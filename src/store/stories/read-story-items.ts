/** What stories are decided by: names and texts of items, and what they are compared with. */
import { setImmediate } from 'node:timers/promises';
import { DAY } from '../../lib/time.ts';
import { MAX_CANDIDATES, nameItem, sketchItem, STORY_SPAN_MS, type StoryItem } from '../../model/stories.ts';
import { hashFoldedText } from '../../model/folded-text.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { POST_KEY_SQL } from '../save/topic-items.ts';

/** An item of a topic. */
export type TopicStoryItem = StoryItem & { topicId: Id };

/** A sketch takes some hundredths of a millisecond: between as many, other requests of the process proceed. */
const MAX_SKETCHED_AT_ONCE = 200;

/** Posts and links by their first discoveries in their topics, with their names and sketches. */
export async function readStoryItems(tx: Transaction, ids: readonly Id[]): Promise<TopicStoryItem[]> {
  if (ids.length === 0) return [];
  const rows = await rowsOf<{
    id: Id;
    topicId: Id;
    at: Date;
    key: string;
    addresses: string[];
    repeated: string[];
    text: string | null;
  }>(
    tx,
    statement`SELECT d.id, s.topic_id AS "topicId", d.at, i.key, i.addresses, i.repeated, i.text
      FROM unnest(${ids}::bigint[]) u(id)
      CROSS JOIN LATERAL (SELECT * FROM strandline.discoveries WHERE id = u.id OFFSET 0) d
      CROSS JOIN LATERAL (SELECT topic_id FROM strandline.searches WHERE id = d.search_id OFFSET 0) s
      CROSS JOIN LATERAL (
        SELECT ${verbatim(POST_KEY_SQL)} AS key, p.text,
          ARRAY(SELECT l.canonical FROM strandline.post_links k JOIN strandline.links l ON l.id = k.link_id WHERE k.post_id = p.id)
            AS addresses,
          ARRAY(SELECT ${verbatim(POST_KEY_SQL.replaceAll('p.', 'o.'))} FROM strandline.posts o
            WHERE o.service_id = p.service_id AND o.external_id IN (p.reposted_status_id, p.quoted_status_id)) AS repeated
        FROM strandline.posts p WHERE d.kind = 'post' AND p.id = d.thing
        UNION ALL
        SELECT canonical, title, '{}', '{}' FROM strandline.links WHERE d.kind = 'link' AND id = d.thing
      ) i ORDER BY d.id`,
  );
  const items: TopicStoryItem[] = [];
  for (const [i, { id, topicId, at, key, addresses, repeated, text }] of rows.entries()) {
    if (i % MAX_SKETCHED_AT_ONCE === MAX_SKETCHED_AT_ONCE - 1) await setImmediate();
    const textKey = text === null ? null : hashFoldedText(text);
    const names = nameItem({ topicId, keys: [key, ...repeated], addresses, textKey });
    items.push({
      id,
      topicId,
      at: at.getTime(),
      names,
      sketch: text === null ? null : sketchItem(topicId, text),
      story: null,
    });
  }
  return items;
}

/** What was found for items that are decided. */
export type StoryCandidates = {
  items: TopicStoryItem[];
  /** How many items of the day before have each name. */
  names: Map<bigint, number>;
  /** Items whose bands are those of so many of the day before that no more are compared with them. */
  crowded: Set<Id>;
};

/**
 * What items may be joined with: of each name the oldest and the newest within the span, which whatever is between them is joined
 * with; and of near texts the newest {@link MAX_CANDIDATES}.
 */
export async function findCandidates(
  tx: Transaction,
  items: readonly TopicStoryItem[],
): Promise<StoryCandidates> {
  const names = new Map<bigint, number>();
  const crowded = new Set<Id>();
  const found = new Set<Id>();
  for (const row of await findNamed(tx, items)) {
    found.add(row.first).add(row.last);
    names.set(row.name, Math.max(row.today, names.get(row.name) ?? 0));
  }
  for (const row of await findNear(tx, items)) {
    for (const id of row.found) found.add(id);
    if (row.today >= MAX_CANDIDATES) crowded.add(row.id);
  }
  for (const { id } of items) found.delete(id);
  const ids = [...found];
  const rows = await rowsOf<{
    id: Id;
    topicId: Id;
    at: Date;
    names: bigint[];
    bands: number[] | null;
    shingles: number[] | null;
    story: Id | null;
  }>(
    tx,
    statement`SELECT c.discovery_id AS id, c.topic_id AS "topicId", c.at, c.names, c.bands, c.shingles, i.story_id AS story
      FROM strandline.story_candidates c LEFT JOIN strandline.story_items i ON i.discovery_id = c.discovery_id
      WHERE c.discovery_id = ANY (${ids}::bigint[])`,
  );
  const candidates = rows.map(({ bands, shingles, at, ...row }) => ({
    ...row,
    at: at.getTime(),
    sketch: bands === null || shingles === null ? null : { bands, shingles },
  }));
  return { items: candidates, names, crowded };
}

const SPAN = verbatim(`interval '${STORY_SPAN_MS / DAY} days'`);

/** Each name once for each time: a run finds its items at one time. */
function findNamed(
  tx: Transaction,
  items: readonly TopicStoryItem[],
): Promise<{ name: bigint; first: Id; last: Id; today: number }[]> {
  const pairs = new Map(
    items.flatMap(({ names, at }) => names.map((name) => [`${name} ${at}`, { name, at: new Date(at) }])),
  );
  const names = [...pairs.values()].map(({ name }) => name);
  const times = [...pairs.values()].map(({ at }) => at);
  return rowsOf(
    tx,
    statement`SELECT u.name, c.first, c.last, c.today
      FROM unnest(${names}::bigint[], ${times}::timestamptz[]) u(name, at) CROSS JOIN LATERAL (
        SELECT min(discovery_id) AS first, max(discovery_id) AS last,
          (count(*) FILTER (WHERE c.at > u.at - interval '1 day'))::integer AS today
        FROM strandline.story_candidates c
        WHERE c.names @> ARRAY[u.name] AND c.at BETWEEN u.at - ${SPAN} AND u.at + ${SPAN}
      ) c WHERE c.first IS NOT NULL`,
  );
}

function findNear(
  tx: Transaction,
  items: readonly TopicStoryItem[],
): Promise<{ id: Id; found: Id[]; today: number }[]> {
  const compared = items.filter(({ sketch }) => sketch !== null);
  const rows = compared.map(({ id, topicId, at, sketch }) => ({
    id,
    topic_id: topicId,
    at: new Date(at),
    bands: sketch?.bands,
  }));
  return rowsOf(
    tx,
    statement`SELECT u.id, array_agg(c.discovery_id) AS found,
        (count(*) FILTER (WHERE c.at > u.at - interval '1 day'))::integer AS today
      FROM json_to_recordset(${writeRows(rows)}::json) u(id bigint, topic_id bigint, at timestamptz, bands integer[])
      CROSS JOIN LATERAL (
        SELECT * FROM (
          -- On its own, so that the order is not taken for a reason to read the table backwards.
          SELECT discovery_id, at FROM strandline.story_candidates n
          WHERE n.bands && u.bands AND n.topic_id = u.topic_id AND n.at BETWEEN u.at - ${SPAN} AND u.at + ${SPAN} OFFSET 0
        ) n ORDER BY discovery_id DESC LIMIT ${MAX_CANDIDATES}
      ) c GROUP BY u.id`,
  );
}
