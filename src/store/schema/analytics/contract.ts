/** The SQL contract itself, as views of it tell it. */
import { integer, text } from 'drizzle-orm/pg-core';
import { analytics } from './schema.ts';

/** Which contract this is; raised in `migrations/views/contract.sql` whenever a view changes, see docs/sql.md. */
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
