/** The lock between saves (shared) and erasing (exclusive). */
import type { Transaction } from '../db/database.ts';

/** Blocks saves, which hold this lock shared (`any_forgotten()`), until the transaction ends. */
export async function lockSaves(tx: Transaction): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext('strandline.forget'))`);
}

/**
 * Keeps authors from being forgotten and searches from being purged until the transaction ends, so that what it has read may
 * be written.
 */
export async function lockAgainstErasing(tx: Transaction): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock_shared(hashtext('strandline.forget'))`);
}
