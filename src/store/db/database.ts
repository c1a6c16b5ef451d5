/** The database: pool, transactions, statement time, and error classification. */

import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { LOCK_ERRORS, prepareEach } from '../../platform/postgres/session.ts';
import { type ConnectionShares, SharedPool } from './shared-pool.ts';
import { sql, type SQL } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgColumn } from 'drizzle-orm/pg-core';
import {
  type CustomTypesConfig,
  types as defaults,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
} from 'pg';

/** A primary key in Postgres; a string in JSON. */
export type Id = bigint;

export type Transaction = PoolClient;

export type Database = {
  pool: Pool;
  /** Drizzle over the same pool, for reads and simple writes. */
  orm: NodePgDatabase;
  close(): Promise<void>;
  /** The connection of the transaction that all changes belong to; only set where there is one (`held-transaction.ts`). */
  hold?: () => Promise<Transaction>;
};

/** What executes statements: the pool, or a transaction on one of its connections. */
export type Queryable = Pick<Transaction, 'query'> | Pool;

/** What queries take: the pool, for statements of their own, Drizzle, or both. */
export type Pooled = Pick<Database, 'pool'>;
export type Orm = Pick<Database, 'orm'>;
export type Reads = Pooled & Orm;

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Keys exceed Number.MAX_SAFE_INTEGER, so raw queries return bigint columns as bigint. */
const TYPE_PARSERS: CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    const type: number = oid;
    if (type === INT8) return BigInt;
    return type === INT8_ARRAY ? readBigints : defaults.getTypeParser(oid, format);
  },
};

function readBigints(text: string): (bigint | null)[] {
  if (text === '{}') return [];
  return text
    .slice(1, -1)
    .split(',')
    .map((id) => (id === 'NULL' ? null : BigInt(id)));
}

/**
 * Opens a connection pool. Time limits are set on both sides, because a server's own limit does not help on a silently dead
 * connection.
 * @param options.max maximum connections
 * @param options.lossy commits do not wait for the disk: a server crash may lose the last ones
 * @param options.statementMs statement timeout
 * @param options.idleMs an unused connection is closed after this time
 * @param options.shares how visitors share the connections. Default: first come, first served
 */
export function openDatabase(
  url: string,
  options: {
    max?: number;
    name?: string;
    log: Logger;
    lossy?: boolean;
    statementMs?: number;
    shares?: ConnectionShares;
    idleMs?: number;
  },
): Database {
  const { statementMs = 55_000, idleMs = 10_000, shares } = options;
  const settings: PoolConfig = {
    connectionString: url,
    application_name: options.name ?? 'strandline',
    max: options.max ?? 10,
    idleTimeoutMillis: idleMs,
    types: TYPE_PARSERS,
    keepAlive: true,
    // A connection may keep outdated server state, such as being read-only.
    maxLifetimeSeconds: 15 * 60,
    // Sends statements without waiting for earlier results.
    pipeline: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: statementMs + 5_000,
    ...prepareEach({
      statement_timeout: `${statementMs}ms`,
      lock_timeout: '15s',
      idle_in_transaction_session_timeout: '1min',
      client_connection_check_interval: '5s',
      ...(options.lossy === true ? { synchronous_commit: 'off' } : {}),
    }),
  };
  const pool = shares === undefined ? new Pool(settings) : new SharedPool(settings, shares);
  // Without listeners, a restart of Postgres would end the process; the next query reports the error. The pool
  // listens only to idle connections.
  const onLost = (error: Error) => options.log.debug({ err: error }, 'database connection lost');
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', onLost));
  return { pool, orm: drizzle(pool), close: () => pool.end() };
}

/** The database's clock as SQL. Truncated, because a cast to three digits could round up into the future. */
export const CLOCK_SQL = `date_trunc('milliseconds', clock_timestamp())`;

/** Exponential backoff as SQL: one minute, doubled with each attempt. @param max such as `1 hour` */
export function backOffSql(attempts: string, max: string): string {
  return `least(interval '${max}', interval '1 minute' * power(2, least(${attempts}, 10)))`;
}

/**
 * The row of a statement that returns exactly one row.
 * @throws Error: it returned none, which is a fault of the program or of the data
 */
export function onlyRow<Row>(
  [row]: readonly Row[],
  missing = 'a statement that returns one row returned none',
): Row {
  if (row === undefined) throw new Error(missing);
  return row;
}

