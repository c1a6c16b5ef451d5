/** What a read is about: everything, or one search or topic. */

import { type Statement, statement } from '../db/statement.ts';

export type DataScope = { search?: string | undefined; topic?: string | undefined };

/** On a search `s` and its topic `t`. */
export function isInScope(scope: DataScope): Statement {
  const [search, topic] = [scope.search ?? null, scope.topic ?? null];
  return statement`(${search}::text IS NULL OR s.slug = ${search}) AND (${topic}::text IS NULL OR t.slug = ${topic})`;
}

/** The searches of a scope, including removed ones: `id` and `slug`. */
export function searchesInScope(scope: DataScope): Statement {
  return statement`
    SELECT s.id, s.slug FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id WHERE ${isInScope(scope)}`;
}
