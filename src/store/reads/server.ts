import type { Database } from '../database.ts';

/** The Postgres we are connected to: its version in words and as a number (180000 for 18.0). */
export async function readServer(db: Pick<Database, 'pool'>): Promise<{ version: string; number: number }> {
  const { rows } = await db.pool.query<{ version: string; number: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  );
  return rows[0] ?? { version: 'unknown', number: 0 };
}
