import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { codeOf } from './connect.ts';
import { scramVerifier } from './scram.ts';

/** How soon Postgres notices that the connection of a statement is gone. */
export const READER_CHECK_MS = 2_000;

/** Four statements of visitors at a time, and one of a dashboard or of the command line. */
export const READER_CONNECTIONS = 5;

/**
 * What holds in every session of a reader. They are defaults that the session itself can change; what
 * keeps the reader from anything but views is that it was granted nothing else.
 */
export const READER_SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'on',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '60s',
  // Of each sort and hash; a statement has a few of them, and readers have as many processors as they have connections.
  work_mem: '32MB',
  max_parallel_workers_per_gather: '0',
  // So that a statement whose connection is gone ends. Servers on Windows cannot tell.
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: `${READER_CHECK_MS}ms` }),
  // So that `select * from posts` means the view.
  search_path: 'strandline_analytics',
};

/**
 * Makes the reader's role, or brings one that is there to what it should be; its password is left alone.
 * The caller keeps others from doing the same at once: roles belong to the whole cluster.
 * @returns why the role is not as it should be, in words; undefined when it is
 */
export async function ensureReaderRole(
  client: Client,
  name: string,
  password: string | undefined,
): Promise<string | undefined> {
  const role = escapeIdentifier(name);
  try {
    const before = await readRole(client, name);
    if (before === undefined) {
      const secret = password === undefined ? '' : ` PASSWORD ${escapeLiteral(scramVerifier(password))}`;
      await client.query(`CREATE ROLE ${role} LOGIN${secret}`);
    }
    // A limit that an administrator set is kept.
    if ((before?.connections ?? -1) === -1)
      await client.query(`ALTER ROLE ${role} CONNECTION LIMIT ${READER_CONNECTIONS}`);
    for (const [setting, value] of Object.entries(READER_SETTINGS))
      if (before?.settings.includes(`${setting}=${value}`) !== true)
        await client.query(`ALTER ROLE ${role} SET ${setting} = ${escapeLiteral(value)}`);
    return before?.powerful === true
      ? `The role ${name} has rights of its own (superuser, or may make roles or databases): ` +
          'it can do more than read views.'
      : undefined;
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    return (
      `The role ${name} could not be made or changed: this Postgres' role lacks CREATEROLE for it. ` +
      `Whoever administers it can run: CREATE ROLE ${role} LOGIN PASSWORD '...'; and then migrate again.`
    );
  }
}

async function readRole(
  client: Client,
  name: string,
): Promise<{ powerful: boolean; connections: number; settings: readonly string[] } | undefined> {
  const { rows } = await client.query<{ powerful: boolean; connections: number; settings: string[] }>(
    `SELECT rolconnlimit AS connections,
            rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS powerful,
            coalesce(rolconfig, '{}') AS settings
       FROM pg_roles WHERE rolname = $1`,
    [name],
  );
  return rows[0];
}
