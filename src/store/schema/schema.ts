/** Shared by all table declarations. */

import { bigint, pgSchema, text, timestamp } from 'drizzle-orm/pg-core';

/** Schema of our tables. */
export const strandline = pgSchema('strandline');

/** A generated bigint key. External IDs are text (`external_id`). */
export const key = () => bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity();
export const ref = () => bigint({ mode: 'bigint' });

/** An instant, in UTC. No column of the domain defaults to now(): callers pass the time of their clock. */
export const instant = () => timestamp({ withTimezone: true, mode: 'date', precision: 3 });

/** The `name` of the file that owns it (`monitor/watch-file/`); null: no file does. */
export const ownerName = () => text();

/** A number of things, or an external counter: null if unknown, which is not zero. */
export const counter = () => bigint({ mode: 'number' });
