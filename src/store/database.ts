/** The database: its pool and transactions, the time of statements, and what an error of it means. */

import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { type ConnectionShares, SharedPool } from './shared-pool.ts';
import { sql, type SQL } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { type CustomTypesConfig, types as defaults, Pool, type PoolClient, type PoolConfig } from 'pg';

/** A key of ours in Postgres. In JSON it is a string. */
export type Id = bigint;

export type Transaction = PoolClient;

export type Database = {
  pool: Pool;
  /** Drizzle over the same pool, for reads and simple writes. */
  orm: NodePgDatabase;
  close(): Promise<void>;
};

/** What queries ask through: none of them writes. */
export type Reads = Pick<Database, 'orm' | 'pool'>;

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Our keys exceed what a number holds exactly: bigint columns come back as bigint in raw queries. */
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
    .map((one) => (one === 'NULL' ? null : BigInt(one)));
}

/**
 * Opens a pool on our database. Limits stand on both sides, because a server's own time limit does not
 * help on a connection that died silently.
 * @param options.max most connections at a time
 * @param options.lossy commits do not wait for the disk: a crash of the server may take the last ones along
 * @param options.statementMs how long a statement may take
 * @param options.shares how visitors share the connections; left out, whoever comes first has them
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
  },
): Database {
  const { statementMs = 55_000, shares } = options;
  const settings: PoolConfig = {
    connectionString: url,
    application_name: options.name ?? 'strandline',
    max: options.max ?? 10,
    types: TYPE_PARSERS,
    keepAlive: true,
    // A connection may keep a state of its server that has passed, such as being read-only.
    maxLifetimeSeconds: 15 * 60,
    // Statements that do not wait for each other's answers are sent one behind the other.
    pipeline: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: statementMs + 5_000,
    statement_timeout: statementMs,
    lock_timeout: 15_000,
    idle_in_transaction_session_timeout: 60_000,
    options: `-c timezone=UTC -c client_connection_check_interval=5000${options.lossy === true ? ' -c synchronous_commit=off' : ''}`,
  };
  const pool = shares === undefined ? new Pool(settings) : new SharedPool(settings, shares);
  // Without listeners a restart of Postgres ends the process; the query that needs the connection reports it.
  // The pool listens to connections that rest, not to those that are in somebody's hands between two queries.
  const onLost = (error: Error) => options.log.debug({ err: error }, 'database connection lost');
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', onLost));
  return { pool, orm: drizzle(pool), close: () => pool.end() };
}

/**
 * The time of a statement as SQL: the one it is given (a simulation's or a test's), otherwise that of the database's
 * clock. Truncated, because a cast to three digits rounds up into the future.
 * @param given such as `$1`, or a column of what is asked for; its value is {@link Clock.statementTime}
 */
export function sqlTime(given: `$${number}` | `asked.${string}`): string {
  return `coalesce(${given}::timestamptz, date_trunc('milliseconds', clock_timestamp()))`;
}

/** How long after an attempt the next one may be made, in SQL: a minute, then twice as long each time. @param max such as `1 hour` */
export function backOffSql(attempts: string, max: string): string {
  return `least(interval '${max}', interval '1 minute' * power(2, least(${attempts}, 10)))`;
}

