/** The value of a key, made and kept when it is first asked for. It must not be undefined, which counts as missing. */
export function getOrMake<Key, Value extends {} | null>(
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
