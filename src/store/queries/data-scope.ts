/** What a read is about: everything, or one search or topic; and what it leaves out, as a person marked it (`hidden-stories.ts`). */

import { type Statement, statement, verbatim } from '../db/statement.ts';

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

/** Whether lists show a discovery. @param alias of the discovery */
export const isShown = (alias: string): Statement => verbatim(`NOT ${alias}.hidden`);

/** Whether lists show a post or link that a search found. All are columns of the outer statement. */
export const isShownItem = (kind: 'post' | 'link', searchId: string, thing: string): Statement =>
  verbatim(`NOT EXISTS (SELECT FROM strandline.discoveries h
    WHERE h.hidden AND h.search_id = ${searchId} AND h.kind = '${kind}' AND h.thing = ${thing})`);

/**
 * Posts and links that lists of these searches leave out, as rows of `kind` and `thing`. Of searches of several topics, what each
 * topic that found it hides. Few, by an index of their own: as `NOT IN`, which is evaluated once, it changes no plan.
 * @param searches an array of ids; undefined: all searches
 */
export const hiddenThings = (searches?: Statement): Statement => {
  const among = (alias: string) =>
    searches === undefined ? verbatim('') : statement`AND ${verbatim(alias)}.search_id = ANY (${searches})`;
  return statement`SELECT h.kind, h.thing FROM strandline.discoveries h
    WHERE h.hidden AND h.kind IN ('post', 'link') ${among('h')} AND NOT EXISTS (
      SELECT FROM strandline.discoveries o WHERE o.kind = h.kind AND o.thing = h.thing AND NOT o.hidden ${among('o')})`;
};
