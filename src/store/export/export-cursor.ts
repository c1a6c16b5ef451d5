/**
 * Where an export ends, so that the next one can continue it. Times of rows cannot tell: a row has the time of its
 * response, which may be saved hours later. Postgres notes with each row the transaction that wrote it (`xmin`), so a
 * cursor is the oldest transaction that was open when the export read: what the export has not read was written by
 * that one or by a later one. What had committed in between is exported twice, and nothing is left out.
 */
import { Refused } from '../../model/errors.ts';
import { onlyRow } from '../db/database.ts';
import type { Client } from 'pg';

/** Rows written by transactions up to this age are new. */
export type NewRows = Readonly<{ maxAge: number }>;

export const isNewSql = (row: string, { maxAge }: NewRows): string => `age(${row}.xmin) <= ${maxAge}`;

/** Transactions are numbered per server, and a restored database has others. */
const DATABASE = `(SELECT system_identifier FROM pg_control_system()) || '.' || (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** Postgres compares transactions with 32 bits, so that older ones count as later; some room is left. */
const MAX_AGE = 2_000_000_000;

/** The end of what this transaction reads. */
export async function readCursor(client: Client): Promise<string> {
  const { rows } = await client.query<{ cursor: string }>(
    `SELECT ${DATABASE} || '.' || pg_snapshot_xmin(pg_current_snapshot()) AS cursor`,
  );
  return onlyRow(rows).cursor;
}

/** @throws Refused `conflict` for a cursor of another database, or one that is too old */
export async function findNewRows(client: Client, cursor: string): Promise<NewRows> {
  const at = cursor.lastIndexOf('.');
  const { rows } = await client.query<{ database: string; age: number | null }>(
    `SELECT ${DATABASE} AS database,
            CASE WHEN pg_snapshot_xmax(pg_current_snapshot())::text::numeric - $1::numeric BETWEEN 0 AND ${MAX_AGE}
              THEN age(mod($1::numeric, 4294967296)::bigint::text::xid) END AS age`,
    [cursor.slice(at + 1)],
  );
  const found = rows[0];
  if (found === undefined || found.database !== cursor.slice(0, at))
    throw new Refused('conflict', 'the export is of another database, or of one that was restored since');
  if (found.age === null) throw new Refused('conflict', 'the export is too old to be continued');
  return { maxAge: found.age };
}
