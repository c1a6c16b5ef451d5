import { sql } from 'drizzle-orm';
import { check, customType, integer, primaryKey, smallint, text, unique } from 'drizzle-orm/pg-core';
import { instant, key, strandline } from './schema.ts';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** Processes that execute runs, by their last heartbeat. */
export const workers = strandline.table('workers', {
  name: text().primaryKey(),
  version: text().notNull(),
  queue: text().notNull(),
  concurrency: integer().notNull(),
  /** Its clock minus the database's, in milliseconds. */
  skew_ms: integer().notNull(),
  /** Responses on its disk that the database has not taken yet. */
  spooled: integer().notNull().default(0),
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
    /** Of the key before this one, and until when that one still opens. */
    former_hash: text(),
    former_until: instant(),
    /** `service`: a key of the search service. */
    scopes: text().array().notNull(),
    created_at: instant().notNull(),
    last_used_at: instant(),
    /** Null: it does not end by itself. */
    expires_at: instant(),
    revoked_at: instant(),
  },
  (t) => [
    unique('tokens_prefix_key').on(t.prefix),
    check('tokens_former', sql`(${t.former_hash} is null) = (${t.former_until} is null)`),
  ],
);

/** Facts about this database that must hold once: whether its sample topic was made, and the like. */
export const facts = strandline.table('facts', {
  name: text().primaryKey(),
  value: text().notNull(),
  at: instant().notNull(),
});

/** When the scan last ran, by the database's clock: one row. A scan that did not happen is noticed here. */
export const scanner = strandline.table(
  'scanner',
  {
    id: smallint().primaryKey().default(1),
    scanned_at: instant().notNull(),
  },
  (t) => [check('scanner_one', sql`${t.id} = 1`)],
);

/** Work that comes again by itself, such as retention: the scan finds what is due. */
export const recurring_work = strandline.table('recurring_work', {
  name: text().primaryKey(),
  next_due_at: instant().notNull(),
  last_ended_at: instant(),
});

/** Requests that may be sent twice: the reply to the first is the reply to all of them. Kept for 24 hours. */
export const idempotency_keys = strandline.table(
  'idempotency_keys',
  {
    /** Who sent it: a token, a session, or this machine. */
    visitor: text().notNull(),
    /** Method and pattern of the route. */
    route: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the request: the same key with another body is refused. */
    body_hash: bytea().notNull(),
    created_at: instant().notNull(),
    /** Counts executions: a later one begins where the process of an earlier one ended. The highest may write. */
    fence: integer().notNull().default(1),
    /** While it is in progress: nobody else executes it before this time. By the database's clock. */
    lease_until: instant(),
    /** What an execution created, written in the transaction that created it: a later one does not create it again. */
    committed: text(),
    /** Null while it is in progress. */
    status: integer(),
    /** Headers and body of the reply; a secret in it is left out. */
    reply: text(),
  },
  (t) => [
    primaryKey({ columns: [t.visitor, t.route, t.key] }),
    check('idempotency_keys_state', sql`(${t.status} is null) = (${t.lease_until} is not null)`),
  ],
);