/** The current time of everything that is shared, for rules that are decided outside of SQL. */
export async function readTime(
  db: Pick<Pool | PoolClient, 'query'>,
  clock: Pick<Clock, 'statementTime'>,
): Promise<Date> {
  const given = clock.statementTime();
  if (given !== null) return given;
  const { rows } = await db.query<{ now: Date }>({
    name: 'read_time',
    text: `SELECT ${sqlTime('$1')} AS now`,
    values: [null],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('a SELECT without FROM has one row');
  return row.now;
}

/** Drizzle over one connection: what is written by it belongs to the transaction. */
export function createOrm(tx: Transaction): NodePgDatabase {
  return drizzle(tx);
}

const RETRYABLE = new Set(['40001', '40P01', '55P03']);
const MAX_TRANSACTION_ATTEMPTS = 5;
/** What Postgres says of each statement of a transaction in which one failed. */
const IN_FAILED_TRANSACTION = '25P02';

/**
 * Takes a statement that was sent and whose answer nobody needs: the commit is sent behind it, and fails with it. A connection
 * that breaks then leaves it unknown whether all was committed, as at any commit: the caller asks, or does what may be done twice.
 */
export type SendLast = (sent: Promise<unknown>) => void;

/**
 * For statements whose every access is written into them: a plan made for just these values would be the same plan again.
 * Postgres weighs what a plan costs against what plans cost when the tables were small, and in a database that grows it
 * makes a new one each time (milliseconds for each of the larger statements). A kept plan must not read whole tables because
 * they had one page when it was made: 40 million rows of counters for 3,000 runs of 20 posts.
 */
export const KEEP_PLANS =
  'SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off; SET LOCAL jit = off';

/**
 * Runs `work` in one transaction. Deadlocks, serialization failures and lock time-outs are tried again:
 * `work` must do nothing but talk to the database. Statements may be sent before those ahead of them are
 * answered: Postgres runs them in their order, and none behind one that failed, the commit included.
 */
export async function inTransaction<T>(
  db: Database,
  work: (tx: Transaction, last: SendLast) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const tx = await db.pool.connect();
    const unanswered: Promise<unknown>[] = [];
    let broken: Error | undefined;
    try {
      // Waited for: what is sent behind a BEGIN that failed would be committed one by one.
      await tx.query('BEGIN');
      const result = await work(tx, (sent) => {
        sent.catch(() => {}); // told below, in the order of the statements
        unanswered.push(sent);
      });
      const commit = tx.query('COMMIT');
      await awaitAll([...unanswered, commit]);
      if ((await commit).command !== 'COMMIT') throw new Error('what was to be committed was rolled back');
      return result;
    } catch (error) {
      // A server that did not answer in time would not answer this either.
      broken = isClientTimeout(error) ? error : await rollback(tx);
      const failure = await firstFailure([...unanswered, Promise.reject(error)]);
      if (!(attempt < MAX_TRANSACTION_ATTEMPTS && RETRYABLE.has(readSqlState(failure)))) throw failure;
    } finally {
      tx.release(broken);
    }
  }
}

/**
 * The answers to statements that were sent together, or to what goes on behind them. Waits for all of them, also where one
 * fails: nothing must be sent behind the rollback.
 * @throws what failed first. Statements behind it fail as well, and such a failure may be heard of earlier, for answers
 * come together and some are awaited by more functions than others
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

/** Waits for all of them. @returns what failed first; a statement behind it only says that it stands behind a failure */
async function firstFailure(sent: readonly Promise<unknown>[]): Promise<unknown> {
  const failures: unknown[] = [];
  for (const one of sent) one.catch((error: unknown) => failures.push(error));
  await Promise.allSettled(sent);
  return failures.find((error) => readSqlState(error) !== IN_FAILED_TRANSACTION) ?? failures[0];
}

/** A time limit of the client's own ran out: pg says so with a message and nothing else. */
function isClientTimeout(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Leaves the connection clean, or says why it must not be used again. */
async function rollback(tx: Transaction): Promise<Error | undefined> {
  try {
    await tx.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed');
  }
}

/** Whether a constraint of this name refused a row. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === constraint;
}

const UNREACHABLE_ERRORS =
  /ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|E(?:HOST|NET)(?:UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|\bterminated|timeout|Query read timeout|not queryable/i;

/** A server that listens at a file makes it when it starts. */
const NO_SOCKET_MESSAGE = /^connect ENOENT /;

/**
 * Classes of SQLSTATE that say "not now": no connection, shutting down, out of resources, a statement or an
 * idle transaction that took too long, a lock that was not had in time.
 */
const UNREACHABLE_STATES = /^(08...|57P..|57014|53...|25P03|55P03)$/;

/** Whether an error means that the database is away (starting, stopping, cut off), so that waiting may help. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = readSqlState(error);
  if (state !== '') return UNREACHABLE_STATES.test(state);
  if ('code' in error && typeof error.code === 'string')
    return UNREACHABLE_ERRORS.test(error.code) || NO_SOCKET_MESSAGE.test(error.message);
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  return UNREACHABLE_ERRORS.test(error.message) || isUnreachable(error.cause);
}

/** Whether Postgres refuses the data themselves (SQLSTATE classes 22 and 23): the same statement fails again. */
export function refusesData(error: unknown): boolean {
  return /^2[23]/.test(readSqlState(error));
}

/**
 * Whether an error comes from Postgres or from the way to it. Apart from {@link refusesData} each of them may pass: a
 * database that is read-only, full, restored, or given another password works again when somebody has repaired it.
 */
export function isDatabaseError(error: unknown): boolean {
  return readSqlState(error) !== '' || isUnreachable(error);
}

/** Five characters, one of them a digit: `EPIPE` is one of the system's. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The five characters that say what Postgres refused; empty when it is not an error of Postgres. */
export function readSqlState(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string' && SQL_STATE.test(error.code)) return error.code;
  return error.cause === undefined ? '' : readSqlState(error.cause);
}

/** Keys as one parameter, `ids`: planning these views takes longer than asking them, so that it is done once per connection. */
export const amongIds = (column: PgColumn): SQL => sql`${column} = any (${sql.placeholder('ids')}::bigint[])`;
