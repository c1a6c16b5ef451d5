import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { Refused } from '../../model/errors.ts';
import { monotonicMs } from '../clock.ts';
import { connect } from './connect.ts';
import { isAlive } from './pid-file.ts';

/**
 * Tracks who uses the server with advisory locks in the database `postgres`, on one connection per process. They are
 * released when the process ends, however it ends.
 *
 * - Every process holds USERS shared. On leaving, it releases the lock and tries to take it exclusively: of several at once
 *   exactly one succeeds, and stops the server while holding the lock. A new process waits, is disconnected, and starts the
 *   server again.
 * - The owner holds OWNER exclusively.
 *
 * Starting needs no lock: Postgres allows one server per data directory.
 */
export type Session = Readonly<{ client: Client; role: Role }>;
export type Role = 'owner' | 'guest';

const CLASS = 0x7374_726e;
const USERS = 1;
const OWNER = 2;
const SETTING_UP = 3;

/**
 * @param options.assertOurs throws if the server is not the one that is meant
 * @throws Refused if there is another owner; pg errors while the server starts or stops
 */
export async function openSession(
  url: string,
  role: Role,
  options: { dataDir: string; assertOurs: (client: Client) => Promise<void> },
): Promise<Session> {
  const { dataDir, assertOurs } = options;
  const client = await connect(url, `strandline ${role}, process ${process.pid}`);
  try {
    await assertOurs(client);
    // The timeout covers a process that froze while it held the lock to stop the server.
    await client.query(`SET lock_timeout = '60s'; SELECT pg_advisory_lock_shared(${CLASS}, ${USERS})`);
    if (role === 'owner') await becomeOwner(client, dataDir);
    return { client, role };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Releases the locks. True: no other process uses the server, and none can until it is stopped. */
export async function isLastOut({ client, role }: Session): Promise<boolean> {
  if (role === 'owner') await client.query(`SELECT pg_advisory_unlock(${CLASS}, ${OWNER})`);
  await client.query(`SELECT pg_advisory_unlock_shared(${CLASS}, ${USERS})`);
  const { rows } = await client.query<{ alone: boolean }>(
    `SELECT pg_try_advisory_lock(${CLASS}, ${USERS}) AS alone`,
  );
  return rows[0]?.alone === true;
}

/** Runs work that only one process may do at a time; others wait. */
export async function oneAtATime<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(`SELECT pg_advisory_lock(${CLASS}, ${SETTING_UP})`);
  try {
    return await work();
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${CLASS}, ${SETTING_UP})`);
  }
}

async function becomeOwner(client: Client, dataDir: string): Promise<void> {
  const deadline = monotonicMs() + 5_000;
  for (;;) {
    const { rows } = await client.query<{ got: boolean }>(
      `SELECT pg_try_advisory_lock(${CLASS}, ${OWNER}) AS got`,
    );
    if (rows[0]?.got === true) return;
    const holder = await findOwner(client);
    // The server releases a killed owner's lock shortly.
    const passing = holder === undefined || !isAlive(holder.pid);
    if (!passing || monotonicMs() > deadline)
      throw new Refused(
        'conflict',
        `Another strandline (process ${holder?.pid ?? 'unknown'}, since ${holder?.since ?? 'just now'}) ` +
          `uses ${dataDir}. Stop it first, or set another STRANDLINE_DATA_DIR.`,
      );
    await sleep(50);
  }
}

/** Its process, and since when. */
export type Owner = { pid: number; since: string };

export async function findOwner(client: Client): Promise<Owner | undefined> {
  const { rows } = await client.query<{ name: string; since: Date }>(
    `SELECT a.application_name AS name, a.backend_start AS since
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
        AND l.classid = ${CLASS} AND l.objid = ${OWNER}`,
  );
  const [holder] = rows;
  if (holder === undefined) return undefined;
  return { pid: Number(/(?<!\d)\d+$/.exec(holder.name)?.[0]), since: holder.since.toISOString() };
}
