/**
 * The items of topics that are one thing (`model/copies.ts`), read from what is stored, and which discovery reports a thing.
 *
 * `discoveries.first_in_topic` is true for one discovery of each thing that a topic has reported. The save sets it; whatever
 * joins or separates things later corrects it here ({@link settleThings}).
 */
import { z } from 'zod';
import { groupCopies } from '../../model/copies.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import { LOCK_FEED } from '../save/save-sql.ts';
import type { FormerKeys } from '../save/save-facts.ts';
import { POST_KEY_SQL, type TopicItem } from '../save/topic-items.ts';

/** Maximum posts with one text that are read, the oldest first. Further posts are not counted. */
export const MAX_COPIES = 500;

/** A discovery of a post or link in its topic. */
export type Member = TopicItem & {
  /** Of the discovery. */
  id: Id;
  kind: 'post' | 'link';
  thing: Id;
  authorId: Id | null;
  searchId: Id;
  firstInTopic: boolean;
  baseline: boolean;
  late: boolean;
  /** Whether something in the topic reported its link identity. */
  reported: boolean;
  /** Whether a person said that it is not relevant for the topic. */
  dismissed: boolean;
};

/** How often a topic has a thing. */
export type Copies = {
  /** Distinct items, itself included: a post, the links to it and its copies in other services are one. */
  copies: number;
  /** Distinct known authors of these items; null if none is known. */
  authors: number | null;
  /** Whether there may be more of both: only so many copies are counted. */
  copies_at_least: boolean;
};

/** `Copies` in replies of the API. */
export const COPIES_SHAPE = {
  copies: z
    .int()
    .describe(
      'How often the topic has it, itself included: posts with the same text and items with the same address are copies.',
    ),
  authors: z.int().nullable().describe('Distinct authors of the copies. Null if unknown.'),
  copies_at_least: z.boolean().describe('True if there may be more copies and authors.'),
};

/** A discovery of something that has no copies: a spike, a completion, or an item that was deleted in the meantime. */
export const ONE_COPY: Copies = { copies: 1, authors: null, copies_at_least: false };

/** What one thing is in a topic. */
export type Thing = Copies & {
  /** The discovery that reported it: its first member, also after it was joined with another. */
  id: Id;
  /** In the order of their discovery. An item has a discovery for each search that found it. */
  members: readonly Member[];
};

/** Whether a post or link `i` was found in the topic of `n`. */
const inTopicSql = (kind: 'post' | 'link', id: string) =>
  verbatim(`EXISTS (
  SELECT FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
  WHERE d.kind = '${kind}' AND d.thing = ${id} AND s.topic_id = n.topic_id OFFSET 0)`);

/** The members of the things of some items, in groups. */
export async function readGroups(db: Queryable, items: readonly TopicItem[]): Promise<Member[][]> {
  if (items.length === 0) return [];
  const topicIds = items.map(({ topicId }) => topicId);
  const keys = items.map(({ key }) => key);
  const textKeys = items.map(({ textKey }) => textKey);
  // Follows link identities to texts and texts to link identities until nothing new is found. Each identity and each text is read
  // once, however many items have it.
  const { rows } = await execute<Member>(
    db,
    statement`WITH RECURSIVE names(topic_id, key, text_key) AS (
        SELECT u.topic_id, k.key, k.text_key
        FROM unnest(${topicIds}::bigint[], ${keys}::text[], ${textKeys}::bigint[]) u(topic_id, key, text_key)
        CROSS JOIN LATERAL (VALUES (u.key, NULL::bigint), (NULL::text, u.text_key)) k(key, text_key)
        WHERE k.key IS NOT NULL OR k.text_key IS NOT NULL
        UNION
        SELECT n.topic_id, f.key, f.text_key FROM names n CROSS JOIN LATERAL (
          SELECT c.key, NULL::bigint AS text_key FROM (
            SELECT p.key FROM strandline.posts p WHERE p.text_key = n.text_key AND ${inTopicSql('post', 'p.id')}
            ORDER BY p.text_key, p.id LIMIT ${verbatim(MAX_COPIES)}
          ) c
          UNION ALL
          SELECT NULL, p.text_key FROM strandline.posts p
          WHERE p.key = n.key AND p.text_key IS NOT NULL AND ${inTopicSql('post', 'p.id')}
        ) f WHERE f.key IS NOT NULL OR f.text_key IS NOT NULL
      )
      SELECT n.topic_id AS "topicId", n.key, i.text_key AS "textKey", d.id, i.kind, i.id AS thing, i.author_id AS "authorId",
        d.search_id AS "searchId", d.first_in_topic AS "firstInTopic", d.baseline, d.late,
        coalesce((SELECT reported FROM strandline.topic_items WHERE topic_id = n.topic_id AND key = n.key), false) AS reported,
        EXISTS (SELECT FROM strandline.topic_items WHERE topic_id = n.topic_id AND key = n.key AND dismissed_at IS NOT NULL) AS dismissed
      FROM names n CROSS JOIN LATERAL (
        SELECT 'post' AS kind, id, text_key, author_id FROM strandline.posts WHERE key = n.key
        UNION ALL SELECT 'link', id, NULL, NULL FROM strandline.links WHERE canonical = n.key
      ) i
      JOIN LATERAL (
        SELECT d.* FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
        WHERE d.kind = i.kind AND d.thing = i.id AND s.topic_id = n.topic_id OFFSET 0
      ) d ON true
      WHERE n.key IS NOT NULL ORDER BY d.id`,
  );
  return [...groupBy(rows, ({ topicId }) => topicId).values()].flatMap(groupCopies);
}

