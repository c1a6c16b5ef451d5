import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, numeric, text } from 'drizzle-orm/pg-core';
import { instant, key, ref, strandline } from './schema.ts';
import { services } from './services.ts';

/**
 * Calls that tried out a search before it was saved: they belong to no run, cost what any call costs, and nothing of
 * their answers is kept. As in `calls`, the row is committed before the request is sent.
 */
export const trials = strandline.table(
  'trials',
  {
    id: key(),
    service_id: ref()
      .notNull()
      .references(() => services.id),
    operation: text().notNull(),
    prompt: text().notNull(),
    tools: text().array().notNull(),
    model: text().notNull(),
    date_filter: text(),
    streaming: boolean().notNull(),
    extra: jsonb().notNull(),
    /** `unknown`: nobody waited for its end, or the process ended before it; it counts as paid. */
    state: text().notNull(),
    http_status: integer(),
    /** Why it failed: a code of the closed list; also where an answer came and could not be read. */
    code: text(),
    bytes: integer(),
    latency_ms: integer(),
    cost_usd: numeric({ precision: 12, scale: 6 }),
    sent_at: instant().notNull(),
    /** Where it is still `sent` by then, nobody will hear of it any more. */
    deadline_at: instant().notNull(),
    received_at: instant(),
    /** Its request certainly never left: it counts in no day and no minute. */
    refunded: boolean().notNull().default(false),
  },
  (t) => [
    index('trials_service').on(t.service_id, t.sent_at),
    index('trials_open').on(t.deadline_at).where(sql`${t.state} = 'sent'`),
    check('trials_operation', sql`${t.operation} in ('ai', 'microblog')`),
    check('trials_state', sql`${t.state} in ('sent', 'received', 'failed', 'unknown')`),
  ],
);
