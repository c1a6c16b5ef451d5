import { readNamed } from './former-slugs.ts';
import type { Operation } from '../../model/enumerations.ts';
import { type Database, type Id, type Queryable, type Transaction, onlyRow } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';
import type { search_versions, searches } from '../schema/topic-tables.ts';
import type { Sensitivity, ServiceKind } from '../../model/closed-lists.ts';
import { type ScheduleColumns, setAdaptiveDue } from './search-states.ts';

/** What a search asks for, as stored. */
export type RequestColumns = Pick<
  typeof search_versions.$inferSelect,
  'prompt' | 'tools' | 'model' | 'date_filter' | 'streaming' | 'extra'
>;

/** A version of a search. */
export type Definition = RequestColumns & ScheduleColumns;

/** A saved search with its current version. */
export type Search = Definition &
  Pick<
    typeof searches.$inferSelect,
    | 'id'
    | 'slug'
    | 'topic_id'
    | 'service_id'
    | 'operation'
    | 'version'
    | 'labels'
    | 'sensitivity'
    | 'state'
    | 'state_reason'
    | 'state_since'
    | 'created_at'
    | 'archived_at'
  > & {
    topic: string;
    service: string;
    service_kind: ServiceKind;
    request_version: number;
    /** Of a fixed or an adaptive schedule. */
    next_due_at: Date | null;
  };

const SELECT_SEARCH = statement`
  SELECT s.id, s.slug, s.topic_id, t.slug AS topic, s.service_id, sv.name AS service, sv.kind AS service_kind, s.operation,
    s.version, v.request_version, v.prompt, v.tools, v.model, v.date_filter, v.streaming, v.extra, v.cron, v.every_seconds, v.auto, v.tz,
    s.labels, s.sensitivity, s.state, s.state_reason, s.state_since, coalesce(s.next_due_at, p.due_at) AS next_due_at, s.created_at, s.archived_at
  FROM strandline.searches s
  JOIN strandline.topics t ON t.id = s.topic_id
  JOIN strandline.services sv ON sv.id = s.service_id
  JOIN strandline.search_versions v ON v.search_id = s.id AND v.version = s.version
  LEFT JOIN strandline.search_pace p ON p.search_id = s.id`;

/** A search by its slug or a former one. */
export async function findSearch(db: Queryable, slug: string): Promise<Search | null> {
  return readNamed(db, { kind: 'search', slug }, async (current) => {
    const { rows } = await execute<Search>(db, statement`${SELECT_SEARCH} WHERE s.slug = ${current}`);
    return rows[0];
  });
}

/** Searches that are not archived, of one topic or of all, by topic and slug. */
export async function listSearches(db: Queryable, topicId?: Id): Promise<Search[]> {
  const isOfTopic = topicId === undefined ? statement`true` : statement`s.topic_id = ${topicId}`;
  return rowsOf<Search>(
    db,
    statement`${SELECT_SEARCH} WHERE s.archived_at IS NULL AND ${isOfTopic} ORDER BY t.slug, s.slug`,
  );
}

/** Whether anything is watched. */
export async function hasSearches(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM strandline.searches WHERE archived_at IS NULL LIMIT 1');
  return rowCount === 1;
}

/** Whether any topic that is watched was not created by the program. */
export async function hasOwnTopics(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id
     WHERE s.archived_at IS NULL AND NOT t.sample LIMIT 1`,
  );
  return rowCount === 1;
}

/**
 * Inserts a new search with its first version and state.
 * Violates `searches_slug_key` if the slug is taken.
 * @param input.topicId of a topic that is locked
 */
export async function insertSearch(
  tx: Transaction,
  input: {
    slug: string;
    topicId: Id;
    serviceId: Id;
    operation: Operation;
    labels: string[];
    /** Default: `normal`. */
    sensitivity?: Sensitivity;
    definition: Definition;
    nextDueAt: Date;
    now: Date;
  },
): Promise<Id> {
  const { slug, topicId, serviceId, operation, labels, definition, nextDueAt, now } = input;
  const { sensitivity = 'normal' } = input;
  const isAdaptive = definition.auto !== null;
  const ids = await selectIds(
    tx,
    statement`INSERT INTO strandline.searches (slug, topic_id, service_id, operation, version, labels, sensitivity,
        state, state_since, created_at, adaptive, next_due_at)
      VALUES (${slug}, ${topicId}, ${serviceId}, ${operation}, 1, ${labels}, ${sensitivity},
        'active', ${now}, ${now}, ${isAdaptive}, ${isAdaptive ? null : nextDueAt})
      RETURNING id`,
  );
  const id = onlyRow(ids);
  await insertVersion(tx, { searchId: id, version: 1, requestVersion: 1, definition, now });
  await setAdaptiveDue(tx, id, nextDueAt);
  await execute(
    tx,
    statement`INSERT INTO strandline.search_states (search_id, state, began_at) VALUES (${id}, 'active', ${now})`,
  );
  return id;
}

export async function insertVersion(
  tx: Transaction,
  input: { searchId: Id; version: number; requestVersion: number; definition: Definition; now: Date },
): Promise<void> {
  const d = input.definition;
  await execute(
    tx,
    statement`INSERT INTO strandline.search_versions (search_id, version, request_version, created_at,
        prompt, tools, model, date_filter, streaming, extra, cron, every_seconds, auto, tz)
      VALUES (${input.searchId}, ${input.version}, ${input.requestVersion}, ${input.now},
        ${d.prompt}, ${d.tools}, ${d.model}, ${d.date_filter}, ${d.streaming}, ${d.extra}, ${d.cron}, ${d.every_seconds}, ${d.auto}, ${d.tz})`,
  );
}

/** Sets the current version, and the fields of a search outside its versions. */
export async function setVersion(
  tx: Transaction,
  searchId: Id,
  version: number,
  { labels, sensitivity }: Pick<Search, 'labels' | 'sensitivity'>,
  nextDueAt: Date | null,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.searches s SET version = ${version}, labels = ${labels}, sensitivity = ${sensitivity}, adaptive = v.auto IS NOT NULL,
      next_due_at = CASE WHEN v.auto IS NULL THEN ${nextDueAt}::timestamptz END
    FROM strandline.search_versions v WHERE s.id = ${searchId} AND v.search_id = ${searchId} AND v.version = ${version}`,
  );
  await setAdaptiveDue(tx, searchId, nextDueAt);
}

/** Violates `searches_slug_key` if the slug is taken. */
export async function updateSearchSlug(tx: Transaction, searchId: Id, slug: string): Promise<void> {
  await execute(tx, statement`UPDATE strandline.searches SET slug = ${slug} WHERE id = ${searchId}`);
}

export async function archiveSearch(tx: Transaction, searchId: Id, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.searches SET archived_at = ${now}, next_due_at = NULL, paused_until = NULL, topic_paused_until = NULL,
    all_paused_until = NULL WHERE id = ${searchId}`,
  );
  await setAdaptiveDue(tx, searchId, null);
}

/** Active searches of a service, to stop when its key is rejected. */
export async function listActiveSearches(db: Database, serviceId: Id): Promise<Id[]> {
  return selectIds(
    db.pool,
    statement`SELECT id FROM strandline.searches WHERE service_id = ${serviceId} AND state = 'active' AND archived_at IS NULL ORDER BY id`,
  );
}
