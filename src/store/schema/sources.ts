import { sql } from 'drizzle-orm';
import { bigint, check, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, strandline } from './schema.ts';

/**
 * What was taken of a public source's allowance in a period. Its row lock makes "compare and add" a single
 * step however many processes ask at once.
 */
export const source_allowances = strandline.table(
  'source_allowances',
  {
    source: text().notNull(),
    /** A day of the source's own time zone, as it writes it: `2026-11-21`. */
    period: text().notNull(),
    /** Whole: calls, or micro-dollars. */
    units: bigint({ mode: 'bigint' }).notNull(),
    counted_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.period] }),
    check('source_allowances_units', sql`${t.units} >= 0`),
  ],
);

/** The last turn that was given, where a source allows one request at a time from all machines together. */
export const source_turns = strandline.table('source_turns', {
  source: text().primaryKey(),
  /** By the database's clock, the only one that all machines share. */
  at: instant().notNull(),
});
