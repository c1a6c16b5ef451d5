import { sql } from 'drizzle-orm';
import { check, index, jsonb, text } from 'drizzle-orm/pg-core';
import { instant, key, strandline } from './schema.ts';

/** Who changed what, one row per change, written in the transaction of the change. See store/audit.ts. */
export const audit_log = strandline.table(
  'audit_log',
  {
    id: key(),
    /** By the database's clock. */
    at: instant().notNull(),
    actor: text().notNull(),
    /** The part that names the token; as text, so that the row outlives it. */
    token: text(),
    /** What the token was called then; otherwise the account of the command line, or the part of the program. */
    name: text(),
    /** `search.updated`: a kind of thing, and what became of it. */
    action: text().notNull(),
    /** Slug, id or name of the thing; null where there is one of its kind. */
    subject: text(),
    /** Fields that changed, by name: `{"cooldown_seconds": {"before": 0, "after": 3600}}`. No secret. */
    changes: jsonb().notNull(),
  },
  (t) => [
    index('audit_log_at').on(t.at),
    index('audit_log_token').on(t.token, t.id),
    index('audit_log_subject').on(t.subject, t.id),
    check('audit_log_actor', sql`${t.actor} in ('token', 'session', 'local', 'command_line', 'program')`),
    check('audit_log_token', sql`(${t.token} is not null) = (${t.actor} in ('token', 'session'))`),
    check('audit_log_action', sql`${t.action} ~ '^[a-z_]+[.][a-z_]+$'`),
    check('audit_log_changes', sql`pg_column_size(${t.changes}) <= 65536`),
  ],
);
