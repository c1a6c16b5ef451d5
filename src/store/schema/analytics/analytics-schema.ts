/**
 * The SQL contract's views, declared for reads: what they have in common, and the views that
 * describe the contract itself. Each row is exactly what an analyst sees: its
 * members are the columns of its view, in the view's order. The views themselves are files of `migrations/views/`.
 */

import { ref } from '../schema.ts';
import { bigint, integer, numeric, pgSchema, text } from 'drizzle-orm/pg-core';

export const analytics = pgSchema('strandline_analytics');

export const id = () => ref().notNull();
/** A number of rows. */
export const tally = () => bigint({ mode: 'number' });
export const usd = () => numeric({ mode: 'number' });

/** Which contract this is; raised in `migrations/views/contract.sql` whenever a view changes, see docs/reference/sql.md. */
export const contractView = analytics
  .view('contract', { version: text().notNull(), major: integer().notNull(), minor: integer().notNull() })
  .existing();

export const contractColumnsView = analytics
  .view('contract_columns', {
    view: text().notNull(),
    position: integer().notNull(),
    name: text().notNull(),
    type: text().notNull(),
    meaning: text().notNull(),
    view_meaning: text().notNull(),
  })
  .existing();
