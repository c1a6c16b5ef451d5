/** The role that works with the tables and owns none of them, where there is one. */
import { type Client, escapeIdentifier } from 'pg';
import { QUEUE_SCHEMA } from '../platform/queue/queue-schema.ts';
import { Refused } from '../domain/errors.ts';
import { ANALYTICS, MIGRATIONS_TABLE, SCHEMA } from './schema-state.ts';

/**
 * Grants `role` what the program does between migrations: rows, and no tables. Runs after every migration: tables may be new.
 * @throws Refused `conflict` where there is no such role, or it is the one that migrates
 */
export async function grantToApp(client: Client, role: string): Promise<void> {
  const { rows } = await client.query<{ self: boolean; database: string }>(
    'SELECT rolname = current_user AS self, current_database() AS database FROM pg_roles WHERE rolname = $1',
    [role],
  );
  const [found] = rows;
  if (found === undefined || found.self)
    throw new Refused(
      'conflict',
      found === undefined
        ? `DATABASE_APP_ROLE names the role ${role}, which does not exist; create it first: CREATE ROLE ${escapeIdentifier(role)} LOGIN PASSWORD '...'`
        : `DATABASE_APP_ROLE names the role ${role}, which is the one that migrates; name another one, or leave it out.`,
    );
  const app = escapeIdentifier(role);
  // Temporary tables are what BullMQ adds many jobs by. Entries of the audit log are added, and deleted by retention; never changed.
  await client.query(`
    GRANT CONNECT, TEMPORARY ON DATABASE ${escapeIdentifier(found.database)} TO ${app};
    GRANT USAGE ON SCHEMA ${SCHEMA}, ${ANALYTICS}, ${QUEUE_SCHEMA} TO ${app};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA} TO ${app};
    REVOKE INSERT, UPDATE, DELETE ON ${SCHEMA}.${MIGRATIONS_TABLE}, ${QUEUE_SCHEMA}.migration FROM ${app};
    REVOKE UPDATE ON ${SCHEMA}.audit_log FROM ${app};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA} TO ${app};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA} TO ${app};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${ANALYTICS} TO ${app}`);
}

/** Whether the role of this connection may migrate: it owns our schema, or may create it. */
export async function mayMigrate(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT coalesce(
       (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = $1),
       has_database_privilege(current_database(), 'CREATE')) AS may`,
    [SCHEMA],
  );
  return rows[0]?.may === true;
}