/** Names an item of a topic in memory. */
export const nameTopicItem = ({ topicId, key }: Pick<TopicItem, 'topicId' | 'key'>) => `${topicId} ${key}`;

/**
 * Finds the thing of each item, in one statement that uses indexes. Its time grows with the number of copies.
 * @returns the thing of each item by {@link nameTopicItem}; none for an item that its topic has not found
 */
export async function readThings(db: Queryable, items: readonly TopicItem[]): Promise<Map<string, Thing>> {
  const things = new Map<string, Thing>();
  for (const members of await readGroups(db, items)) {
    const thing = describeThing(members);
    if (thing !== null) for (const member of members) things.set(nameTopicItem(member), thing);
  }
  return things;
}

/** The things of discoveries of posts and links, by discovery. */
export async function readThingsOfDiscoveries(
  db: Queryable,
  discoveryIds: readonly Id[],
): Promise<Map<Id, Thing>> {
  return readThingsByDiscovery(db, await readTopicItems(db, discoveryIds));
}

/** {@link readThingsOfDiscoveries} for discoveries whose items are known. */
export async function readThingsByDiscovery(
  db: Queryable,
  items: readonly (TopicItem & { id: Id })[],
): Promise<Map<Id, Thing>> {
  const things = await readThings(db, items);
  return new Map(
    items.flatMap((item) => {
      const thing = things.get(nameTopicItem(item));
      return thing === undefined ? [] : [[item.id, thing] as const];
    }),
  );
}

/** The items of discoveries of posts and links. */
export async function readTopicItems(
  db: Queryable,
  discoveryIds: readonly Id[],
): Promise<(TopicItem & { id: Id })[]> {
  if (discoveryIds.length === 0) return [];
  // Posts and links of discoveries.
  return await rowsOf<TopicItem & { id: Id }>(
    db,
    statement`SELECT d.id, s.topic_id AS "topicId", i.key, i.text_key AS "textKey"
      FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
      CROSS JOIN LATERAL (
        SELECT ${verbatim(POST_KEY_SQL)} AS key, text_key FROM strandline.posts p WHERE d.kind = 'post' AND p.id = d.thing
        UNION ALL SELECT canonical, NULL FROM strandline.links WHERE d.kind = 'link' AND id = d.thing
      ) i WHERE d.id = ANY (${discoveryIds}::bigint[])`,
  );
}

/**
 * Posts in the topics that found them, under their current and their former keys: a post joins the things of its current keys,
 * and leaves the things of its former keys.
 */
export async function readRenamedItems(tx: Transaction, posts: readonly FormerKeys[]): Promise<TopicItem[]> {
  if (posts.length === 0) return [];
  const ids = posts.map(({ id }) => id);
  const keys = posts.map(({ key }) => key);
  const textKeys = posts.map(({ textKey }) => textKey);
  return rowsOf<TopicItem>(
    tx,
    statement`SELECT DISTINCT s.topic_id AS "topicId", n.key, n.text_key AS "textKey"
      FROM unnest(${ids}::bigint[], ${keys}::text[], ${textKeys}::bigint[]) f(id, key, text_key)
      JOIN strandline.posts p ON p.id = f.id
      JOIN strandline.discoveries d ON d.kind = 'post' AND d.thing = p.id JOIN strandline.searches s ON s.id = d.search_id
      CROSS JOIN LATERAL (
        VALUES (${verbatim(POST_KEY_SQL)}, p.text_key), (coalesce(f.key, ${verbatim(POST_KEY_SQL)}), f.text_key)
      ) n(key, text_key)
      WHERE (f.key, f.text_key) IS DISTINCT FROM (p.key, p.text_key)`,
  );
}

