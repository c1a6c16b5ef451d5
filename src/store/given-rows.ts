type Type = 'bigint' | 'int' | 'numeric' | 'text' | 'boolean' | 'timestamptz' | 'bytea';

/**
 * Rows that a prepared statement is given, as FROM takes them: an array for each column, `$1` the first. The arrays stand
 * in a subquery that Postgres does not look into. Where it knows how many rows there are it makes a new plan for them each
 * time, which takes longer than a small statement does.
 */
export function givenRows(name: string, columns: Readonly<Record<string, Type>>): string {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, i) => `$${i + 1}::${type}[] AS a${i + 1}`);
  return `(SELECT ${arrays.join(', ')} OFFSET 0) given, unnest(${names.map((_, i) => `a${i + 1}`).join(', ')}) AS ${name} (${names.join(', ')})`;
}
