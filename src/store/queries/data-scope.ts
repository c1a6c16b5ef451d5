/** What a read is about: everything, or one search or topic. */

import { type Statement, statement } from '../db/statement.ts';
import { and, type Column, eq, gte, lt, type SQL } from 'drizzle-orm';

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

/** Columns of a view have these values; an undefined value is any. */
export function equals<Name extends string, View extends Record<Name, Column>>(
  view: View,
  values: { readonly [N in Name]?: View[N]['_']['data'] | undefined },
): SQL | undefined {
  const names = Object.keys(values) as Name[]; // Object.keys loses the names
  return and(...names.map((name) => (values[name] === undefined ? undefined : eq(view[name], values[name]))));
}

/** From `since` on, and before `until`. */
export function within(
  column: Column,
  { since, until }: { since?: Date | undefined; until?: Date | undefined },
): SQL | undefined {
  return and(since && gte(column, since), until && lt(column, until));
}

/** Rows in the order of these keys; keys without a row are left out. */
export function inOrderOf<Row>(
  keys: readonly unknown[],
  rows: readonly Row[],
  readKey: (row: Row) => unknown,
): Row[] {
  const byKey = new Map(rows.map((row) => [readKey(row), row]));
  return keys.flatMap((key) => byKey.get(key) ?? []);
}
