import { Refused } from '../../errors.ts';
import type { Transaction } from '../../store/database.ts';
import { findSearch, type Reader, type Search } from '../../store/searches.ts';
import { lockSearch, type LockedSearch } from '../../store/slots.ts';

/** The search of this slug. @throws Refused `not_found` where there is none, or none any more */
export async function searchNamed(db: Reader, slug: string): Promise<Search> {
  const search = await findSearch(db, slug);
  if (search === null || search.archived_at !== null) throw noSearch(slug);
  return search;
}

/** The same under the row lock that the scan takes: nobody else changes it until the transaction ends. */
export async function lockNamed(tx: Transaction, slug: string): Promise<LockedSearch> {
  const { id } = await searchNamed(tx, slug);
  const locked = await lockSearch(tx, id);
  if (locked === null || locked.archived_at !== null) throw noSearch(slug);
  return locked;
}

export function noSearch(slug: string): Refused {
  return new Refused('not_found', `there is no search "${slug}"`);
}

/** A removed topic does not live again: what is watched anew gets a slug of its own. */
export function topicRemoved(slug: string, at: Date): Refused {
  const since = at.toISOString().slice(0, 10);
  return new Refused(
    'conflict',
    `the topic "${slug}" was removed on ${since}, for good; its history stays under this slug, so choose another one, such as ${slug.slice(0, 61)}-2`,
  );
}
