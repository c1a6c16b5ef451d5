/**
 * The SQL contract's views, declared for reads: what they have in common. Each row is exactly what an analyst sees: its
 * members are the columns of its view, in the view's order. The views themselves are files of `migrations/views/`.
 */
import { bigint, numeric, pgSchema } from 'drizzle-orm/pg-core';
import { ref } from '../schema.ts';

export const analytics = pgSchema('strandline_analytics');

export const id = () => ref().notNull();
/** A number of rows. */
export const tally = () => bigint({ mode: 'number' });
export const usd = () => numeric({ mode: 'number' });
