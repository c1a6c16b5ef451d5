/** Selections of posts, links or discoveries by a query: the condition of find, as a part of other statements. */

import { EVERYTHING, type Query } from '../../model/search-query.ts';
import type { Pooled, Queryable } from '../db/database.ts';
import { buildCondition, readWordForms } from './query-condition.ts';

/** A query, with the time for its relative times. Only indexed items match. */
export type Matching = { query: Query; now: Date };

/** Whether it matches everything, indexed or not. */
export function matchesAll(matching: Matching | undefined): boolean {
  return matching === undefined || matching.query === EVERYTHING;
}

/**
 * A subquery of the ids of posts or links that match, or of `kind` and id of both; empty if all do.
 * @param values receives its parameters
 */
export async function buildMatchingSql(
  { pool }: Pooled,
  kind: 'post' | 'link' | 'both',
  matching: Matching | undefined,
  values: unknown[],
): Promise<string> {
  if (matching === undefined || matchesAll(matching)) return '';
  return writeMatchingSql(pool, kind, matching, (value) => `$${values.push(value)}`);
}

/** The same for a query that does not match everything. @param bind as in `ConditionContext` */
export async function writeMatchingSql(
  db: Queryable,
  kind: 'post' | 'link' | 'both',
  { query, now }: Matching,
  bind: (value: unknown) => string,
): Promise<string> {
  const condition = buildCondition(query, { bind, forms: await readWordForms(db, [query]), now });
  return kind === 'both'
    ? `SELECT d.kind, d.thing FROM strandline.archive_documents d WHERE ${condition}`
    : `SELECT d.thing FROM strandline.archive_documents d WHERE d.kind = '${kind}' AND ${condition}`;
}
