/**
 * Finds topics and searches by slug, which may be a former one, and runs by id. Results have the current slug. The refusal
 * of an unknown slug names the nearest slug; that of a new slug that is taken names its topic or search.
 */

import type { Context } from '../context.ts';
import { createNotFound, InvalidInput, Refused } from '../../model/errors.ts';
import { findNearestName } from '../../lib/nearest-name.ts';
import type { Database, Id, Queryable, Transaction } from '../../store/db/database.ts';
import { type NamedKind, readNamed } from '../../store/topics/former-slugs.ts';
import type { DataScope } from '../../store/queries/data-scope.ts';
import { readRun, type RunRow } from '../../store/queries/run-list.ts';
import { readSearch, readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import { readTopic, readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { findSearch, type Search } from '../../store/topics/searches.ts';
import { type LockedSearch, lockSearch } from '../../store/topics/search-states.ts';
import { findTopic, type Topic } from '../../store/topics/topics.ts';

/** Practically unlimited. */
const MAX_ROWS = 100_000;

/** A search by its slug, including removed ones, whose history stays. @throws Refused `not_found` */
export async function findSearchRow(db: Database, slug: string): Promise<SearchRow> {
  const row = await readNamed(db.pool, { kind: 'search', slug }, (current) => readSearch(db, current));
  return row ?? refuseUnknown('search', slug, (filter) => readSearches(db, filter));
}

/** A topic by its slug, including removed ones. @throws Refused `not_found` */
export async function findTopicRow(db: Database, slug: string): Promise<TopicRow> {
  const row = await readNamed(db.pool, { kind: 'topic', slug }, (current) => readTopic(db, current));
  return row ?? refuseUnknown('topic', slug, (filter) => readTopics(db, filter));
}

/** Suggests the nearest slug, if there is one. @throws Refused `not_found` */
async function refuseUnknown(
  kind: NamedKind,
  slug: string,
  read: (filter: { removed: true; limit: number }) => Promise<readonly { slug: string }[]>,
): Promise<never> {
  const all = await read({ removed: true, limit: MAX_ROWS });
  const near = findNearestName(
    slug,
    all.map((row) => row.slug),
  );
  const { message } = createNotFound(kind, slug);
  const words = near === undefined ? message : `${message} (did you mean ${near}?)`;
  throw new Refused('not_found', words, { missing: kind });
}

/** @returns its row @throws Refused `not_found`, or `conflict` if the search was removed */
export async function assertSearchNotRemoved(db: Database, slug: string): Promise<SearchRow> {
  return assertNotRemoved('search', await findSearchRow(db, slug));
}

/** @returns its row @throws Refused `not_found`, or `conflict` if the topic was removed */
export async function assertTopicNotRemoved(db: Database, slug: string): Promise<TopicRow> {
  return assertNotRemoved('topic', await findTopicRow(db, slug));
}

function assertNotRemoved<Row extends SlugOwner>(kind: NamedKind, row: Row): Row {
  if (row.archived_at === null) return row;
  const since = row.archived_at.toISOString().slice(0, 10);
  const words = `the ${kind} "${row.slug}" was removed on ${since}; its history is kept`;
  throw new Refused('conflict', words, { missing: kind });
}

export type RuleScope = { topic: string | null; search: string | null };

/** When the topic or search in the scope of a rule was removed; null unless it was. @throws Refused `not_found` */
export async function findScopeRemoval(db: Database, { topic, search }: RuleScope): Promise<Date | null> {
  if (topic === null) return null;
  const { archived_at } = search === null ? await findTopicRow(db, topic) : await findSearchRow(db, search);
  return archived_at;
}

/**
 * The scope of a read, with current slugs. Unknown slugs, which would otherwise return an empty list, are refused.
 * @throws Refused `not_found`
 */
export async function findScope(db: Database, { topic, search }: DataScope): Promise<DataScope> {
  return {
    search: search === undefined ? undefined : (await findSearchRow(db, search)).slug,
    topic: topic === undefined ? undefined : (await findTopicRow(db, topic)).slug,
  };
}

/**
 * All searches, those of a topic, or the named one. Removed searches are included on request, and if they or their removed
 * topic are named.
 * @throws InvalidInput
 */
export async function findSearches(
  db: Database,
  { topic, search }: DataScope,
  options: { removed?: true } = {},
): Promise<SearchRow[]> {
  if (search === undefined) {
    const isRemoved = async (slug: string) => ((await readTopic(db, slug))?.archived_at ?? null) !== null;
    const removed = options.removed ?? (topic !== undefined && (await isRemoved(topic)));
    return readSearches(db, { topic, removed, limit: MAX_ROWS });
  }
  const row = await readSearch(db, search);
  if (row !== undefined && topic !== undefined && row.topic !== topic)
    throw new InvalidInput([
      {
        path: 'search',
        given: search,
        expected: `a search of the topic "${topic}"; this one belongs to "${row.topic}"`,
      },
    ]);
  return row === undefined ? [] : [row];
}

/** @throws Refused `not_found` */
export async function findRunRow(db: Database, id: Id): Promise<RunRow> {
  const run = await readRun(db, id);
  if (run === undefined) throw createNotFound('run', id);
  return run;
}

/** A search that is not removed. @throws Refused `not_found` */
export async function requireSearch(db: Queryable, slug: string): Promise<Search> {
  const search = await findSearch(db, slug);
  if (search === null || search.archived_at !== null) throw createNotFound('search', slug);
  return search;
}

/** A topic that is not removed. @throws Refused `not_found` */
export async function requireTopic(db: Queryable, slug: string): Promise<Topic> {
  const topic = await findTopic(db, slug);
  if (topic === null || topic.archived_at !== null) throw createNotFound('topic', slug);
  return topic;
}

/** Locks a search with the row lock that the scan takes: nobody else changes it until the transaction ends. */
export async function lockSearchBySlug(tx: Transaction, slug: string): Promise<LockedSearch> {
  const { id } = await requireSearch(tx, slug);
  const locked = await lockSearch(tx, id);
  if (locked === null || locked.archived_at !== null) throw createNotFound('search', slug);
  return locked;
}

/** The owner of a slug that is not free. */
type SlugOwner = { slug: string; archived_at: Date | null };

/** A slug in use, or of something removed, which keeps its history. */
export function createTaken(
  owner: SlugOwner & ({ kind: 'topic'; name: string } | { kind: 'search'; topic: string }),
): Refused {
  const { kind, slug, archived_at } = owner;
  const what = owner.kind === 'search' ? `in the topic "${owner.topic}"` : `"${owner.name}"`;
  const next = suggestSlug(kind, slug);
  const taken =
    archived_at === null
      ? `already exists (${what}); choose another slug, such as ${next}`
      : `was removed on ${archived_at.toISOString().slice(0, 10)} and keeps its history under this slug; ` +
        `choose another slug, such as ${next}, or delete its history first: strandline ${kind} remove ${slug} --purge`;
  return new Refused('conflict', `the ${kind} "${slug}" ${taken}`);
}

/** Commands that create a topic derive its slug, so they need the option. */
function suggestSlug(kind: NamedKind, slug: string): string {
  const next = `${slug.slice(0, 61)}-2`;
  return kind === 'topic' ? `${next} (--slug ${next})` : next;
}

/** Whether calls of a search are known to cost nothing. @throws Refused `not_found` */
export async function isFreeSearch(
  { db, isFree }: Pick<Context, 'db' | 'isFree'>,
  slug: string,
): Promise<boolean> {
  return isFree((await findSearchRow(db, slug)).service_kind);
}
