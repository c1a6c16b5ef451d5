/** Reads tables, columns and load order from the catalog. */

import { connect } from '../../platform/postgres/connect.ts';
import type { SessionSettings } from '../../platform/postgres/session.ts';
import { MIGRATIONS_TABLE, SCHEMA } from '../db/schema-state.ts';
import type { Client } from 'pg';

export type Table = {
  name: string;
  columns: string[];
  /** Sort expressions that yield the same order in every database; time first if partitioned by time. */
  order: string[];
  identities: string[];
  /** Tables that must be loaded first. */
  needs: string[];
};

/** Sessions, the form secret and idempotency keys belong to one running installation, opened pages are a cache: not backed up. */
const EXCLUDED_TABLES = ['sessions', 'form_secret', 'idempotency_keys', 'opened_pages'];

/** Excludes detached monthly partitions that are about to be dropped. */
const SELECT_TABLES = `
SELECT t.relname AS name,
  array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
  array_agg(quote_ident(a.attname) || CASE WHEN a.attcollation <> 0 THEN ' COLLATE "C"' ELSE '' END
    ORDER BY a.attnum = ANY (p.partattrs::int2[]) DESC NULLS LAST, array_position(k.conkey, a.attnum), a.attnum)
    FILTER (WHERE k.conkey IS NULL OR a.attnum = ANY (k.conkey)) AS "order",
  coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attidentity <> ''), '{}') AS identities,
  ARRAY(SELECT DISTINCT f.confrelid::regclass::oid::text FROM pg_constraint f
    WHERE f.conrelid = t.oid AND f.contype = 'f' AND f.confrelid <> t.oid) AS needs, t.oid::text AS oid
FROM pg_class t
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
LEFT JOIN pg_partitioned_table p ON p.partrelid = t.oid
WHERE t.relnamespace = '${SCHEMA}'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  AND t.relname <> ALL ('{${[MIGRATIONS_TABLE, ...EXCLUDED_TABLES].join(',')}}') AND t.relname !~ '_snapshots_\\d{4}_\\d\\d$'
GROUP BY t.oid, t.relname, t.relkind, k.conkey, p.partattrs ORDER BY t.relname`;

/**
 * All our tables except the migrations table and excluded ones, in dependency order; partitions belong to their parent.
 */
export async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { oid: string }>(SELECT_TABLES);
  const names = new Map(rows.map(({ oid, name }) => [oid, name]));
  return sortByDependency(
    rows.map(({ oid: _oid, needs, ...table }) => ({
      ...table,
      needs: needs.flatMap((oid) => names.get(oid) ?? []),
    })),
  );
}

function sortByDependency(tables: readonly Table[]): Table[] {
  const placed: Table[] = [];
  let rest = tables;
  while (rest.length > 0) {
    const ready = rest.filter(({ needs }) => needs.every((need) => placed.some(({ name }) => name === need)));
    if (ready.length === 0)
      throw new Error(`circular references between tables: ${rest.map(({ name }) => name).join(', ')}`);
    placed.push(...ready);
    rest = rest.filter((table) => !ready.includes(table));
  }
  return placed;
}

/** Settings of a connection that copies rows, in addition to the settings of every session. */
const COPY_SETTINGS: SessionSettings = {
  IntervalStyle: 'iso_8601',
  extra_float_digits: '3',
  lock_timeout: '1min',
  work_mem: '64MB',
};

/** A separate connection without a limit per statement. */
export function openCopySession(url: string, name: string): Promise<Client> {
  return connect(url, name, { settings: COPY_SETTINGS });
}
