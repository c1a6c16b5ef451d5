/** Facts about the database, each stored once, such as its name, and when something was last done. */
import type { Pooled, Queryable } from './database.ts';
import { execute, rowsOf, type Statement, statement } from './statement.ts';

const INSTANCE = 'instance';

/** A permanent name of this database, so that two databases can share one Redis. */
export async function readInstanceName({ pool }: Pooled, fresh: string, now: Date): Promise<string> {
  return readOrInsertFact(pool, INSTANCE, fresh, now);
}

/** @returns null if the database has no name yet, because no process has opened its queue */
export async function findInstanceName(db: Queryable): Promise<string | null> {
  return (await findFact(db, INSTANCE)) ?? null;
}

/** @returns undefined without a fact of this name */
export async function findFact(db: Queryable, name: string): Promise<string | undefined> {
  const [fact] = await rowsOf<{ value: string }>(
    db,
    statement`SELECT value FROM strandline.facts WHERE name = ${name}`,
  );
  return fact?.value;
}

/** The fact of this name; the first caller's value holds once for the database, and is restored with a backup. */
export async function readOrInsertFact(
  db: Queryable,
  name: string,
  fresh: string,
  now: Date,
): Promise<string> {
  const stored = await findFact(db, name);
  if (stored !== undefined) return stored;
  await insertFact(db, name, fresh, now);
  return readOrInsertFact(db, name, fresh, now);
}

/** Records a fact that holds once per database. @returns whether it was new */
export async function insertFact(db: Queryable, name: string, value: string, now: Date): Promise<boolean> {
  const { rowCount } = await execute(
    db,
    statement`INSERT INTO strandline.facts (name, value, at) VALUES (${name}, ${value}, ${now})
      ON CONFLICT (name) DO NOTHING`,
  );
  return rowCount === 1;
}

/** Removes a fact that holds no longer. */
export async function removeFact(db: Queryable, name: string): Promise<void> {
  await execute(db, statement`DELETE FROM strandline.facts WHERE name = ${name}`);
}

/** Records when something was last done. */
export async function recordFact(db: Queryable, name: string, at: Date): Promise<void> {
  await execute(db, recordingFact(name, at));
}

/** The statement of {@link recordFact}. @param at a time, or SQL for it */
export const recordingFact = (name: string, at: Date | Statement): Statement =>
  statement`INSERT INTO strandline.facts (name, value, at) VALUES (${name}, 'done', ${at})
    ON CONFLICT (name) DO UPDATE SET at = excluded.at`;
