/** Topics and searches by name, as whoever names one means it: what is not there is refused with the nearest name. Runs by id. */
import { InvalidInput, Refused } from '../../errors.ts';
import type { Database, Id } from '../../store/database.ts';
import { readRun, type RunRow } from '../../store/reads/runs.ts';
import { readSearch, readSearches, type SearchRow } from '../../store/reads/searches.ts';
import { readTopic, readTopics, type TopicRow } from '../../store/reads/topics.ts';
import { nearest } from '../schedule/nearest.ts';

/** More searches than anybody has. */
const ALL = 100_000;

/** A search by its slug, also a removed one: its history stays. @throws Refused `not_found` */
export async function findSearchRow(db: Database, slug: string): Promise<SearchRow> {
  const row = await readSearch(db, slug);
  if (row === undefined) {
    const all = await readSearches(db, { removed: true, limit: ALL });
    throw unknown('search', slug, all);
  }
  return row;
}

/** A search that can still be changed. @throws Refused `not_found`, or `conflict` where it was removed */
export async function assertKept(db: Database, slug: string): Promise<void> {
  const { archived_at } = await findSearchRow(db, slug);
  if (archived_at !== null) throw removed('search', slug, archived_at);
}

/** The same for a topic. */
export async function assertTopicKept(db: Database, slug: string): Promise<void> {
  const { archived_at } = await findTopicRow(db, slug);
  if (archived_at !== null) throw removed('topic', slug, archived_at);
}

/** With the name that was probably meant, where one is near. */
function unknown(what: 'search' | 'topic', slug: string, all: readonly { slug: string }[]): Refused {
  const near = nearest(
    slug,
    all.map((one) => one.slug),
  );
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`;
  return new Refused('not_found', `there is no ${what} "${slug}"${meant}`);
}

function removed(what: 'search' | 'topic', slug: string, at: Date): Refused {
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
    const all = await readTopics(db, { removed: true, limit: ALL });
    throw unknown('topic', slug, all);
  }
  return row;
}

/** A name that nothing has is a mistake, not an empty answer. @throws Refused `not_found` */
export async function assertFilter(
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
  await assertFilter(db, { topic, search });
  if (search === undefined) return readSearches(db, { topic, limit: ALL });
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
