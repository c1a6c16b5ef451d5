/**
 * Views of the SQL contract, declared for reads: shared parts, and the views that describe the contract. Each row is
 * what an analyst sees, with the columns in the view's order. The views are defined in `migrations/views/`.
 */

import { ref } from '../schema.ts';
import { bigint, integer, numeric, pgSchema, text } from 'drizzle-orm/pg-core';

export const analytics = pgSchema('strandline_analytics');

export const id = () => ref().notNull();
/** A number of rows. */
export const tally = () => bigint({ mode: 'number' });
export const usd = () => numeric({ mode: 'number' });

/**
 * The contract version; raised in `migrations/views/contract.sql` whenever a view changes, see docs/reference/sql.md.
 */
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
