/** Conditions on the columns of a view, and the order of its rows. */
import { and, type Column, eq, gte, lt, type SQL } from 'drizzle-orm';

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
