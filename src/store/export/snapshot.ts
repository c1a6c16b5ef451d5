/** Reading many rows of one moment: a transaction of its own, and the text format of COPY. */

import { HOUR, MINUTE } from '../../domain/time.ts';
import { connect } from '../../platform/postgres/connect.ts';
import type { Database } from '../database.ts';
import type { Client } from 'pg';
import copyStreams from 'pg-copy-streams';

/** How long one resource may take, the time of a slow reader included: an old snapshot keeps Postgres from tidying up. */
const MAX_SNAPSHOT_MS = 2 * HOUR;
/** Between two resources, while files are written out. */
const MAX_SNAPSHOT_IDLE_MS = 5 * MINUTE;

/** The database as it was at one moment, for as many reads as it takes. */
export type Snapshot = Readonly<{
  client: Client;
  /**
   * Streams the rows of a SELECT with backpressure. When the consumer stops, or the signal aborts, the statement is
   * canceled in Postgres too.
   */
  copy(select: string): AsyncGenerator<CopiedRow[], void, undefined>;
  close(): Promise<void>;
}>;

/**
 * Opens a read-only transaction on a connection of its own, because it may last much longer than the pool's
 * limits allow. @param signal ends whatever is being read; its reason is thrown
 */
export async function openSnapshot(
  db: Database,
  signal: AbortSignal = new AbortController().signal,
): Promise<Snapshot> {
  signal.throwIfAborted();
  const { connectionString } = db.pool.options;
  if (connectionString === undefined) throw new Error('the pool has no connection string');
  const client = await connect(connectionString, 'strandline export');
  try {
    await client.query(
      `BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
       SET LOCAL statement_timeout = ${MAX_SNAPSHOT_MS};
       SET LOCAL idle_in_transaction_session_timeout = ${MAX_SNAPSHOT_IDLE_MS};
       SET LOCAL client_connection_check_interval = '5s'`,
    );
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid;
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
  pid: number | undefined;
  select: string;
  signal: AbortSignal;
}): AsyncGenerator<CopiedRow[], void, undefined> {
  const { db, client, pid, select, signal } = what;
  signal.throwIfAborted();
  const stream = client.query(copyStreams.to(`COPY (${select}) TO STDOUT`));
  // Destroyed, the stream would leave its connection in the middle of an answer.
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
  // Where even this cannot be said to Postgres, the statement's connection is lost as well.
  const cancel = () => void db.pool.query('SELECT pg_cancel_backend($1)', [pid]).catch(() => {});
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

/** What is on its way is taken off the line, up to its end or to what Postgres says of being ended. */
async function drain(next: () => Promise<Buffer | undefined>): Promise<void> {
  for (let piece = await next(); piece !== undefined; ) piece = await next();
}

/** A row as COPY wrote it: the text of each column, null where it has no value. */
export type CopiedRow = readonly (string | null)[];

const NEWLINE = 0x0a;

/**
 * Reads the text format of COPY. Pieces may end anywhere, also inside a character; what is not a whole row
 * yet is kept for the next piece.
 */
export function createCopyTextReader(): (piece: Buffer) => CopiedRow[] {
  let begun: Buffer[] = [];
  return (piece) => {
    // A newline inside a value is written as two characters, so this byte ends a row and nothing else.
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