/** Adds to each discovery how many copies of its item the topic has. */
export async function addCopies<Row extends { id: Id; kind: string }>(
  db: Queryable,
  rows: readonly Row[],
): Promise<(Row & Copies)[]> {
  const itemIds = rows.filter(({ kind }) => kind === 'post' || kind === 'link').map(({ id }) => id);
  const byId = await readThingsOfDiscoveries(db, itemIds);
  return rows.map((row) => {
    const { copies, authors, copies_at_least } = byId.get(row.id) ?? ONE_COPY;
    return { ...row, copies, authors, copies_at_least };
  });
}

function describeThing(members: readonly Member[]): Thing | null {
  const first = members.find(({ firstInTopic }) => firstInTopic) ?? members[0];
  if (first === undefined) return null;
  const authors = new Map<string, Id>();
  const texts = new Map<Id, Set<Id>>();
  for (const { key, authorId, textKey, thing } of members) {
    if (authorId !== null) authors.set(key, authors.get(key) ?? authorId);
    if (textKey !== null) texts.set(textKey, (texts.get(textKey) ?? new Set()).add(thing));
  }
  return {
    id: first.id,
    copies: new Set(members.map(({ key }) => key)).size,
    authors: new Set(authors.values()).size || null,
    copies_at_least: [...texts.values()].some(({ size }) => size >= MAX_COPIES),
    members,
  };
}

/** The member that reports the thing; undefined if the topic has not reported it. @param members in the order of their discovery */
export function chooseFirst(members: readonly Member[]): Member | undefined {
  return (
    members.find(({ firstInTopic }) => firstInTopic) ??
    members.find(({ baseline }) => !baseline) ??
    members.find(({ reported }) => reported)
  );
}

/** @param first whether these discoveries are first in their topics */
export async function markFirst(tx: Transaction, discoveryIds: readonly Id[], first: boolean): Promise<void> {
  if (discoveryIds.length === 0) return;
  await execute(
    tx,
    statement`UPDATE strandline.discoveries SET first_in_topic = ${first} WHERE id = ANY (${discoveryIds}::bigint[]) AND first_in_topic <> ${first}`,
  );
}

/**
 * Makes the oldest reported discovery of each thing the only one that is first in its topic, after items were joined or
 * taken apart. Reports nothing: a discovery that becomes first is behind the cursors of channels, or new to them. A
 * discovery that becomes a copy is removed from waiting messages that have the thing already. Holds the feed's lock until
 * the transaction ends.
 */
export async function settleThings(tx: Transaction, items: readonly TopicItem[]): Promise<void> {
  if (items.length === 0) return;
  await tx.query(LOCK_FEED);
  const first: Id[] = [];
  const repeated: { id: Id; first: Id }[] = [];
  for (const members of await readGroups(tx, items)) {
    const next = chooseFirst(members);
    if (next === undefined) continue;
    first.push(next.id);
    repeated.push(
      ...members.flatMap(({ id, firstInTopic }) =>
        firstInTopic && id !== next.id ? [{ id, first: next.id }] : [],
      ),
    );
  }
  const ids = repeated.map(({ id }) => id);
  const firstIds = repeated.map((item) => item.first);
  await markFirst(tx, first, true);
  await markFirst(tx, ids, false);
  if (repeated.length > 0)
    // Only from messages that are not composed yet, if another message to the channel has the thing.
    await execute(
      tx,
      statement`DELETE FROM strandline.delivery_discoveries x
        USING strandline.deliveries m, unnest(${ids}::bigint[], ${firstIds}::bigint[]) r(id, first)
        WHERE x.discovery_id = r.id AND m.id = x.delivery_id AND m.state = 'gathering' AND m.body IS NULL
          AND EXISTS (SELECT FROM strandline.delivery_discoveries o WHERE o.channel_id = x.channel_id AND o.discovery_id = r.first)`,
    );
}
