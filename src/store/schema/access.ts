import { sql } from 'drizzle-orm';
import { boolean, check, index, text, unique } from 'drizzle-orm/pg-core';
import { instant, key, ref, strandline } from './schema.ts';
import { tokens } from './workers.ts';

/** Who is signed in to the dashboard. What a cookie holds is not here: only its hash is. */
export const sessions = strandline.table(
  'sessions',
  {
    id: key(),
    /** SHA-256 of what the cookie holds, in hex. */
    hash: text().notNull(),
    /** The token it was begun with: the session may what the token may, and ends with it. */
    token_id: ref()
      .notNull()
      .references(() => tokens.id, { onDelete: 'cascade' }),
    created_at: instant().notNull(),
    seen_at: instant().notNull(),
    /** It was begun with a key that was replaced, and ends with it; null: the token's key of today. */
    ends_at: instant(),
  },
  (t) => [unique('sessions_hash_key').on(t.hash), index('sessions_token').on(t.token_id)],
);

/** What form tokens are made with: one secret for all processes on this database. */
export const form_secret = strandline.table(
  'form_secret',
  {
    one: boolean().primaryKey().default(true),
    secret: text().notNull(),
    made_at: instant().notNull(),
  },
  (t) => [check('form_secret_one', sql`${t.one}`)],
);
