/** Tables of the installation: workers, access, audit log, counts and sources. */

import { instant, key, ref, strandline } from './schema.ts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  unique,
} from 'drizzle-orm/pg-core';

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
    /** While in progress: no other execution starts before this time, by the database's clock. */
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

/** Who changed what, one row per change, written in the transaction of the change. See `store/audit-entries.ts`. */
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

/**
 * What has happened since there is this database, counted for whoever watches it. Triggers (`0000_tables`) write a step in the
 * transaction in which it happens, so that no end is counted twice or lost, however late it commits; nobody waits for
 * anybody, as they would for one row. Recurring work adds the steps up. A count is its row and its steps together.
 */
export const counts = strandline.table(
  'counts',
  {
    name: text().notNull(),
    /** Of closed sets, in the order that is fixed for the name: see `store/counts.ts`. */
    labels: text().array().notNull(),
    n: doublePrecision().notNull(),
  },
  (t) => [primaryKey({ columns: [t.name, t.labels] })],
);

export const count_increments = strandline.table('count_increments', {
  name: text().notNull(),
  labels: text().array().notNull(),
  n: doublePrecision().notNull(),
});

/**
 * What was taken of a public source's allowance in a period. Its row lock makes "compare and add" a single
 * step however many processes ask at once.
 */
export const source_allowances = strandline.table(
  'source_allowances',
  {
    source: text().notNull(),
    /** A day of the source's own time zone, as it writes it: `2026-11-21`. */
    period: text().notNull(),
    /** Whole: calls, or micro-dollars. */
    units: bigint({ mode: 'bigint' }).notNull(),
    counted_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.period] }),
    check('source_allowances_units', sql`${t.units} >= 0`),
  ],
);

/** The last turn that was given, where a source allows one request at a time from all machines together. */
export const source_pacing = strandline.table('source_pacing', {
  source: text().primaryKey(),
  /** By the database's clock, the only one that all machines share. */
  at: instant().notNull(),
});
