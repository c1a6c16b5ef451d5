import type { Pool } from 'pg';

/**
 * The database clock of one row, which can be moved: its functions in the schema `faults` precede those of Postgres
 * in the search path of new connections. Idle ones in the pool are closed.
 */
export async function prepareTime(pool: Pool, database: string): Promise<void> {
  await pool.query(`
    CREATE SCHEMA faults;
    CREATE TABLE faults.clock (shift interval NOT NULL);
    INSERT INTO faults.clock VALUES ('0');
    CREATE FUNCTION faults.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.clock_timestamp() + shift FROM faults.clock';
    CREATE FUNCTION faults.now() RETURNS timestamptz LANGUAGE sql STABLE
      AS 'SELECT pg_catalog.now() + shift FROM faults.clock';
    ALTER DATABASE ${database} SET search_path = faults, "$user", public, pg_catalog`);
  while (pool.idleCount > 0) (await pool.connect()).release(true);
}

export async function moveDatabaseTime(pool: Pool, ms: number): Promise<void> {
  await pool.query(`UPDATE faults.clock SET shift = $1 * interval '1 millisecond'`, [ms]);
}
