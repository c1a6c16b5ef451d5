import { connect } from '../../src/platform/postgres/connect.ts';

/** The definitions in our schemas, as Postgres prints them: `$1` are the schemas. Monthly partitions are left out. */
const OBJECTS = `
WITH relation AS (
  SELECT format('%I.%I', n.nspname, c.relname) AS name, c.*
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY ($1) AND NOT c.relispartition
), routine AS (
  SELECT p.oid, p.oid::regprocedure::text AS name, p.proacl FROM pg_proc p WHERE p.pronamespace = ANY ($1::regnamespace[])
)
SELECT format('schema %s: %s, %s', nspname, nspacl, obj_description(oid, 'pg_namespace')) AS line FROM pg_namespace WHERE nspname = ANY ($1)
UNION ALL
SELECT format('%s %s: %s, %s, %s, %s, %s', relkind, name, pg_get_userbyid(relowner), relacl, reloptions, pg_get_partkeydef(oid),
  obj_description(oid, 'pg_class')) FROM relation WHERE relkind IN ('r', 'p', 'v', 'S')
UNION ALL
SELECT format('column %s %s.%I: %s, %s, %s, %s, %s, %s', a.attnum - (SELECT count(*) FROM pg_attribute x WHERE x.attrelid = a.attrelid
    AND x.attisdropped AND x.attnum BETWEEN 1 AND a.attnum), r.name, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
  a.attidentity, pg_get_expr(d.adbin, d.adrelid), a.attacl, col_description(r.oid, a.attnum))
FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE r.relkind IN ('r', 'p', 'v')
UNION ALL
SELECT format('constraint %s.%I: %s', r.name, k.conname, pg_get_constraintdef(k.oid)) FROM relation r JOIN pg_constraint k ON k.conrelid = r.oid
UNION ALL
SELECT format('index %s: %s, %s', r.name, pg_get_indexdef(r.oid), r.reloptions) FROM relation r WHERE r.relkind IN ('i', 'I')
UNION ALL
SELECT format('view %s: %s', r.name, pg_get_viewdef(r.oid)) FROM relation r WHERE r.relkind = 'v'
UNION ALL
SELECT format('trigger %s: %s', r.name, pg_get_triggerdef(t.oid)) FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
UNION ALL
SELECT format('function %s: %s, %s', name, proacl, pg_get_functiondef(oid)) FROM routine
UNION ALL
SELECT format('default privileges: %s, %s', defaclobjtype, defaclacl) FROM pg_default_acl WHERE defaclnamespace = ANY ($1::regnamespace[])
ORDER BY 1`;

/**
 * Everything that is defined in our schemas, a line an object: tables, columns, constraints, indexes, views, functions, triggers,
 * comments, owners and grants.
 */
export async function describeSchema(url: string): Promise<string[]> {
  const client = await connect(url, 'test');
  try {
    const { rows } = await client.query<{ line: string }>(OBJECTS, [['strandline', 'strandline_analytics']]);
    return rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}
