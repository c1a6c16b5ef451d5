import { integer, text, unique } from 'drizzle-orm/pg-core';
import { instant, key, strandline } from './schema.ts';

/** Processes that take up runs, by their last sign of life. */
export const workers = strandline.table('workers', {
  name: text().primaryKey(),
  version: text().notNull(),
  queue: text().notNull(),
  concurrency: integer().notNull(),
  /** Its clock minus the database's, in milliseconds. */
  skew_ms: integer().notNull(),
  started_at: instant().notNull(),
  seen_at: instant().notNull(),
});

/** Keys that open our doors; only their hash is kept. */
export const tokens = strandline.table(
  'tokens',
  {
    id: key(),
    /** The part that may be shown: it names the token. */
    prefix: text().notNull(),
    name: text().notNull(),
    hash: text().notNull(),
    /** `service`: a key of the search service. */
    scopes: text().array().notNull(),
    created_at: instant().notNull(),
    last_used_at: instant(),
    /** Null: it does not end by itself. */
    expires_at: instant(),
    revoked_at: instant(),
  },
  (t) => [unique('tokens_prefix_key').on(t.prefix)],
);

/** Facts about this database that must hold once: whether its sample topic was made, and the like. */
export const facts = strandline.table('facts', {
  name: text().primaryKey(),
  value: text().notNull(),
  at: instant().notNull(),
});
