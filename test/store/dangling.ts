import type { Database } from '../../src/store/db/database.ts';
import { REFERENCES, type Reference } from '../../src/store/erase/references.ts';

const S = 'strandline';

/** A condition on rows of `t`. */
function danglingSql(column: string, { to, effect, where = 'true', text = false }: Reference): string {
  const missing = (key: string) => `NOT EXISTS (SELECT FROM ${S}.${to} o WHERE o.id = ${key})`;
  const isList = effect === 'shortens' || ['link_ids', 'not_returned'].includes(column);
  if (isList) return `${where} AND EXISTS (SELECT FROM unnest(t.${column}) k WHERE ${missing('k')})`;
  const key = text ? `t.${column}::bigint` : `t.${column}`;
  return `${where} AND t.${column} IS NOT NULL AND CASE WHEN ${where} THEN ${missing(key)} END`;
}

/** Columns with keys of rows that are not there, other than those that stay by the table of references. */
export async function findDangling({ pool }: Database): Promise<string[]> {
  const dangling: string[] = [];
  for (const [table, columns] of Object.entries(REFERENCES))
    for (const [column, references] of Object.entries(columns))
      for (const reference of [references].flat()) {
        if (reference.effect === 'stays') continue;
        const { rows } = await pool.query(
          `SELECT FROM ${S}.${table} t WHERE ${danglingSql(column, reference)} LIMIT 1`,
        );
        if (rows.length > 0) dangling.push(`${table}.${column}`);
      }
  return dangling;
}
