/** Topics, and names of state changes shared by topics, searches, rules and channels. */

import { type Id, type Queryable, type Transaction, onlyRow } from '../db/database.ts';
import { execute, statement, verbatim } from '../db/statement.ts';
import type { topics } from '../schema/topic-tables.ts';
import { readNamed } from './former-slugs.ts';

/** A topic; its searches are in `searches.ts`. */
export type Topic = Pick<
  typeof topics.$inferSelect,
  'id' | 'slug' | 'name' | 'sample' | 'goal' | 'language' | 'created_at' | 'archived_at'
> & {
  /** Slug of the topic that continues its searches on another service. */
  successor: string | null;
};

const TOPIC_COLUMNS = `t.id, t.slug, t.name, t.sample, t.goal, t.language, t.created_at, t.archived_at,
  (SELECT s.slug FROM strandline.topics s WHERE s.id = t.successor_id) AS successor`;
const SELECT_TOPIC = `SELECT ${TOPIC_COLUMNS} FROM strandline.topics t`;

/** A topic by its slug or a former one. */
export async function findTopic(db: Queryable, slug: string): Promise<Topic | null> {
  return readNamed(db, { kind: 'topic', slug }, async (current) => {
    const { rows } = await execute<Topic>(db, statement`${verbatim(SELECT_TOPIC)} WHERE t.slug = ${current}`);
    return rows[0];
  });
}

/** Locks the topic's row: serializes new searches and changes of the topic. */
export async function lockTopic(tx: Transaction, slug: string): Promise<Topic | null> {
  return readNamed(tx, { kind: 'topic', slug }, async (current) => {
    const { rows } = await execute<Topic>(
      tx,
      statement`${verbatim(SELECT_TOPIC)} WHERE t.slug = ${current} FOR UPDATE OF t`,
    );
    return rows[0];
  });
}

export async function listTopics(db: Queryable): Promise<Topic[]> {
  const { rows } = await db.query<Topic>(`${SELECT_TOPIC} WHERE t.archived_at IS NULL ORDER BY t.slug`);
  return rows;
}

/** @returns the new or existing topic of this slug, even a removed one, with its row locked */
export async function ensureTopic(
  tx: Transaction,
  input: { slug: string; name: string; sample: boolean; now: Date },
): Promise<Topic> {
  const { rows } = await execute<Topic>(
    tx,
    statement`INSERT INTO strandline.topics AS t (slug, name, sample, created_at) VALUES (${input.slug}, ${input.name}, ${input.sample}, ${input.now})
    ON CONFLICT (slug) DO UPDATE SET archived_at = t.archived_at
    RETURNING ${verbatim(TOPIC_COLUMNS)}`,
  );
  return onlyRow(rows);
}

/** @returns whether it did: false if the slug is taken, even by a removed topic */
export async function insertTopic(
  tx: Transaction,
  { slug, name, now }: { slug: string; name: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await execute(
    tx,
    statement`INSERT INTO strandline.topics (slug, name, created_at) VALUES (${slug}, ${name}, ${now}) ON CONFLICT (slug) DO NOTHING`,
  );
  return rowCount === 1;
}

export async function archiveTopic(tx: Transaction, topicId: Id, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.topics SET archived_at = ${now} WHERE id = ${topicId} AND archived_at IS NULL`,
  );
}

/** Links a topic to its successor, which continues it. */
export async function setSuccessor(tx: Transaction, topicId: Id, successor: string): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.topics SET successor_id = (SELECT id FROM strandline.topics WHERE slug = ${successor}) WHERE id = ${topicId}`,
  );
}

/** @param language tag; null: none. The caller has locked the topic. */
export async function writeLanguage(tx: Transaction, topicId: Id, language: string | null): Promise<void> {
  await execute(tx, statement`UPDATE strandline.topics SET language = ${language} WHERE id = ${topicId}`);
}

/** Violates `topics_slug_key` if the slug is taken. */
export async function updateTopicNames(
  tx: Transaction,
  { id, name, slug }: Pick<Topic, 'id' | 'name' | 'slug'>,
): Promise<void> {
  await execute(tx, statement`UPDATE strandline.topics SET name = ${name}, slug = ${slug} WHERE id = ${id}`);
}

/** Manual state change of a topic, search, rule or channel. */
export type StateChange = 'pause' | 'resume' | 'remove';

/** Name in the audit log. */
export const CHANGE_RECORDED = { pause: 'paused', resume: 'resumed', remove: 'removed' } as const;

/** Resulting state of a rule or channel. */
export const STATE_AFTER = { pause: 'paused', resume: 'active' } as const;
