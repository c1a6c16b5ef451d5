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

/** The value of a key, made when it is first asked for: `Map.getOrInsertComputed` of later versions of Node. */
export function getOrMake<Key, Value>(
  values: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}

/** A member for each name: `Object.fromEntries` with the names in its type. */
export function buildMembers<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>; // it loses the names
}
