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

/** Addresses of the dashboard with their filters, kept under a name for everybody who uses the installation. */
export const saved_views = strandline.table(
  'saved_views',
  {
    id: key(),
    name: text().notNull(),
    /** Path and query, as at the root. */
    address: text().notNull(),
    created_at: instant().notNull(),
  },
  (t) => [unique('saved_views_name').on(t.name)],
);

/** Links that show one page of the dashboard without a token, until they expire or are revoked. */
export const shares = strandline.table(
  'shares',
  {
    id: key(),
    /** The public part of the key. */
    prefix: text().notNull(),
    /** SHA-256 of the whole key, which is in the link only. */
    hash: text().notNull(),
    name: text().notNull(),
    /** Path and query of the page, with ids for slugs: `/topics/{t3}?range=7d`. See `store/access/share-subjects.ts`. */
    address: text().notNull(),
    /** In a few words: a token, an account of the command line, or this machine. */
    created_by: text().notNull(),
    created_at: instant().notNull(),
    expires_at: instant().notNull(),
    last_opened_at: instant(),
    revoked_at: instant(),
  },
  (t) => [unique('shares_prefix_key').on(t.prefix)],
);

/** Keys for access; only their hashes are stored. */
export const tokens = strandline.table(
  'tokens',
  {
    id: key(),
    /** The public prefix, which identifies the token. */
    prefix: text().notNull(),
    name: text().notNull(),
    hash: text().notNull(),
    /** Hash of the previous key, and when it expires. */
    former_hash: text(),
    former_until: instant(),
    /** `service`: a key of the search service. */
    scopes: text().array().notNull(),
    created_at: instant().notNull(),
    last_used_at: instant(),
    /** Null: it does not expire. */
    expires_at: instant(),
    revoked_at: instant(),
  },
  (t) => [
    unique('tokens_prefix_key').on(t.prefix),
    check('tokens_former', sql`(${t.former_hash} is null) = (${t.former_until} is null)`),
  ],
);

/** Facts that hold once per database, such as whether the sample topic was created. */
export const facts = strandline.table('facts', {
  name: text().primaryKey(),
  value: text().notNull(),
  at: instant().notNull(),
});

/** When the last scan began, by the database's clock: one row. Shows missing scans. */
export const scanner = strandline.table(
  'scanner',
  {
    id: smallint().primaryKey().default(1),
    scanned_at: instant().notNull(),
  },
  (t) => [check('scanner_one', sql`${t.id} = 1`)],
);

/** Recurring work, such as retention: the scan finds what is due. */
export const recurring_work = strandline.table('recurring_work', {
  name: text().primaryKey(),
  next_due_at: instant().notNull(),
  last_ended_at: instant(),
});

/** Requests that may be repeated: all get the reply to the first. Kept for 24 hours. */
export const idempotency_keys = strandline.table(
  'idempotency_keys',
  {
    /** Who sent it: a token, a session, or this machine. */
    visitor: text().notNull(),
    /** Method and pattern of the route. */
    route: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the request: the same key with another body is rejected. */
    body_hash: bytea().notNull(),
    /** When its execution started, which identifies it: without a reply, it is void after its time limit. */
    created_at: instant().notNull(),
    /** Null while in progress. */
    status: integer(),
    /** Headers and body of the reply, without secrets. */
    reply: text(),
  },
  (t) => [
    primaryKey({ columns: [t.visitor, t.route, t.key] }),
    check('idempotency_keys_reply', sql`(${t.status} is null) = (${t.reply} is null)`),
  ],
);

/** Dashboard sessions. Only a hash of the cookie is stored. */
export const sessions = strandline.table(
  'sessions',
  {
    id: key(),
    /** SHA-256 of the cookie, in hex. */
    hash: text().notNull(),
    /** The token used to sign in: the session has its scopes, and ends with it. */
    token_id: ref()
      .notNull()
      .references(() => tokens.id, { onDelete: 'cascade' }),
    created_at: instant().notNull(),
    seen_at: instant().notNull(),
    /** Set if the key used to sign in was replaced; null: it is the token's current key. */
    ends_at: instant(),
  },
  (t) => [unique('sessions_hash_key').on(t.hash), index('sessions_token').on(t.token_id)],
);

/** The secret for form tokens, shared by all processes. */
export const form_secret = strandline.table(
  'form_secret',
  {
    one: boolean().primaryKey().default(true),
    secret: text().notNull(),
    made_at: instant().notNull(),
  },
  (t) => [check('form_secret_one', sql`${t.one}`)],
);

/** Who changed what, one row per change, written in the transaction of the change. See `store/access/audit-entries.ts`. */
export const audit_log = strandline.table(
  'audit_log',
  {
    id: key(),
    /** By the database's clock. */
    at: instant().notNull(),
    actor: text().notNull(),
    /** Prefix of the token; as text, so that the entry outlives it. */
    token: text(),
    /** Name of the token at that time; otherwise the account of the command line, or the part of the program. */
    name: text(),
    /** Kind of object and event, such as `search.updated`. */
    action: text().notNull(),
    /** Slug, ID or name of the object; null if there is only one of its kind. */
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
 * Event counters since the database was created. Triggers (`0000_tables`) insert a step in the transaction of the
 * event, so that each is counted exactly once, however late it commits, and no transaction waits for a counter row.
 * Recurring work adds up the steps. A count is the sum of its row and its steps.
 */
export const counts = strandline.table(
  'counts',
  {
    name: text().notNull(),
    /** From closed sets, in the order fixed for the name: see `store/derive/counts.ts`. */
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

/** Used allowance of a public source per period. The row lock makes "compare and add" atomic across processes. */
export const source_allowances = strandline.table(
  'source_allowances',
  {
    source: text().notNull(),
    /** A day in the source's own time zone, such as `2026-11-21`. */
    period: text().notNull(),
    /** Whole units: calls, or micro-dollars. */
    units: bigint({ mode: 'bigint' }).notNull(),
    counted_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.period] }),
    check('source_allowances_units', sql`${t.units} >= 0`),
  ],
);

/** The last turn of a source that allows one request at a time from all machines together. */
export const source_pacing = strandline.table('source_pacing', {
  source: text().primaryKey(),
  /** By the database's clock, which all machines share. */
  at: instant().notNull(),
});

/** Pages that the search service opened, for a day: a cache. */
export const opened_pages = strandline.table(
  'opened_pages',
  {
    /** SHA-256 of the address. */
    address_hash: bytea().primaryKey(),
    /** Text and metadata of the page. */
    page: jsonb().notNull(),
    /** Headers by which an unchanged page is not sent again. */
    validators: jsonb().notNull(),
    /** Until then, it is not requested again. */
    fresh_until: instant().notNull(),
    read_at: instant().notNull(),
  },
  (t) => [index().on(t.read_at)],
);
