/** Changes of tables while programs use them. */
import type { Client } from 'pg';
import { LOCK_ERRORS } from './session.ts';

/** How long each attempt waits for a lock. */
const LOCK_TIMEOUT = '20s';
const MAX_ATTEMPTS = 5;

/**
 * A transaction that locks tables which running programs use: tried again after a deadlock with one of them.
 * @param client one connection, outside a transaction
 */
export async function changeInUse(client: Client, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query(`BEGIN; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    try {
      await work();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      const isInUse = error instanceof Error && 'code' in error && LOCK_ERRORS.has(String(error.code));
      if (!isInUse || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
