import type { Database } from '../database.ts';

/** The Postgres we are connected to: its version in words and as a number (180000 for 18.0). */
export async function readServer(db: Pick<Database, 'pool'>): Promise<{ version: string; number: number }> {
  const { rows } = await db.pool.query<{ version: string; number: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  );
  return rows[0] ?? { version: 'unknown', number: 0 };
}

/** A transaction that is open: what was deleted or changed since it began cannot be cleaned away. */
export type OpenTransaction = {
  /** Its role and program, as far as they are told. */
  who: string;
  /** How long it is open; null where the server does not tell us. */
  seconds: number | null;
  /** How many transactions began since. */
  behind: number;
};

/**
 * The open transaction of this database that looks furthest back; null where there is none but ours. Those of nobody are
 * Postgres' own: its cleaning up, which takes hours on a large table, keeps itself from nothing.
 */
export async function oldestTransaction({ pool }: Pick<Database, 'pool'>): Promise<OpenTransaction | null> {
  const { rows } = await pool.query<OpenTransaction>(
    `SELECT concat_ws(', ', usename, nullif(application_name, '')) AS who,
       extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds,
       greatest(age(backend_xmin), age(backend_xid)) AS behind
     FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL
       AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
     ORDER BY behind DESC, seconds DESC NULLS LAST LIMIT 1`,
  );
  return rows[0] ?? null;
}