/** Rows as a parameter: as JSON, with IDs as strings. */
export function writeRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Names and SQL types of what a statement reads from such a parameter. */
export type Columns = Readonly<Record<string, string>>;

/** `a, b, c`, each with a prefix such as `r.`. */
export function columnNames(columns: Columns, prefix = ''): string {
  return Object.keys(columns)
    .map((name) => prefix + name)
    .join(', ');
}

/** `a bigint, b text`: the row type of json_to_recordset. */
export function typedColumns(...groups: Columns[]): string {
  return groups
    .flatMap((columns) => Object.entries(columns))
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
}

/** The IDs that a statement returns as `id`, in its order. */
export async function selectIds(
  db: Queryable,
  statement: string | QueryConfig,
  values?: readonly unknown[],
): Promise<Id[]> {
  const { rows } = await db.query<{ id: Id }>(statement, values && [...values]);
  return rows.map(({ id }) => id);
}

/** The current shared time, for rules evaluated outside of SQL. */
export async function readTime(db: Queryable, clock: Pick<Clock, 'statementTime'>): Promise<Date> {
  const statementTime = clock.statementTime();
  if (statementTime !== null) return statementTime;
  const { rows } = await db.query<{ now: Date }>({
    name: 'read_time',
    text: `SELECT ${CLOCK_SQL} AS now`,
  });
  return onlyRow(rows).now;
}

/** Drizzle on one connection, inside its transaction. */
export function createOrm(tx: Transaction): NodePgDatabase {
  return drizzle(tx);
}

const RETRYABLE = new Set(['40001', ...LOCK_ERRORS]);
const MAX_TRANSACTION_ATTEMPTS = 5;
/** Error of every statement after a failed statement in a transaction. */
const IN_FAILED_TRANSACTION = '25P02';

/**
 * Registers a statement whose result is not needed: COMMIT is sent right after it, and fails with it. If the connection
 * breaks, it is unknown whether all was committed, as with any commit: the caller must check, or be idempotent.
 */
export type SendLast = (sent: Promise<unknown>) => void;

/**
 * For statements with fixed access paths, for which custom plans are always the same as the generic plan. Postgres compares
 * costs with those of earlier plans on smaller tables, and so re-plans each time in a growing database (milliseconds for
 * larger statements). A generic plan must not use sequential scans just because tables had one page when it was made: that
 * read 40 million rows of counters for 3,000 runs of 20 posts.
 */
export const KEEP_PLANS =
  'SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; SET LOCAL jit = off';

/** Statements that begin, end and undo a transaction; `PART`: a savepoint inside a held transaction (`held-transaction.ts`). */
const WHOLE = { begin: 'BEGIN', end: 'COMMIT', undo: 'ROLLBACK' } as const;
const PART = {
  begin: 'SAVEPOINT part',
  end: 'RELEASE SAVEPOINT part',
  undo: 'ROLLBACK TO SAVEPOINT part',
} as const;

/**
 * Runs `work` in one transaction, or as a part of the transaction that is held. Retries after deadlocks, serialization failures and
 * lock timeouts, so `work` must have no other side effects. Statements may be pipelined: Postgres executes them in order, and
 * none after a failed statement, including COMMIT.
 */
export async function inTransaction<T>(
  db: Database,
  work: (tx: Transaction, last: SendLast) => Promise<T>,
): Promise<T> {
  const { begin, end, undo } = db.hold === undefined ? WHOLE : PART;
  for (let attempt = 1; ; attempt += 1) {
    const tx = await (db.hold === undefined ? db.pool.connect() : db.hold());
    const unanswered: Promise<unknown>[] = [];
    let broken: Error | undefined;
    try {
      // Awaited: statements after a failed BEGIN would be committed one by one.
      await tx.query(begin);
      const result = await work(tx, (sent) => {
        sent.catch(() => {}); // reported below, in the order of the statements
        unanswered.push(sent);
      });
      const ended = tx.query(end);
      await awaitAll([...unanswered, ended]);
      if (end === 'COMMIT' && (await ended).command !== end)
        throw new Error('the transaction was rolled back at COMMIT');
      return result;
    } catch (error) {
      // A server that timed out would not respond to ROLLBACK either.
      broken = error instanceof Error && isClientTimeout(error) ? error : await rollback(tx, undo);
      const failure = await firstFailure([...unanswered, Promise.reject(error)]);
      if (!(attempt < MAX_TRANSACTION_ATTEMPTS && RETRYABLE.has(readSqlState(failure)))) throw failure;
    } finally {
      if (db.hold === undefined) tx.release(broken);
    }
  }
}

