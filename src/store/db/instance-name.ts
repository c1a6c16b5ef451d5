import { onlyRow, type Pooled, type Queryable } from './database.ts';

/** A permanent name of this database, so that two databases can share one Redis. */
export async function readInstanceName({ pool }: Pooled, fresh: string, now: Date): Promise<string> {
  return readOrInsertFact(pool, 'instance', fresh, now);
}

/** The fact of this name; the first caller's value holds once for the database, and is restored with a backup. */
export async function readOrInsertFact(
  db: Queryable,
  name: string,
  fresh: string,
  now: Date,
): Promise<string> {
  const read = () =>
    db.query<{ value: string }>('SELECT value FROM strandline.facts WHERE name = $1', [name]);
  const { rows } = await read();
  if (rows[0] !== undefined) return rows[0].value;
  await insertFact(db, name, fresh, now);
  return onlyRow((await read()).rows).value;
}

/** Records a fact that holds once per database. @returns whether it was new */
export async function insertFact(db: Queryable, name: string, value: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'INSERT INTO strandline.facts (name, value, at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
    [name, value, now],
  );
  return rowCount === 1;
}
