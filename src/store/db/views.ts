/** Applies the views of the SQL contract from `migrations/views/`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, escapeIdentifier } from 'pg';
import { ANALYTICS, type DatabaseKind } from '../../model/database-kind.ts';
import type { Logger } from '../../platform/logger.ts';
import { LOCK_ERRORS } from '../../platform/postgres/session.ts';
import { Refused } from '../../model/errors.ts';
import { joinStatements, type View, type Views, writeView } from './migrations-folder.ts';
import { readSqlState } from './database.ts';
import { rowsOf, type Statement, statement } from './statement.ts';

/** How long and how often to wait for a view that is in use. Later readers wait behind us. */
const LOCKS = { timeoutMs: 5_000, attempts: 12, pauseMs: 1_000 } as const;

/** CREATE OR REPLACE VIEW rejects removed, renamed, moved or retyped columns. */
const NOT_REPLACEABLE = '42P16';
const DEPENDED_ON = '2BP01';

/**
 * Replaces every view with its file, inside the caller's transaction. If a view cannot be replaced, drops and re-creates it
 * and our views that depend on it, with the same owners and grants.
 * @param locks set in tests
 * @throws Refused `conflict` if a foreign object depends on a view that must be dropped; `unavailable` if a view stays in use. The transaction is then unchanged.
 */
export async function applyViews(
  client: Client,
  views: Views,
  kind: DatabaseKind,
  log: Logger,
  locks: { timeoutMs: number; attempts: number; pauseMs: number } = LOCKS,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query(`SAVEPOINT views; SET LOCAL lock_timeout = ${locks.timeoutMs}`);
    try {
      await replaceAll(client, views.files, kind);
      await client.query('RELEASE SAVEPOINT views');
      return;
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT views');
      // A reader of the view, or a deadlock with a reader of two.
      if (!LOCK_ERRORS.has(readSqlState(error))) throw error;
      const users = await usersOf(client);
      if (attempt === locks.attempts)
        throw new Refused(
          'unavailable',
          `The views of ${ANALYTICS} are in use${users === '' ? '' : ` by ${users}`}. Nothing was changed. End these sessions ` +
            'and run strandline migrate again.',
          { cause: error },
        );
      log.warn({ attempt, users }, 'views in use; retrying');
      await sleep(locks.pauseMs);
    }
  }
}

async function replaceAll(client: Client, files: readonly View[], kind: DatabaseKind): Promise<void> {
  const texts = files.map((file) => writeView(file, kind));
  if (await replaceOrUndo(client, joinStatements(texts))) return;
  const dropped: Dropped[] = [];
  for (const file of files) {
    const text = writeView(file, kind);
    if (await replaceOrUndo(client, text)) continue;
    dropped.push(...(await dropWithDependents(client, file.name, files)));
    await client.query(text);
  }
  for (const view of dropped) await giveBack(client, view);
}

/** @returns false, with nothing done, if a view cannot be replaced */
async function replaceOrUndo(client: Client, text: string): Promise<boolean> {
  try {
    await client.query(`SAVEPOINT view;\n${text}\n;RELEASE SAVEPOINT view`);
    return true;
  } catch (error) {
    if (readSqlState(error) !== NOT_REPLACEABLE) throw error;
    await client.query('ROLLBACK TO SAVEPOINT view; RELEASE SAVEPOINT view');
    return false;
  }
}

/** A dropped view with its owner and grants. `column` is null for a grant on the whole view. */
type Dropped = {
  name: string;
  /** Null for the migrating role. */
  owner: string | null;
  /** `role` is null for PUBLIC. */
  grants: { role: string | null; privilege: string; column: string | null; grantable: boolean }[];
};

