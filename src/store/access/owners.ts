/** Which file owns topics, sources, searches, rules and channels: the `name` at its top. Null: no file does. */
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';

export type OwnedTable = 'channels' | 'rules' | 'searches' | 'topics' | 'topic_names' | 'topic_sources';

/** The names of files that own rows of a table, by the id of the row. */
export async function readOwners(db: Queryable, table: OwnedTable): Promise<Map<Id, string>> {
  const rows = await rowsOf<{ id: Id; owner: string }>(
    db,
    statement`SELECT id, owner FROM strandline.${verbatim(table)} WHERE owner IS NOT NULL`,
  );
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}

export async function setOwner(
  tx: Transaction,
  table: OwnedTable,
  id: Id,
  owner: string | null,
): Promise<void> {
  await execute(tx, statement`UPDATE strandline.${verbatim(table)} SET owner = ${owner} WHERE id = ${id}`);
}

/** Locks a row: nobody else changes it until the transaction ends. */
export async function lockRow(tx: Transaction, table: OwnedTable, id: Id): Promise<void> {
  await execute(tx, statement`SELECT FROM strandline.${verbatim(table)} WHERE id = ${id} FOR UPDATE`);
}
