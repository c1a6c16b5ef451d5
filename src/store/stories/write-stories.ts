/** Writes stories and their members. */
import type { StoryGroup } from '../../model/stories.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';

/** The fact with the last discovery of the feed whose story is decided. */
const PROGRESS = 'stories';
/** Members of a story whose authors, hosts and languages are counted, the first ones. */
export const MAX_SUMMARIZED = 1_000;

/** Lets one transaction at a time write stories. @returns whether this one may; true if it waits */
export async function lockStories(tx: Transaction, { waits }: { waits: boolean }): Promise<boolean> {
  const key = statement`hashtext('strandline.stories')`;
  if (!waits) {
    const [row] = await rowsOf<{ locked: boolean }>(
      tx,
      statement`SELECT pg_try_advisory_xact_lock(${key}) AS locked`,
    );
    return row?.locked === true;
  }
  await execute(tx, statement`SELECT pg_advisory_xact_lock(${key})`);
  return true;
}

/** {@link readProgress} as a part of a statement. */
export const LAST_DECIDED = statement`(SELECT value::bigint FROM strandline.facts WHERE name = ${PROGRESS})`;

/** The last discovery that is decided. */
export async function readProgress(tx: Transaction): Promise<Id> {
  const [row] = await rowsOf<{ value: string }>(
    tx,
    statement`SELECT value FROM strandline.facts WHERE name = ${PROGRESS}`,
  );
  return row === undefined ? 0n : BigInt(row.value);
}