/** A view and our views that depend on it, with owners and grants (without the owner's own). */
const dependentsOf = (view: string, ours: readonly string[]): Statement => statement`
WITH RECURSIVE dependents(oid) AS (
  SELECT to_regclass(${view})::oid
  UNION
  SELECT r.ev_class FROM dependents o
  JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = o.oid AND d.classid = 'pg_rewrite'::regclass
  JOIN pg_rewrite r ON r.oid = d.objid
)
SELECT c.relname AS name, nullif(pg_get_userbyid(c.relowner), current_user) AS owner, coalesce(g.grants, '[]') AS grants
FROM dependents o JOIN pg_class c ON c.oid = o.oid
CROSS JOIN LATERAL (
  SELECT json_agg(json_build_object('role', CASE WHEN a.grantee = 0 THEN NULL ELSE pg_get_userbyid(a.grantee) END,
    'privilege', a.privilege_type, 'column', a.name, 'grantable', a.is_grantable)) AS grants
  FROM (
    SELECT e.*, NULL AS name FROM aclexplode(c.relacl) e
    UNION ALL
    SELECT e.*, t.attname FROM pg_attribute t CROSS JOIN LATERAL aclexplode(t.attacl) e WHERE t.attrelid = c.oid
  ) a WHERE a.grantee <> c.relowner
) g
WHERE c.relnamespace = ${ANALYTICS}::regnamespace AND c.relkind = 'v' AND c.relname = ANY (${ours})`;

async function dropWithDependents(client: Client, name: string, files: readonly View[]): Promise<Dropped[]> {
  const ours = files.map((file) => file.name);
  const rows = await rowsOf<Dropped>(client, dependentsOf(`${ANALYTICS}.${name}`, ours));
  try {
    await client.query(`DROP VIEW ${rows.map((view) => `${ANALYTICS}.${view.name}`).join(', ')}`);
  } catch (error) {
    if (readSqlState(error) !== DEPENDED_ON) throw error;
    // Postgres lists all kinds of objects: views, functions, columns of the view's type.
    const detail = error instanceof Error && 'detail' in error ? String(error.detail) : '';
    throw new Refused(
      'conflict',
      `The view ${ANALYTICS}.${name} has other columns in this version, but objects that strandline did not create depend on it ` +
        `(${detail.replaceAll('\n', '; ')}). Nothing was changed. Drop them, run strandline migrate again, and re-create them.`,
      { cause: error },
    );
  }
  return rows;
}

async function giveBack(client: Client, { name, owner, grants }: Dropped): Promise<void> {
  const view = `${ANALYTICS}.${name}`;
  const rows = await rowsOf<{ column: string }>(
    client,
    statement`SELECT attname AS column FROM pg_attribute WHERE attrelid = ${view}::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  // Default privileges may have granted access to roles again after access was revoked.
  const granted = await rowsOf<{ role: string | null }>(
    client,
    statement`SELECT DISTINCT CASE WHEN a.grantee = 0 THEN NULL ELSE pg_get_userbyid(a.grantee) END AS role
      FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
      WHERE c.oid = ${view}::regclass AND a.grantee <> c.relowner`,
  );
  for (const { role } of granted) await client.query(`REVOKE ALL ON ${view} FROM ${grantee(role)}`);
  for (const { role, privilege, column, grantable } of grants) {
    if (column !== null && !rows.some((row) => row.column === column)) continue;
    const where = column === null ? '' : ` (${escapeIdentifier(column)})`;
    const option = grantable ? ' WITH GRANT OPTION' : '';
    await client.query(`GRANT ${privilege}${where} ON ${view} TO ${grantee(role)}${option}`);
  }
  if (owner !== null) await client.query(`ALTER VIEW ${view} OWNER TO ${escapeIdentifier(owner)}`);
}

function grantee(role: string | null): string {
  return role === null ? 'PUBLIC' : escapeIdentifier(role);
}

/** Describes the sessions that lock our views. */
async function usersOf(client: Client): Promise<string> {
  const rows = await rowsOf<{ who: string }>(
    client,
    statement`SELECT DISTINCT format('%s (%s, pid %s)', coalesce(nullif(s.application_name, ''), 'unnamed'), s.usename, s.pid) AS who
      FROM pg_locks l
      JOIN pg_class c ON c.oid = l.relation AND c.relnamespace::regnamespace::text = ${ANALYTICS}
      JOIN pg_stat_activity s ON s.pid = l.pid
      WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted
        AND l.pid <> pg_backend_pid()
      ORDER BY 1`,
  );
  return rows.map(({ who }) => who).join(', ');
}
