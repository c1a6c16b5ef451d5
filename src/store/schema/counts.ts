import { doublePrecision, primaryKey, text } from 'drizzle-orm/pg-core';
import { strandline } from './schema.ts';

/**
 * What has happened since there is this database, counted for whoever watches it. Triggers (`0000_tables`) write a step in the
 * transaction in which it happens, so that no end is counted twice or lost, however late it commits; nobody waits for
 * anybody, as they would for one row. Recurring work adds the steps up. A count is its row and its steps together.
 */
export const counts = strandline.table(
  'counts',
  {
    name: text().notNull(),
    /** Of closed sets, in the order that is fixed for the name: see src/store/counts.ts. */
    labels: text().array().notNull(),
    n: doublePrecision().notNull(),
  },
  (t) => [primaryKey({ columns: [t.name, t.labels] })],
);

export const count_steps = strandline.table('count_steps', {
  name: text().notNull(),
  labels: text().array().notNull(),
  n: doublePrecision().notNull(),
});
