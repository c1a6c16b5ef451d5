/** Topics and searches by name, as whoever names one means it: what is not there is refused with the nearest name. Runs by id. */

import { InvalidInput, Refused } from '../../domain/errors.ts';
import { findNearestName } from '../../domain/nearest-name.ts';
import type { Database, Id, Transaction } from '../../store/database.ts';
import { readRun, type RunRow } from '../../store/queries/run-list.ts';
import { readSearch, readSearches, type SearchRow } from '../../store/queries/search-list.ts';
import { readTopic, readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { findSearch, type Reader, type Search } from '../../store/searches.ts';
import { type LockedSearch, lockSearch } from '../../store/slots.ts';

/** More searches than anybody has. */
const MAX_ROWS = 100_000;

/** A search by its slug, also a removed one: its history stays. @throws Refused `not_found` */
export async function findSearchRow(db: Database, slug: string): Promise<SearchRow> {
  const row = await readSearch(db, slug);
  if (row === undefined) {
    const all = await readSearches(db, { removed: true, limit: MAX_ROWS });
    throw createNotFound('search', slug, all);
  }
  return row;
}

/** A search that can still be changed. @throws Refused `not_found`, or `conflict` where it was removed */
export async function assertSearchNotRemoved(db: Database, slug: string): Promise<void> {
  const { archived_at } = await findSearchRow(db, slug);
  if (archived_at !== null) throw createRemovedConflict('search', slug, archived_at);
}

/** The same for a topic. */
export async function assertTopicNotRemoved(db: Database, slug: string): Promise<void> {
  const { archived_at } = await findTopicRow(db, slug);
  if (archived_at !== null) throw createRemovedConflict('topic', slug, archived_at);
}

/** With the name that was probably meant, where one is near. */
function createNotFound(what: 'search' | 'topic', slug: string, all: readonly { slug: string }[]): Refused {
  const near = findNearestName(
    slug,
    all.map((one) => one.slug),
  );
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`;
  return new Refused('not_found', `there is no ${what} "${slug}"${meant}`);
}

function createRemovedConflict(what: 'search' | 'topic', slug: string, at: Date): Refused {
  const since = at.toISOString().slice(0, 10);
  return new Refused(
    'conflict',
    `the ${what} "${slug}" was removed on ${since}, for good; its history stays`,
  );
}

/** A topic by its slug, also a removed one. @throws Refused `not_found` */
export async function findTopicRow(db: Database, slug: string): Promise<TopicRow> {
  const row = await readTopic(db, slug);
  if (row === undefined) {
    const all = await readTopics(db, { removed: true, limit: MAX_ROWS });
    throw createNotFound('topic', slug, all);
  }
  return row;
}

/** A name that nothing has is a mistake, not an empty answer. @throws Refused `not_found` */
export async function assertFilterExists(
  db: Database,
  { topic, search }: { topic?: string | undefined; search?: string | undefined },
): Promise<void> {
  if (search !== undefined) await findSearchRow(db, search);
  if (topic !== undefined) await findTopicRow(db, topic);
}

/** Searches of a topic, or the one that is named; those that were removed only by name. @throws Refused, InvalidInput */
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
        expected: `a search of the topic "${topic}"; this one is of "${row.topic}"`,
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

/** The search of this slug. @throws Refused `not_found` where there is none, or none any more */
export async function requireSearch(db: Reader, slug: string): Promise<Search> {
  const search = await findSearch(db, slug);
  if (search === null || search.archived_at !== null) throw createSearchNotFound(slug);
  return search;
}

/** The same under the row lock that the scan takes: nobody else changes it until the transaction ends. */
export async function lockSearchBySlug(tx: Transaction, slug: string): Promise<LockedSearch> {
  const { id } = await requireSearch(tx, slug);
  const locked = await lockSearch(tx, id);
  if (locked === null || locked.archived_at !== null) throw createSearchNotFound(slug);
  return locked;
}

export function createSearchNotFound(slug: string): Refused {
  return new Refused('not_found', `there is no search "${slug}"`);
}

/** A removed topic does not live again: what is watched anew gets a slug of its own. */
export function createTopicRemoved(slug: string, at: Date): Refused {
  const since = at.toISOString().slice(0, 10);
  return new Refused(
    'conflict',
    `the topic "${slug}" was removed on ${since}, for good; its history stays under this slug, so choose another one, such as ${slug.slice(0, 61)}-2`,
  );
}
