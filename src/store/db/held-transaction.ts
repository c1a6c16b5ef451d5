/** A database whose changes are one transaction, so that what is decided later can be committed with them, or undo them. */

import type { Database, Transaction } from './database.ts';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';

type HeldTransaction = {
  /**
   * The database for the work. Its first `inTransaction` opens the transaction, in which all further statements run; until then,
   * statements run as always. Functions that the work calls must not read changed rows through another connection.
   */
  db: Database;
  /** Whether the work opened the transaction. */
  isOpen(): boolean;
  /** Runs `last`, then commits. If `last` fails, everything is undone. @throws the error of `last` or of the commit */
  commit(last?: (tx: Transaction) => Promise<void>): Promise<void>;
  /** Undoes what was changed; without a transaction it does nothing. */
  rollback(): Promise<void>;
};

export function holdTransaction(db: Database): HeldTransaction {
  let tx: Transaction | undefined;

  /** Opened once, also for work that begins at the same time. */
  let opening: Promise<Transaction> | undefined;

  async function open(): Promise<Transaction> {
    const connection = await db.pool.connect();
    try {
      await connection.query('BEGIN');
    } catch (error) {
      connection.release(true);
      throw error;
    }
    return (tx = connection);
  }

  /** Ends the transaction; further statements run as before it. */
  async function end(statement: 'COMMIT' | 'ROLLBACK', last?: (tx: Transaction) => Promise<void>) {
    const held = tx;
    if (held === undefined) return;
    let isLost = false;
    try {
      await last?.(held);
      const { command } = await held.query(statement);
      if (command !== statement) throw new Error('the transaction was rolled back at COMMIT');
    } catch (error) {
      isLost = await held.query('ROLLBACK').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      tx = opening = undefined;
      // A connection that is lost is not used again.
      held.release(isLost);
    }
  }

  const pool: Pool = Object.create(db.pool, {
    query: { value: (...query: Parameters<Pool['query']>) => (tx ?? db.pool).query(...query) },
  });
  return {
    db: { ...db, pool, orm: drizzle({ client: pool }), hold: () => (opening ??= open()) },
    isOpen: () => tx !== undefined,
    commit: (last) => end('COMMIT', last),
    // A connection that is lost is undone by the server.
    rollback: () => end('ROLLBACK').catch(() => {}),
  };
}
