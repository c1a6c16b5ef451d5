/** The reader role of the SQL contract: its settings, limits, revoked functions and password. */

import { readErrorCode } from '../../model/errors.ts';
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

/** How often Postgres checks whether the client of a statement is still connected. */
export const READER_CHECK_MS = 2_000;

/** Four concurrent statements of web visitors, and one of a dashboard or the command line. */
export const READER_CONNECTIONS = 5;

/**
 * Session defaults of the reader. A session can change them; what limits it to the views is that it has no other grants.
 */
const READER_SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'on',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '60s',
  // Per sort and hash; one process per connection, because parallel workers are off.
  work_mem: '32MB',
  max_parallel_workers_per_gather: '0',
  // Ends statements of disconnected clients. Not supported on Windows.
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: `${READER_CHECK_MS}ms` }),
  // Makes `select * from posts` read the view.
  search_path: 'strandline_analytics',
};

/**
 * Creates the reader role, or corrects an existing one except for its password. The caller must hold a lock: roles belong
 * to the whole cluster.
 * @returns a sentence about what is wrong with the role; undefined when nothing is
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
    // Keep a limit that an administrator set.
    if ((before?.connections ?? -1) === -1)
      await client.query(`ALTER ROLE ${role} CONNECTION LIMIT ${READER_CONNECTIONS}`);
    for (const [setting, value] of Object.entries(READER_SETTINGS))
      if (before?.settings.includes(`${setting}=${value}`) !== true)
        await client.query(`ALTER ROLE ${role} SET ${setting} = ${escapeLiteral(value)}`);
    return before?.powerful === true
      ? `The role ${name} has extra privileges (superuser, or can create roles or databases): ` +
          'it can do more than read views.'
      : undefined;
  } catch (error) {
    if (readErrorCode(error) !== '42501') throw error;
    return (
      `Could not create or change the role ${name}: the role of DATABASE_URL lacks CREATEROLE. ` +
      `As an administrator, run: CREATE ROLE ${role} LOGIN PASSWORD '...'; then run migrate again.`
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

/** Settings that only a superuser can change. */
const SUPERUSER_SETTINGS: Readonly<Record<string, string>> = { temp_file_limit: '256MB' };

/**
 * Restores the reader's password, settings and limits, which the role itself can change. Requires a superuser connection.
 */
export async function restoreReader(client: Client, name: string, password: string): Promise<void> {
  const role = escapeIdentifier(name);
  const { rows } = await client.query<{ verifier: string | null; limit: number }>(
    'SELECT rolpassword AS verifier, rolconnlimit AS limit FROM pg_authid WHERE rolname = $1',
    [name],
  );
  const [now] = rows;
  if (now?.verifier == null || !matchesVerifier(password, now.verifier))
    await client.query(`ALTER ROLE ${role} PASSWORD ${escapeLiteral(scramVerifier(password))}`);
  if (now?.limit !== READER_CONNECTIONS)
    await client.query(`ALTER ROLE ${role} CONNECTION LIMIT ${READER_CONNECTIONS}`);

  const wanted = Object.entries({ ...READER_SETTINGS, ...SUPERUSER_SETTINGS });
  const current = await readSettings(client, name);
  const everywhere = new Set(current.find(({ database }) => database === null)?.settings);
  if (
    current.every(({ database }) => database === null) &&
    everywhere.size === wanted.length &&
    wanted.every(([setting, value]) => everywhere.has(`${setting}=${value}`))
  )
    return;
  for (const { database } of current)
    await client.query(
      `ALTER ROLE ${role} ${database === null ? '' : `IN DATABASE ${escapeIdentifier(database)}`} RESET ALL`,
    );
  for (const [setting, value] of wanted)
    await client.query(`ALTER ROLE ${role} SET ${setting} = ${escapeLiteral(value)}`);
}

/** What holds for a role: everywhere (no database), and in single databases. */
async function readSettings(
  client: Client,
  name: string,
): Promise<{ database: string | null; settings: string[] }[]> {
  const { rows } = await client.query<{ database: string | null; settings: string[] }>(
    `SELECT d.datname AS database, s.setconfig AS settings
       FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase
      WHERE r.rolname = $1`,
    [name],
  );
  return rows;
}

/**
 * Functions that Postgres grants to everybody and that the reader must not use: advisory locks could block saves and the
 * queue; large objects and logical messages could fill the disk. Only a superuser can revoke them; docs/reference/databases.md has the
 * statements for external servers.
 */
const FIND_CLOSED_FUNCTIONS = `
SELECT p.oid::regprocedure::text AS name FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
  AND p.proname ~ '^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_logical_emit_message$)'`;

/**
 * Revokes them in the current database from everybody but `programs`, and grants them to any of `programs` that lacks them.
 * Requires a superuser connection.
 */
export async function closeFunctions(client: Client, programs: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `${FIND_CLOSED_FUNCTIONS} AND (p.proacl IS NULL OR EXISTS (
       SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')
       OR EXISTS (SELECT FROM unnest($1::text[]) role WHERE NOT has_function_privilege(role, p.oid, 'EXECUTE')))`,
    [programs],
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  await client.query(
    `REVOKE EXECUTE ON FUNCTION ${names} FROM PUBLIC;
     GRANT EXECUTE ON FUNCTION ${names} TO ${programs.map(escapeIdentifier).join(', ')}`,
  );
}

/** Returns one row if the role $1 may call any of them in the current database. */
export const FIND_OPEN_FUNCTION = `${FIND_CLOSED_FUNCTIONS} AND has_function_privilege($1, p.oid, 'EXECUTE') LIMIT 1`;

/** Whether a role may call any of them in the current database. */
export async function hasOpenFunctions(client: Client, role: string): Promise<boolean> {
  return (await client.query(FIND_OPEN_FUNCTION, [role])).rowCount !== 0;
}

const ITERATIONS = 4_096;

/**
 * The verifier that Postgres stores (RFC 5803). Sending it keeps the password out of the server's statement log and
 * statistics.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const server = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

/** Whether a verifier belongs to this password; false for any other storage format. */
function matchesVerifier(password: string, verifier: string): boolean {
  const [, salt] = /^SCRAM-SHA-256\$\d+:([^$]+)\$/.exec(verifier) ?? [];
  return salt !== undefined && scramVerifier(password, Buffer.from(salt, 'base64')) === verifier;
}
