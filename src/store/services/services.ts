import { type Database, onlyRow } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import type { services } from '../schema/topic-tables.ts';

export type Service = Omit<typeof services.$inferSelect, 'created_at'>;

/** Finds or creates a service by name, and updates its URL and dialect. */
export async function ensureService(
  db: Database,
  input: Omit<Service, 'id'> & { now: Date },
): Promise<Service> {
  const { name, kind, address, dialect, now } = input;
  const { rows } = await execute<Service>(
    db.pool,
    statement`INSERT INTO strandline.services (name, kind, address, dialect, created_at)
      VALUES (${name}, ${kind}, ${address}, ${dialect}, ${now})
      ON CONFLICT (name) DO UPDATE SET address = coalesce(excluded.address, services.address), dialect = excluded.dialect
      RETURNING id, name, kind, address, dialect`,
  );
  return onlyRow(rows);
}
