/** What all declarations of tables share. */

import { bigint, pgSchema, timestamp } from 'drizzle-orm/pg-core';

/** Our tables live in a schema of their own; analysts read `strandline_analytics` (views only). */
export const strandline = pgSchema('strandline');

/** A key of ours: a bigint that Postgres hands out. Ids from outside are text (`external_id`). */
export const key = () => bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity();
export const ref = () => bigint({ mode: 'bigint' });

/** An instant, in UTC. No domain column defaults to now(): every time is given by the caller's clock. */
export const instant = () => timestamp({ withTimezone: true, mode: 'date', precision: 3 });

/** A counter from outside: null when unknown, which is not zero. */
export const counter = () => bigint({ mode: 'number' });
