import type { Client } from 'pg';

/** Every column of our tables and views in a migrated database, as `schema.relation.column`. */
export async function columnsOf(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%s.%s.%s', n.nspname, c.relname, a.attname) AS name
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('strandline', 'strandline_analytics') AND c.relkind IN ('r', 'p', 'v')
       AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  return new Set(rows.map(({ name }) => name));
}
