/** The optional application role, which uses the tables without owning them. */
import { type Client, escapeIdentifier } from 'pg';
import { QUEUE_SCHEMA } from '../../platform/queue/queue-schema.ts';
import { Refused } from '../../model/errors.ts';
import { ANALYTICS } from '../../model/database-kind.ts';
import { MIGRATIONS_TABLE, SCHEMA } from './schema-state.ts';
import { rowsOf, statement } from './statement.ts';

/**
 * Grants `role` access to rows, but no DDL. Runs after every migration, because tables may be new.
 * @throws Refused `conflict` if the role does not exist, or is the migrating role
 */
export async function grantToApp(client: Client, role: string): Promise<void> {
  const [known] = await rowsOf<{ self: boolean; database: string }>(
    client,
    statement`SELECT rolname = current_user AS self, current_database() AS database FROM pg_roles WHERE rolname = ${role}`,
  );
  if (known === undefined || known.self)
    throw new Refused(
      'conflict',
      known === undefined
        ? `the role ${role} of DATABASE_APP_ROLE does not exist. Create it first: CREATE ROLE ${escapeIdentifier(role)} LOGIN PASSWORD '...'`
        : `DATABASE_APP_ROLE is ${role}, which is the role that migrates. Set another role, or unset it.`,
    );
  const app = escapeIdentifier(role);
  // BullMQ uses temporary tables to add jobs in bulk. Audit entries are inserted, and deleted by retention, but never
  // updated.
  await client.query(`
    GRANT CONNECT, TEMPORARY ON DATABASE ${escapeIdentifier(known.database)} TO ${app};
    GRANT USAGE ON SCHEMA ${SCHEMA}, ${ANALYTICS}, ${QUEUE_SCHEMA} TO ${app};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA} TO ${app};
    REVOKE INSERT, UPDATE, DELETE ON ${SCHEMA}.${MIGRATIONS_TABLE}, ${QUEUE_SCHEMA}.migration FROM ${app};
    REVOKE UPDATE ON ${SCHEMA}.audit_log FROM ${app};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA} TO ${app};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA} TO ${app};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${ANALYTICS} TO ${app}`);
}

/** Whether the current role may migrate: it owns our schema, or may create it. */
export async function mayMigrate(client: Client): Promise<boolean> {
  const [role] = await rowsOf<{ may: boolean }>(
    client,
    statement`SELECT coalesce(
        (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = ${SCHEMA}),
        has_database_privilege(current_database(), 'CREATE')) AS may`,
  );
  return role?.may === true;
}
