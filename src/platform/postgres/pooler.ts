/** Recognizes a pooler that gives a connection no backend of its own, on which locks, settings and subscriptions would be lost. */

import { Refused } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import type { Client } from 'pg';

/**
 * How often two connections are compared. On an idle pooler, the first comparison decides; under load, others may take and return the
 * backend of the first connection in between.
 */
const COMPARISONS = 10;
const PROBE_TIMEOUT_MS = 10 * SECOND;

/**
 * Checks that a new connection keeps its backend. Postgres itself and poolers in session mode always pass: there, a backend has one
 * connection until it closes. Must come before any setting, which other clients of a shared backend would get.
 * @param server.where host and port, for the message
 * @param server.open opens a second connection, only if there is a pooler
 * @throws Refused `unavailable` in transaction or statement mode, and if the pooler has no second backend
 */
export async function assertOwnBackend(
  client: Client,
  { where, open }: { where: string; open: () => Promise<Client> },
): Promise<void> {
  const pid = await readBackend(client).catch((error: unknown) => {
    throw isQueueing(error) ? noBackend(where, 'no', error) : error;
  });
  // Postgres announces the backend at the start of a connection; a pooler announces a number of its own.
  if (pid === announcedBackend(client)) return;
  const second = await open();
  try {
    for (let comparison = 1; comparison <= COMPARISONS; comparison += 1)
      if (!(await haveOwnBackends({ client, pid, second }))) throw sharedBackends(where);
  } catch (error) {
    throw isQueueing(error) ? noBackend(where, 'no second', error) : error;
  } finally {
    // Ends a transaction, too.
    await second.end();
  }
}

/** In a shared pool, two open connections get one backend, or the first gets another while the second keeps its own. */
async function haveOwnBackends(pair: { client: Client; pid: number; second: Client }): Promise<boolean> {
  const { client, pid, second } = pair;
  // Before the transaction: a pool of one backend would let the first connection wait for its end.
  if ((await readBackend(second)) === pid) return false;
  try {
    await ask(second, 'BEGIN');
  } catch (error) {
    if (isStatementMode(error)) return false;
    throw error;
  }
  const kept = (await readBackend(second)) !== pid && (await readBackend(client)) === pid;
  await ask(second, 'ROLLBACK');
  return kept;
}

async function readBackend(client: Client): Promise<number> {
  const { rows } = await ask(client, 'SELECT pg_catalog.pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

function ask(client: Client, text: string) {
  const query = { text, query_timeout: PROBE_TIMEOUT_MS };
  return client.query<{ pid: number }>(query);
}

/** The backend that the server announced. The property is missing in the declared type. */
function announcedBackend(client: Client & { processID?: number | null }): number | null | undefined {
  return client.processID;
}

function isStatementMode(error: unknown): boolean {
  return error instanceof Error && error.message.includes('statement pooling mode');
}

/** pgbouncer lets connections wait for a backend, up to its query_wait_timeout. */
function isQueueing(error: unknown): error is Error {
  return error instanceof Error && /Query read timeout|query_wait_timeout|timeout/i.test(error.message);
}

/** Of all servers, only a pooler accepts a connection and lets its first query wait. */
function noBackend(where: string, which: 'no' | 'no second', cause: Error): Refused {
  return new Refused(
    'unavailable',
    `The pooler at ${where} gave ${which} connection to Postgres within ${PROBE_TIMEOUT_MS / SECOND} s (${cause.message}). ` +
      'Raise its pool size (pgbouncer: default_pool_size, max_db_connections); ' +
      'docs/reference/operations.md has the number of connections.',
    { cause },
  );
}

function sharedBackends(where: string): Refused {
  return new Refused(
    'unavailable',
    `The pooler at ${where} is in transaction or statement mode: connections share a session of Postgres, in which strandline's locks, ` +
      'settings and notifications would be lost. Set pool_mode = session for this database (pgbouncer.ini), ' +
      'or set DATABASE_URL to Postgres itself.',
  );
}
