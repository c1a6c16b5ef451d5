/** Finds topics and searches by slug, and runs by id. An unknown slug is refused with the nearest known one. */

import { InvalidInput, Refused } from '../../domain/errors.ts';
import { findNearestName } from '../../domain/nearest-name.ts';
import type { Database, Id, Transaction } from '../../store/database.ts';
import { readRun, type RunRow } from '../../store/queries/run-list.ts';
import { readSearch, readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import { readTopic, readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { findSearch, type Reader, type Search } from '../../store/searches.ts';
import { type LockedSearch, lockSearch } from '../../store/slots.ts';

/** Practically unlimited. */
const MAX_ROWS = 100_000;

/** A search by its slug, including removed ones, whose history stays. @throws Refused `not_found` */
export async function findSearchRow(db: Database, slug: string): Promise<SearchRow> {
  const row = await readSearch(db, slug);
  if (row === undefined) {
    const all = await readSearches(db, { removed: true, limit: MAX_ROWS });
    throw createNotFound('search', slug, all);
  }
  return row;
}

/** @throws Refused `not_found`, or `conflict` if the search was removed */
export async function assertSearchNotRemoved(db: Database, slug: string): Promise<void> {
  const { archived_at } = await findSearchRow(db, slug);
  if (archived_at !== null) throw createRemovedConflict('search', slug, archived_at);
}

/** @throws Refused `not_found`, or `conflict` if the topic was removed */
export async function assertTopicNotRemoved(db: Database, slug: string): Promise<void> {
  const { archived_at } = await findTopicRow(db, slug);
  if (archived_at !== null) throw createRemovedConflict('topic', slug, archived_at);
}

/** Suggests the nearest slug, if there is one. */
function createNotFound(what: 'search' | 'topic', slug: string, all: readonly { slug: string }[]): Refused {
  const near = findNearestName(
    slug,
    all.map((row) => row.slug),
  );
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`;
  return new Refused('not_found', `there is no ${what} "${slug}"${meant}`);
}

function createRemovedConflict(what: 'search' | 'topic', slug: string, at: Date): Refused {
  const since = at.toISOString().slice(0, 10);
  return new Refused('conflict', `the ${what} "${slug}" was removed on ${since}; its history is kept`);
}

/** A topic by its slug, including removed ones. @throws Refused `not_found` */
export async function findTopicRow(db: Database, slug: string): Promise<TopicRow> {
  const row = await readTopic(db, slug);
  if (row === undefined) {
    const all = await readTopics(db, { removed: true, limit: MAX_ROWS });
    throw createNotFound('topic', slug, all);
  }
  return row;
}

/** Refuses filters by unknown slugs, which would otherwise return an empty list. @throws Refused `not_found` */
export async function assertFilterExists(
  db: Database,
  { topic, search }: { topic?: string | undefined; search?: string | undefined },
): Promise<void> {
  if (search !== undefined) await findSearchRow(db, search);
  if (topic !== undefined) await findTopicRow(db, topic);
}

/** The searches of a topic, or the named one. Removed searches are included only if named. @throws Refused, InvalidInput */
export async function findSearches(
  db: Database,
  { topic, search }: { topic: string | undefined; search: string | undefined },
): Promise<SearchRow[]> {
  await assertFilterExists(db, { topic, search });
  if (search === undefined) return readSearches(db, { topic, limit: MAX_ROWS });
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
  if (run === undefined) throw new Refused('not_found', `there is no run ${id}`);
  return run;
}

/** A search that is not removed. @throws Refused `not_found` */
export async function requireSearch(db: Reader, slug: string): Promise<Search> {
  const search = await findSearch(db, slug);
  if (search === null || search.archived_at !== null) throw createSearchNotFound(slug);
  return search;
}

/** Locks a search with the row lock that the scan takes: nobody else changes it until the transaction ends. */
export async function lockSearchBySlug(tx: Transaction, slug: string): Promise<LockedSearch> {
  const { id } = await requireSearch(tx, slug);
  const locked = await lockSearch(tx, id);
  if (locked === null || locked.archived_at !== null) throw createSearchNotFound(slug);
  return locked;
}

export function createSearchNotFound(slug: string): Refused {
  return new Refused('not_found', `there is no search "${slug}"`);
}

/** Slugs of removed topics are never reused. */
export function createTopicRemoved(slug: string, at: Date): Refused {
  const since = at.toISOString().slice(0, 10);
  return new Refused(
    'conflict',
    `the topic "${slug}" was removed on ${since} and keeps its history under this slug; choose another slug, such as ${slug.slice(0, 61)}-2`,
  );
}
