/** Reads many rows of one snapshot, in a separate transaction, with the text format of COPY. */

import { HOUR, MINUTE } from '../../lib/time.ts';
import { connect } from '../../platform/postgres/connect.ts';
import { type Database, onlyRow } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import type { Client } from 'pg';
import copyStreams from 'pg-copy-streams';

/** Time limit per resource, including slow readers: an old snapshot holds back VACUUM. */
const MAX_SNAPSHOT_MS = 2 * HOUR;
/** Between two resources, while files are written. */
const MAX_SNAPSHOT_IDLE_MS = 5 * MINUTE;

/** A consistent view of the database for several reads. */
export type Snapshot = Readonly<{
  client: Client;
  /** Streams the rows of a SELECT with backpressure. If the consumer stops or the signal aborts, Postgres cancels it. */
  copy(select: string): AsyncGenerator<CopiedRow[], void, undefined>;
  close(): Promise<void>;
}>;

/**
 * Opens a read-only transaction on a separate connection, because it may exceed the pool's time limits.
 * @param signal cancels the current read; its reason is thrown
 */
export async function openSnapshot(
  db: Database,
  signal: AbortSignal = new AbortController().signal,
): Promise<Snapshot> {
  signal.throwIfAborted();
  const { connectionString } = db.pool.options;
  if (connectionString === undefined) throw new Error('the pool has no connection string');
  const client = await connect(connectionString, 'strandline export', {
    settings: {
      statement_timeout: `${MAX_SNAPSHOT_MS}ms`,
      idle_in_transaction_session_timeout: `${MAX_SNAPSHOT_IDLE_MS}ms`,
      client_connection_check_interval: '5s',
    },
  });
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { pid } = onlyRow(await rowsOf<{ pid: number }>(client, statement`SELECT pg_backend_pid() AS pid`));
    return {
      client,
      copy: (select) => copy({ db, client, pid, select, signal }),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function* copy(what: {
  db: Database;
  client: Client;
  pid: number;
  select: string;
  signal: AbortSignal;
}): AsyncGenerator<CopiedRow[], void, undefined> {
  const { db, client, pid, select, signal } = what;
  signal.throwIfAborted();
  const stream = client.query(copyStreams.to(`COPY (${select}) TO STDOUT`));
  // The iterator throws errors while it reads. Another error comes if the client is closed after the last row, but
  // before ReadyForQuery.
  stream.on('error', () => {});
  // Destroying the stream would leave the connection in the middle of a response.
  const pieces = stream.iterator({ destroyOnReturn: false });
  let ended = false;
  const next = async (): Promise<Buffer | undefined> => {
    try {
      const { done, value } = await pieces.next();
      ended = done === true;
      return ended ? undefined : value;
    } catch (error) {
      ended = true;
      throw error;
    }
  };
  // If even this query fails, the statement's connection is lost as well.
  const cancel = () => void execute(db.pool, statement`SELECT pg_cancel_backend(${pid})`).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const read = createCopyTextReader();
  try {
    for (let piece = await next(); piece !== undefined; piece = await next()) {
      signal.throwIfAborted();
      yield read(piece);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    if (!ended && !signal.aborted) cancel();
    if (!ended) await drain(next).catch(() => {});
  }
}

/** Reads the rest of the response, up to its end or to the cancellation error. */
async function drain(next: () => Promise<Buffer | undefined>): Promise<void> {
  for (let piece = await next(); piece !== undefined; ) piece = await next();
}

/** A row of COPY: the text of each column, null for NULL. */
export type CopiedRow = readonly (string | null)[];

const NEWLINE = 0x0a;

/**
 * Parses the text format of COPY. Chunks may end anywhere, even inside a character; an incomplete row is kept for the
 * next chunk.
 */
export function createCopyTextReader(): (piece: Buffer) => CopiedRow[] {
  let begun: Buffer[] = [];
  return (piece) => {
    // A newline inside a value is escaped, so this byte always ends a row.
    const last = piece.lastIndexOf(NEWLINE);
    if (last === -1) {
      begun.push(piece);
      return [];
    }
    const whole = Buffer.concat([...begun, piece.subarray(0, last)]);
    begun = last + 1 < piece.length ? [piece.subarray(last + 1)] : [];
    return whole.toString('utf8').split('\n').map(readCopyRow);
  };
}

function readCopyRow(line: string): CopiedRow {
  const values: (string | null)[] = line.split('\t');
  if (line.includes('\\')) for (const [i, value] of values.entries()) values[i] = readCopyValue(value ?? '');
  return values;
}

function readCopyValue(value: string): string | null {
  if (value === '\\N') return null;
  return value.includes('\\')
    ? value.replace(/\\(.)/g, (_all, sign: string) => ESCAPES[sign] ?? sign)
    : value;
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