/** @param last the last discovery that is decided */
export async function writeProgress(tx: Transaction, last: Id): Promise<void> {
  await execute(
    tx,
    statement`INSERT INTO strandline.facts (name, value, at) VALUES (${PROGRESS}, ${String(last)}, clock_timestamp())
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
}

type TopicGroup = StoryGroup<{ id: Id; story: Id | null }> & { topicId: Id };

/** Writes the members of groups, and renames stories that were joined to earlier ones. */
export async function mergeStories(tx: Transaction, groups: readonly TopicGroup[]): Promise<void> {
  const renamed = groups.flatMap(({ id, joined }) =>
    joined.filter((story) => story !== id).map((story) => ({ story, id })),
  );
  if (renamed.length > 0) {
    await execute(
      tx,
      statement`UPDATE strandline.story_items i SET story_id = r.id
        FROM json_to_recordset(${writeRows(renamed)}::json) r(story bigint, id bigint) WHERE i.story_id = r.story`,
    );
    const gone = renamed.map(({ story }) => story);
    await execute(tx, statement`DELETE FROM strandline.stories WHERE id = ANY (${gone}::bigint[])`);
  }
  const members = groups.flatMap(({ id, members: all }) =>
    all.filter(({ story }) => story === null).map((member) => ({ id: member.id, story: id })),
  );
  if (members.length > 0)
    await execute(
      tx,
      statement`INSERT INTO strandline.story_items (discovery_id, story_id)
        SELECT id, story FROM json_to_recordset(${writeRows(members)}::json) r(id bigint, story bigint)
        ON CONFLICT (discovery_id) DO UPDATE SET story_id = excluded.story_id`,
    );
}

/**
 * Recounts the members, authors, sites and languages of stories.
 * @param reported the discovery that reports each, as it was settled
 */
export async function summarizeStories(
  tx: Transaction,
  groups: readonly { id: Id; topicId: Id }[],
  reported: ReadonlyMap<Id, Id>,
): Promise<void> {
  const rows = groups.map(({ id, topicId }) => ({
    id,
    topic_id: topicId,
    reported_id: reported.get(id) ?? null,
  }));
  await execute(
    tx,
    statement`INSERT INTO strandline.stories AS k
        (id, topic_id, first_at, last_at, origin_id, origin_at, members, things, authors, sources, languages, reported_id)
      SELECT u.id, u.topic_id, m.first_at, l.at, m.origin_id, m.origin_at, n.members, m.things + greatest(n.members - ${MAX_SUMMARIZED}, 0),
        m.authors, m.sources, m.languages, u.reported_id
      FROM json_to_recordset(${writeRows(rows)}::json) u(id bigint, topic_id bigint, reported_id bigint)
      CROSS JOIN LATERAL (
        SELECT count(*)::integer AS members, max(discovery_id) AS last FROM strandline.story_items WHERE story_id = u.id
      ) n
      CROSS JOIN LATERAL (SELECT at FROM strandline.discoveries WHERE id = n.last OFFSET 0) l
      CROSS JOIN LATERAL (
        SELECT min(d.at) AS first_at, count(DISTINCT coalesce(i.key, d.id::text))::integer AS things, count(DISTINCT i.author_id)::integer AS authors,
          count(DISTINCT split_part(split_part(i.key, '://', 2), '/', 1)) FILTER (WHERE i.key LIKE 'http%')::integer AS sources,
          coalesce(array_agg(DISTINCT i.lang ORDER BY i.lang) FILTER (WHERE i.lang <> ''), '{}') AS languages,
          (array_agg(d.id ORDER BY coalesce(i.published_at, d.at), d.id))[1] AS origin_id,
          (array_agg(coalesce(i.published_at, d.at) ORDER BY coalesce(i.published_at, d.at), d.id))[1] AS origin_at
        FROM (
          SELECT discovery_id FROM strandline.story_items WHERE story_id = u.id ORDER BY discovery_id LIMIT ${MAX_SUMMARIZED}
        ) s
        CROSS JOIN LATERAL (SELECT * FROM strandline.discoveries WHERE id = s.discovery_id OFFSET 0) d
        CROSS JOIN LATERAL (
          SELECT p.author_id, p.key, p.lang, p.created_at AS published_at FROM strandline.posts p WHERE d.kind = 'post' AND p.id = d.thing
          UNION ALL
          SELECT NULL, canonical, NULL, published_at FROM strandline.links WHERE d.kind = 'link' AND id = d.thing
        ) i
      ) m
      WHERE m.first_at IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET last_at = excluded.last_at, first_at = excluded.first_at, origin_id = excluded.origin_id,
        origin_at = excluded.origin_at, members = excluded.members, things = excluded.things,
        reported_id = excluded.reported_id, authors = excluded.authors, sources = excluded.sources,
        languages = excluded.languages`,
  );
}

/** @param reported the discovery that reports each story, as it was settled */
export async function writeReported(tx: Transaction, reported: ReadonlyMap<Id, Id>): Promise<void> {
  if (reported.size === 0) return;
  const ids = [...reported.keys()];
  const firstIds = [...reported.values()];
  await execute(
    tx,
    statement`UPDATE strandline.stories k SET reported_id = r.first FROM unnest(${ids}::bigint[], ${firstIds}::bigint[]) r(id, first)
      WHERE k.id = r.id AND k.reported_id IS DISTINCT FROM r.first`,
  );
}

/** Takes apart the stories that have these discoveries as members. @returns all their members */
export async function dissolveStories(tx: Transaction, discoveryIds: readonly Id[]): Promise<Id[]> {
  if (discoveryIds.length === 0) return [];
  await execute(
    tx,
    statement`DELETE FROM strandline.story_candidates WHERE discovery_id = ANY (${discoveryIds}::bigint[])`,
  );
  const members = await selectIds(
    tx,
    statement`WITH apart AS (
        SELECT DISTINCT story_id FROM strandline.story_items WHERE discovery_id = ANY (${discoveryIds}::bigint[])
      ), gone AS (
        DELETE FROM strandline.stories WHERE id IN (SELECT story_id FROM apart)
      )
      DELETE FROM strandline.story_items WHERE story_id IN (SELECT story_id FROM apart) RETURNING discovery_id AS id`,
  );
  await execute(
    tx,
    statement`DELETE FROM strandline.story_candidates WHERE discovery_id = ANY (${members}::bigint[])`,
  );
  return members;
}
