/** Sources of topics: what people added or switched off, and what responses said of each. */
import { givenRows } from '../db/batches.ts';
import type { Database, Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import type { topic_sources } from '../schema/topic-tables.ts';

export type TopicSourceRow = Omit<typeof topic_sources.$inferSelect, 'topic_id' | 'reported_at' | 'owner'>;

const COLUMNS = statement`s.id, s.kind, s.address, s.title, s.takes_all, s.is_on, s.added_at, s.added_by, s.read_at, s.entries, s.newest_at,
  s.failed_at, s.problem`;

/** In the order in which they were added. */
export async function listTopicSources(db: Queryable, topicId: Id): Promise<TopicSourceRow[]> {
  return rowsOf<TopicSourceRow>(
    db,
    statement`SELECT ${COLUMNS} FROM strandline.topic_sources s WHERE s.topic_id = ${topicId} ORDER BY s.id`,
  );
}

/** Sources of all topics that are not removed, with the slug of the topic. */
export async function listAllTopicSources(db: Queryable): Promise<(TopicSourceRow & { topic: string })[]> {
  return rowsOf<TopicSourceRow & { topic: string }>(
    db,
    statement`SELECT ${COLUMNS}, t.slug AS topic FROM strandline.topic_sources s JOIN strandline.topics t ON t.id = s.topic_id
      WHERE t.archived_at IS NULL ORDER BY t.slug, s.id`,
  );
}

/**
 * The sources that a request of a search names: sources of its topic that are on, and sources of the service that are
 * switched off. The service uses its other sources by itself.
 */
export async function listRequestSources(
  db: Queryable,
  searchId: Id,
): Promise<Pick<TopicSourceRow, 'id' | 'kind' | 'address' | 'takes_all'>[]> {
  return rowsOf<Pick<TopicSourceRow, 'id' | 'kind' | 'address' | 'takes_all'>>(
    db,
    statement`SELECT s.id, s.kind, s.address, s.takes_all FROM strandline.topic_sources s
      WHERE s.topic_id = (SELECT topic_id FROM strandline.searches WHERE id = ${searchId})
        AND s.is_on = (s.kind <> 'service') ORDER BY s.id`,
    'request_sources',
  );
}

export type NewTopicSource = Pick<TopicSourceRow, 'kind' | 'address' | 'title' | 'takes_all' | 'is_on'>;

/** @returns the new row; null if the topic has the address already */
export async function insertTopicSource(
  tx: Transaction,
  topicId: Id,
  source: NewTopicSource,
  { now, by }: { now: Date; by: string },
): Promise<TopicSourceRow | null> {
  const { rows } = await execute<TopicSourceRow>(
    tx,
    statement`INSERT INTO strandline.topic_sources AS s (topic_id, kind, address, title, takes_all, is_on, added_at, added_by)
      VALUES (${topicId}, ${source.kind}, ${source.address}, ${source.title}, ${source.takes_all}, ${source.is_on}, ${now}, ${by})
      ON CONFLICT (topic_id, address) DO NOTHING
      RETURNING ${COLUMNS}`,
  );
  return rows[0] ?? null;
}

export async function switchTopicSource(tx: Transaction, id: Id, isOn: boolean): Promise<void> {
  await execute(tx, statement`UPDATE strandline.topic_sources SET is_on = ${isOn} WHERE id = ${id}`);
}

/** Replaces what a person sets of a source. */
export async function updateTopicSource(
  tx: Transaction,
  id: Id,
  { kind, takes_all, is_on }: Pick<NewTopicSource, 'kind' | 'takes_all' | 'is_on'>,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.topic_sources SET kind = ${kind}, takes_all = ${takes_all}, is_on = ${is_on} WHERE id = ${id}`,
  );
}

export async function deleteTopicSource(tx: Transaction, id: Id): Promise<void> {
  await execute(tx, statement`DELETE FROM strandline.topic_sources WHERE id = ${id}`);
}

/** Of a topic that is removed: nothing is read for it any more. */
export async function deleteTopicSources(tx: Transaction, topicId: Id): Promise<void> {
  await execute(tx, statement`DELETE FROM strandline.topic_sources WHERE topic_id = ${topicId}`);
}

/** Copies the sources of one topic to another. */
export async function copyTopicSources(tx: Transaction, from: Id, toSlug: string): Promise<void> {
  await execute(
    tx,
    statement`INSERT INTO strandline.topic_sources (topic_id, kind, address, title, takes_all, is_on, added_at, added_by)
      SELECT t.id, s.kind, s.address, s.title, s.takes_all, s.is_on, s.added_at, s.added_by
      FROM strandline.topic_sources s CROSS JOIN strandline.topics t
      WHERE s.topic_id = ${from} AND t.slug = ${toSlug} ORDER BY s.id`,
  );
}

/** What a response said of a source. */
type SourceReport = {
  id: Id;
  isRead: boolean;
  title: string;
  entries: number;
  newestAt: Date | null;
  problem: string | null;
};

/**
 * Stores the report of a response, unless a later response was received: a late response changes nothing.
 * @param at when the response was received
 */
export async function saveSourceReports(
  { pool }: Database,
  searchId: Id,
  reports: readonly SourceReport[],
  at: Date,
): Promise<void> {
  const reported = givenRows('r', {
    id: ['bigint', reports.map(({ id }) => id)],
    is_read: ['boolean', reports.map(({ isRead }) => isRead)],
    title: ['text', reports.map(({ title }) => title)],
    entries: ['int', reports.map(({ entries }) => entries)],
    newest_at: ['timestamptz', reports.map(({ newestAt }) => newestAt)],
    problem: ['text', reports.map(({ problem }) => problem)],
  });
  await execute(
    pool,
    statement`UPDATE strandline.topic_sources s SET reported_at = ${at},
        title = CASE WHEN r.title = '' THEN s.title ELSE r.title END,
        read_at = CASE WHEN r.is_read THEN ${at} ELSE s.read_at END,
        entries = CASE WHEN r.is_read THEN r.entries ELSE s.entries END,
        newest_at = CASE WHEN r.is_read THEN r.newest_at ELSE s.newest_at END,
        failed_at = CASE WHEN r.is_read THEN s.failed_at ELSE ${at} END,
        problem = r.problem
      FROM ${reported}
      WHERE s.id = r.id AND s.topic_id = (SELECT topic_id FROM strandline.searches WHERE id = ${searchId})
        AND (s.reported_at IS NULL OR s.reported_at <= ${at})`,
    'save_source_reports',
  );
}

/** Keeps what a test said. */
export async function saveCheckedSource(
  { pool }: Database,
  id: Id,
  checked: {
    found: string;
    title: string;
    entries: number;
    newest: { at: string | null } | null;
    problem: string | null;
  },
  at: Date,
): Promise<void> {
  const { title, entries, newest, problem } = checked;
  const outcome =
    checked.found === 'none'
      ? statement`failed_at = ${at}`
      : statement`read_at = ${at}, entries = ${entries}, newest_at = ${newest?.at ?? null}`;
  await execute(
    pool,
    statement`UPDATE strandline.topic_sources
      SET title = CASE WHEN ${title} = '' THEN title ELSE ${title} END, problem = ${problem}, ${outcome}
      WHERE id = ${id}`,
  );
}
