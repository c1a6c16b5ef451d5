/** Groups in the order of their first row; none is empty. */
export type Groups<Key, Row> = Map<Key, [Row, ...Row[]]>;

/** Rows by key, in their order: `Map.groupBy` of later versions of Node. */
export function groupBy<Key, Row>(rows: Iterable<Row>, keyOf: (row: Row) => Key): Groups<Key, Row> {
  const groups: Groups<Key, Row> = new Map();
  for (const row of rows) addToGroup(groups, keyOf(row), row);
  return groups;
}

export function addToGroup<Key, Row>(groups: Groups<Key, Row>, key: Key, row: Row): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [row]);
  else group.push(row);
}

/** The value that all of them share; null if they differ or there are none. */
export function findCommonValue<T>(values: readonly T[]): T | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}
