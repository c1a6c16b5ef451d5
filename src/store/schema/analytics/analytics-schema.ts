/**
 * Views of the SQL contract, declared for reads: shared parts, and the views that describe the contract. Each row is
 * what an analyst sees, with the columns in the view's order. The views are defined in `migrations/views/`.
 */

import { ANALYTICS } from '../../../model/database-kind.ts';
import { DATE_FILTERS, MODELS, TOOLS } from '../../../model/enumerations.ts';
import { SERVICE_KINDS } from '../../services/services.ts';
import { ref } from '../schema.ts';
import {
  bigint,
  boolean,
  integer,
  jsonb,
  numeric,
  type PgColumnBuilderBase,
  pgSchema,
  text,
} from 'drizzle-orm/pg-core';

const analytics = pgSchema(ANALYTICS);

/** Declares a view, which a migration has created. */
export const defineView = <Name extends string, Columns extends Record<string, PgColumnBuilderBase>>(
  name: Name,
  columns: Columns,
) => analytics.view(name, columns).existing();

export const id = () => ref().notNull();
/** A number of rows. */
export const tally = () => bigint({ mode: 'number' });
export const usd = () => numeric({ mode: 'number' });
/** The search of a row. */
export const ofSearch = () => ({ search_id: id(), search: text().notNull() });
/** The columns of a search with its topic, and with the kind of its service, too. */
export const ofTopicSearch = () => ({ ...ofSearch(), topic: text().notNull() });
export const ofServiceSearch = () => ({
  ...ofTopicSearch(),
  service_kind: text({ enum: SERVICE_KINDS }).notNull(),
});
/** What a search or trial asks a service for. */
export const requestColumns = () => ({
  prompt: text().notNull(),
  tools: text({ enum: TOOLS }).array().notNull(),
  model: text({ enum: MODELS }).notNull(),
  date_filter: text({ enum: DATE_FILTERS }),
  streaming: boolean().notNull(),
  extra: jsonb().notNull(),
});

/**
 * The contract version; raised in `migrations/views/contract.sql` whenever a view changes, see docs/reference/sql.md.
 */
export const contractView = defineView('contract', {
  version: text().notNull(),
  major: integer().notNull(),
  minor: integer().notNull(),
});

export const contractColumnsView = defineView('contract_columns', {
  view: text().notNull(),
  position: integer().notNull(),
  name: text().notNull(),
  type: text().notNull(),
  meaning: text().notNull(),
  view_meaning: text().notNull(),
});
