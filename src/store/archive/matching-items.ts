/** Selections of posts, links or discoveries by a query: the condition of find, as a part of other statements. */

import { EVERYTHING, type Query } from '../../model/search-query.ts';
import type { Queryable } from '../db/database.ts';
import { type Statement, statement } from '../db/statement.ts';
import { buildCondition } from './query-condition.ts';
import { readWordForms } from './word-forms.ts';

/** A query, with the time for its relative times. Only indexed items match. */
export type Matching = { query: Query; now: Date };

/** Whether it matches everything, indexed or not. */
export function matchesAll(matching: Matching | undefined): boolean {
  return matching === undefined || matching.query === EVERYTHING;
}

/** A subquery of the ids of posts or links that match, or of `kind` and `thing` of both; undefined if everything matches. */
export async function findMatching(
  db: Queryable,
  kind: 'post' | 'link' | 'both',
  matching: Matching | undefined,
): Promise<Statement | undefined> {
  if (matching === undefined || matchesAll(matching)) return undefined;
  const { query, now } = matching;
  const condition = buildCondition(query, { forms: await readWordForms(db, [query]), now });
  return kind === 'both'
    ? statement`SELECT d.kind, d.thing FROM strandline.archive_documents d WHERE ${condition}`
    : statement`SELECT d.thing FROM strandline.archive_documents d WHERE d.kind = ${kind} AND ${condition}`;
}
