/** What Postgres lets everybody do and no reader needs: functions that are closed to all but the program. */
import { type Client, escapeIdentifier } from 'pg';

/**
 * Advisory locks, by which saves and the queue wait for each other; large objects and messages in the write-ahead
 * log, which fill the disk. docs/homes.md has the same, for whoever administers a Postgres of their own: functions
 * belong to the superuser.
 */
const CLOSED = `
SELECT p.oid::regprocedure::text AS name FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
  AND p.proname ~ '^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_logical_emit_message$)'`;

/**
 * Closes them in the database of this connection to everybody but `programs`; the connection is a superuser's. Where they are
 * closed already, it opens them to a role of `programs` that lacks them.
 */
export async function closeFunctions(client: Client, programs: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `${CLOSED} AND (p.proacl IS NULL OR EXISTS (
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

/** One row where a role may call any of them, in the database of a connection. $1 the role's name. */
export const OPEN_FUNCTIONS = `${CLOSED} AND has_function_privilege($1, p.oid, 'EXECUTE') LIMIT 1`;

/** Whether a role may call any of them, in the database of this connection. */
export async function hasOpenFunctions(client: Client, role: string): Promise<boolean> {
  return (await client.query(OPEN_FUNCTIONS, [role])).rowCount !== 0;
}
