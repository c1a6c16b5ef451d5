/** What a read is about: one side of the data; all of it, or one search or topic. */

import { DATA, type Data } from '../../domain/data.ts';
import { type Id, type Orm, prepareOnce } from '../database.ts';
import { and, type Column, eq, gte, lt, type Placeholder, type SQL, sql } from 'drizzle-orm';

/** A named search or topic is of the side `data`; otherwise nothing is found. */
export type DataScope = { search?: string | undefined; topic?: string | undefined };

/** On a search `s` and its topic `t`. $1 search, $2 topic, $3 whether simulated. */
export const SCOPE_SQL =
  '($1::text IS NULL OR s.slug = $1) AND ($2::text IS NULL OR t.slug = $2) AND s.simulated = $3::boolean';

/** The searches of a scope, including removed ones: `id` and `slug`. $1 to $3. */
export const SCOPED_SEARCHES_SQL = `
  SELECT s.id, s.slug FROM strandline.searches s JOIN strandline.topics t ON t.id = s.topic_id WHERE ${SCOPE_SQL}`;

/** $1 to $3. */
export function scopeValues({ search, topic }: DataScope): unknown[] {
  return [search ?? null, topic ?? null, data === 'simulated'];
}

/** $1 to $5: the scope, and a range of times, of which `until` is excluded. */
export function rangeValues(
  filter: DataScope & { since?: Date | undefined; until?: Date | undefined },
): unknown[] {
  return [...scopeValues(filter), filter.since ?? null, filter.until ?? null];
}

/**
 * A row by a key, which is of one side: that of whichever has it.
 * @param name of the query, as of {@link prepareOnce}
 * @param build the query of the view of one side
 */
export async function readEitherSide<View, Row>(
  { orm }: Orm,
  name: string,
  views: Readonly<Record<Data, View>>,
  key: Id | string,
  build: (
    view: View,
    key: Placeholder,
  ) => { prepare(name: string): { execute(values: { key: unknown }): Promise<readonly Row[]> } },
): Promise<Row | undefined> {
  for (const data of DATA) {
    const query = prepareOnce(orm, `${name}_${data}`, () => build(views[data], sql.placeholder('key')));
    const [row] = await query.execute({ key });
    if (row !== undefined) return row;
  }
  return undefined;
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
