/**
 * What is one thing with an item of a topic: the items of its story (`model/stories.ts`), and those of its link identity, whenever
 * they were found. Read from what is stored, by indexes; the oldest members of a story come first.
 */
import { z } from 'zod';
import type { Id, Queryable } from '../db/database.ts';
import { rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import { POST_KEY_SQL } from '../save/topic-items.ts';
import { MAX_SUMMARIZED } from './write-stories.ts';

/** How often a topic has a thing. */
export type Copies = {
  /** Distinct things of its story, itself included: a post, the links to it and its copies in other services are one. */
  copies: number;
  /** Distinct known authors; null if none is known. */
  authors: number | null;
  /** Whether there may be more of both: only so many members are counted. */
  copies_at_least: boolean;
  /** Null: it is in no story. */
  story_id: Id | null;
};

/** `Copies` in replies of the API. */
export const COPIES_SHAPE = {
  copies: z
    .int()
    .describe(
      'How often the topic has it, itself included: posts and links that say the same thing are one story, and are counted by their addresses.',
    ),
  authors: z.int().nullable().describe('Distinct authors of the story. Null if unknown.'),
  copies_at_least: z.boolean().describe('True if there may be more copies and authors.'),
  story_id: z
    .string()
    .nullable()
    .describe('The story: see `listStoryItems`. Null if nothing else in the topic says the same.'),
};

/** A discovery of something that has no copies: a spike, a completion, or an item that was deleted in the meantime. */
export const ONE_COPY: Copies = { copies: 1, authors: null, copies_at_least: false, story_id: null };

/** Posts and links of discoveries, as a table (id, topic_id, kind, thing) after FROM; other discoveries are left out. */
export const itemsOfDiscoveries = (ids: readonly Id[]): Statement => statement`(
  SELECT d.id, s.topic_id, d.kind, d.thing FROM unnest(${ids}::bigint[]) a(id)
  CROSS JOIN LATERAL (SELECT * FROM strandline.discoveries WHERE id = a.id AND kind IN ('post', 'link') OFFSET 0) d
  CROSS JOIN LATERAL (SELECT topic_id FROM strandline.searches WHERE id = d.search_id OFFSET 0) s
)`;

/**
 * After FROM: the first discovery of an item in a topic, as `f(id)`, by which stories know the item. Null if it has none.
 * @param item alias of a row with `kind` and `thing` @param topicId column of the topic
 */
const firstDiscoveryOf = (item: string, topicId: string): string => `(
    SELECT min(o.id) AS id FROM strandline.discoveries o JOIN strandline.searches os ON os.id = o.search_id
    WHERE o.kind = ${item}.kind AND o.thing = ${item}.thing AND os.topic_id = ${topicId} OFFSET 0
  ) f`;
/** Of an item `u` (topic_id, kind, thing). */
export const FIRST_DISCOVERY = verbatim(firstDiscoveryOf('u', 'u.topic_id'));
/** Of the item of a discovery `d` of a search `s`. */
export const FIRST_OF_DISCOVERY = verbatim(firstDiscoveryOf('d', 's.topic_id'));

/** The key of an item `x` (kind, thing). */
export const KEY_OF_ITEM = verbatim(`CASE x.kind
  WHEN 'post' THEN (SELECT ${POST_KEY_SQL} FROM strandline.posts p WHERE p.id = x.thing)
  ELSE (SELECT canonical FROM strandline.links WHERE id = x.thing) END`);

/** After FROM: what is one thing with an item `u` (topic_id, kind, thing) of the outer statement, as `x` (kind, thing). */
export const ITEMS_OF_THING = verbatim(`(
    SELECT ${POST_KEY_SQL} AS key FROM strandline.posts p WHERE u.kind = 'post' AND p.id = u.thing
    UNION ALL SELECT canonical FROM strandline.links WHERE u.kind = 'link' AND id = u.thing
  ) k
  CROSS JOIN LATERAL (
    SELECT u.kind, u.thing
    UNION ALL SELECT 'post', id FROM strandline.posts WHERE key = k.key
    UNION ALL SELECT 'link', id FROM strandline.links WHERE canonical = k.key
    UNION ALL SELECT m.kind, m.thing FROM ${FIRST_DISCOVERY.write(String)}
    JOIN strandline.story_items a ON a.discovery_id = f.id
    JOIN LATERAL (
      SELECT discovery_id FROM strandline.story_items WHERE story_id = a.story_id ORDER BY story_id, discovery_id OFFSET 0
    ) b ON true
    CROSS JOIN LATERAL (SELECT kind, thing FROM strandline.discoveries WHERE id = b.discovery_id OFFSET 0) m
  ) x`);

/** {@link ITEMS_OF_THING} with the discoveries `o` of these items in the topic. An item may be listed twice. */
export const DISCOVERIES_OF_THING = verbatim(`${ITEMS_OF_THING.write(String)}
  CROSS JOIN LATERAL (
    SELECT d.* FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
    WHERE d.kind = x.kind AND d.thing = x.thing AND s.topic_id = u.topic_id OFFSET 0
  ) o`);

/** The stories of discoveries of posts and links, by discovery. */
export async function readCopies(db: Queryable, discoveryIds: readonly Id[]): Promise<Map<Id, Copies>> {
  if (discoveryIds.length === 0) return new Map();
  const rows = await rowsOf<{
    id: Id;
    story_id: Id | null;
    copies: number;
    authors: number;
    members: number;
  }>(
    db,
    statement`SELECT u.id, t.id AS story_id, coalesce(t.things, 1) AS copies, coalesce(t.members, 1) AS members,
        coalesce(t.authors, (SELECT count(author_id)::int FROM strandline.posts WHERE u.kind = 'post' AND id = u.thing)) AS authors
      FROM ${itemsOfDiscoveries(discoveryIds)} u
      CROSS JOIN LATERAL ${FIRST_DISCOVERY}
      LEFT JOIN strandline.story_items i ON i.discovery_id = f.id
      LEFT JOIN strandline.stories t ON t.id = i.story_id`,
  );
  return new Map(
    rows.map(({ id, story_id, copies, authors, members }) => [
      id,
      {
        copies,
        authors: authors === 0 ? null : authors,
        copies_at_least: members > MAX_SUMMARIZED,
        story_id,
      },
    ]),
  );
}

/** Adds to each discovery how many copies of its item the topic has. */
export async function addCopies<Row extends { id: Id; kind: string }>(
  db: Queryable,
  rows: readonly Row[],
): Promise<(Row & Copies)[]> {
  const byId = await readCopies(
    db,
    rows.filter(({ kind }) => kind === 'post' || kind === 'link').map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, ...(byId.get(row.id) ?? ONE_COPY) }));
}
