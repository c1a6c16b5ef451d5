import type { Database, Queryable } from './database.ts';

/** A permanent name of this database, so that two databases can share one Redis. */
export async function readInstanceName(db: Database, fresh: string, now: Date): Promise<string> {
  await insertFact(db.pool, 'instance', fresh, now);
  const { rows } = await db.pool.query<{ value: string }>(
    `SELECT value FROM strandline.facts WHERE name = 'instance'`,
  );
  return rows[0]?.value ?? fresh;
}

/** Records a fact that holds once per database. @returns whether it was new */
export async function insertFact(db: Queryable, name: string, value: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'INSERT INTO strandline.facts (name, value, at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
    [name, value, now],
  );
  return rowCount === 1;
}