/**
 * Results of pipelined statements. Waits for all of them even if one fails: nothing may be sent after the rollback.
 * @throws the first failure. Later statements fail as well, and their errors may arrive earlier
 */
export async function awaitAll<Answers extends readonly unknown[]>(
  sent: {
    readonly [I in keyof Answers]: Promise<Answers[I]>;
  },
): Promise<Answers> {
  const failure = await firstFailure(sent);
  if (failure !== undefined) throw failure;
  return Promise.all(sent);
}

/** Waits for all. @returns the first failure, ignoring errors of statements that failed because of it */
async function firstFailure(sent: readonly Promise<unknown>[]): Promise<unknown> {
  const failures: unknown[] = [];
  for (const reply of sent) reply.catch((error: unknown) => failures.push(error));
  await Promise.allSettled(sent);
  return failures.find((error) => readSqlState(error) !== IN_FAILED_TRANSACTION) ?? failures[0];
}

/** The client's time limit expired: pg identifies it only by message. */
export function isClientTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Rolls back. @returns an error if the connection must not be reused */
async function rollback(tx: Transaction, undo: string): Promise<Error | undefined> {
  try {
    await tx.query(undo);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed');
  }
}

/** Whether the error is a violation of this constraint. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === constraint;
}

const UNREACHABLE_ERRORS =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|\bterminated|timeout|Query read timeout|not queryable/i;

/** The socket file is missing until the server starts. */
const NO_SOCKET_MESSAGE = /^connect ENOENT /;

/**
 * Transient SQLSTATE classes: no connection, shutdown, out of resources, timeouts of statements, idle transactions and
 * locks.
 */
const UNREACHABLE_STATES = /^(08...|57P..|57014|53...|25P03|55P03)$/;

/** Whether an error means that the database is unavailable (starting, stopping, unreachable), so that a retry may help. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = readSqlState(error);
  if (state !== '') return UNREACHABLE_STATES.test(state);
  if ('code' in error && typeof error.code === 'string')
    return UNREACHABLE_ERRORS.test(error.code) || NO_SOCKET_MESSAGE.test(error.message);
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return UNREACHABLE_ERRORS.test(error.message) || isUnreachable(error.cause);
}

/** Whether Postgres rejects the data (SQLSTATE classes 22 and 23), so that a retry fails again. */
export function refusesData(error: unknown): boolean {
  return /^2[23]/.test(readSqlState(error));
}

/**
 * Whether an error comes from Postgres or the connection. Except for {@link refusesData}, all may be transient: a database
 * that is read-only, full, being restored, or has another password works again after it is repaired.
 */
export function isDatabaseError(error: unknown): boolean {
  return readSqlState(error) !== '' || isUnreachable(error);
}

/** Five characters including a digit: `EPIPE` is a system error. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The SQLSTATE of an error; empty if it is not a Postgres error. */
export function readSqlState(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string' && SQL_STATE.test(error.code)) return error.code;
  return error.cause === undefined ? '' : readSqlState(error.cause);
}

/**
 * Keys as one parameter, `ids`, so that the statement is planned once per connection: planning these views takes longer
 * than running them.
 */
export const amongIds = (column: PgColumn): SQL => sql`${column} = any (${sql.placeholder('ids')}::bigint[])`;

const preparedQueries = new WeakMap<NodePgDatabase, Map<string, unknown>>();

/**
 * A query that is built once per database and prepared once per connection: building one takes as long as reading a few rows.
 * @param name of this query alone: `build` must return the same query whenever it is called with this name
 */
export function prepareOnce<Prepared>(
  orm: NodePgDatabase,
  name: string,
  build: () => { prepare(name: string): Prepared },
): Prepared {
  const queries = preparedQueries.get(orm) ?? new Map<string, unknown>();
  preparedQueries.set(orm, queries);
  const prepared = queries.get(name) ?? build().prepare(name);
  queries.set(name, prepared);
  return prepared as Prepared; // a name stands for one query
}
