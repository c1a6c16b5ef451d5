import { connect } from '../../src/platform/postgres/connect.ts';
import type { Pool } from 'pg';

/**
 * The database clock of one row, which can be moved: functions in front of those of Postgres, in its own catalog, because the
 * program looks for functions nowhere else. Idle connections in the pool, which know the old ones, are closed.
 * @param url of the database, as a superuser
 */
export async function prepareTime(pool: Pool, url: string): Promise<void> {
  const superuser = await connect(url, 'faults');
  try {
    await superuser.query(`
      CREATE SCHEMA faults;
      CREATE TABLE faults.clock (shift interval NOT NULL);
      INSERT INTO faults.clock VALUES ('0');
      GRANT USAGE, CREATE ON SCHEMA faults TO PUBLIC;
      GRANT SELECT, UPDATE ON faults.clock TO PUBLIC;
      ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock_timestamp;
      ALTER FUNCTION pg_catalog.now() RENAME TO true_now;
      CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS 'SELECT pg_catalog.true_clock_timestamp() + shift FROM faults.clock';
      CREATE FUNCTION pg_catalog.now() RETURNS timestamptz LANGUAGE sql STABLE
        AS 'SELECT pg_catalog.true_now() + shift FROM faults.clock'`);
  } finally {
    await superuser.end();
  }
  while (pool.idleCount > 0) (await pool.connect()).release(true);
}

export async function moveDatabaseTime(pool: Pool, ms: number): Promise<void> {
  await pool.query(`UPDATE faults.clock SET shift = $1 * interval '1 millisecond'`, [ms]);
}
