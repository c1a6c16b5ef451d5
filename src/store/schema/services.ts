import { sql } from 'drizzle-orm';
import { check, date, integer, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { instant, key, ref, strandline } from './schema.ts';

/** Who answers searches. A search belongs to one service for ever; ids are unique only within a service. */
export const services = strandline.table(
  'services',
  {
    id: key(),
    name: text().notNull(),
    kind: text().notNull(),
    /** Base address of the hosted service; null for the sandbox and the own service, whose address moves. */
    address: text(),
    dialect: text().notNull(),
    created_at: instant().notNull(),
  },
  (t) => [
    unique('services_name_key').on(t.name),
    check('services_kind', sql`${t.kind} in ('sandbox', 'own', 'hosted')`),
  ],
);

/**
 * Paid calls per service and UTC day: the row that `CALLS_PER_DAY` is decided on. Its row lock makes
 * "count, compare, add one" a single step however many workers call at once.
 */
export const call_days = strandline.table(
  'call_days',
  {
    service_id: ref()
      .notNull()
      .references(() => services.id),
    day: date().notNull(),
    calls: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.service_id, t.day] })],
);

/** Paid calls of the last minute per service, by when they were sent: the row that `CALLS_PER_MINUTE` is decided on. */
export const call_minutes = strandline.table('call_minutes', {
  service_id: ref()
    .primaryKey()
    .references(() => services.id),
  sent_at: instant().array().notNull(),
});
