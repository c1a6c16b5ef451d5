/** The views of the SQL contract: `migrations/views/` is their source, and a database gets them from there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, escapeIdentifier } from 'pg';
import type { Logger } from '../platform/logger.ts';
import { Refused } from '../domain/errors.ts';
import type { View, Views } from './migrations-folder.ts';
import { ANALYTICS } from './schema-state.ts';
import { readSqlState } from './database.ts';

/** How long a view that somebody reads is waited for, and how often. Whoever reads next waits behind us meanwhile. */
const LOCKS = { timeoutMs: 5_000, attempts: 12, pauseMs: 1_000 } as const;

/** A column is gone, or has another name, type or place: CREATE OR REPLACE VIEW refuses that. */
const NOT_REPLACEABLE = '42P16';
/** The lock was not to be had in time, or whoever reads two views waits for us in turn (a deadlock). */
const IN_USE = new Set(['55P03', '40P01']);
const DEPENDED_ON = '2BP01';

/**
 * Replaces every view by what its file says, inside the caller's transaction. Where a view cannot be replaced, it and our
 * views that depend on it are dropped and created again, with the owner and the grants that they had.
 * @param locks for tests: other times
 * @throws Refused `conflict` where an object of somebody else depends on a view that would be dropped; `unavailable` where a
 *   view was in use the whole time. The transaction is then as it was before.
 */
export async function applyViews(
  client: Client,
  views: Views,
  log: Logger,
  locks: { timeoutMs: number; attempts: number; pauseMs: number } = LOCKS,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query(`SAVEPOINT views; SET LOCAL lock_timeout = ${locks.timeoutMs}`);
    try {
      await replaceAll(client, views.files);
      await client.query('RELEASE SAVEPOINT views');
      return;
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT views');
      if (!IN_USE.has(readSqlState(error))) throw error;
      const users = await usersOf(client);
      if (attempt === locks.attempts)
        throw new Refused(
          'unavailable',
          `The views of ${ANALYTICS} are in use${users === '' ? '' : ` by ${users}`}, and nothing was changed: end that, ` +
            'and run strandline migrate again.',
          { cause: error },
        );
      log.warn({ attempt, users }, 'views in use, trying again');
      await sleep(locks.pauseMs);
    }
  }
}

async function replaceAll(client: Client, files: readonly View[]): Promise<void> {
  const dropped: Dropped[] = [];
  for (const { name, text } of files) {
    try {
      await client.query(`SAVEPOINT view;\n${text}\n;RELEASE SAVEPOINT view`);
    } catch (error) {
      if (readSqlState(error) !== NOT_REPLACEABLE) throw error;
      await client.query('ROLLBACK TO SAVEPOINT view; RELEASE SAVEPOINT view');
      dropped.push(...(await dropWithDependents(client, name, files)));
      await client.query(text);
    }
  }
  for (const view of dropped) await giveBack(client, view);
}

/** A view that was dropped, and who owned it and might use it. `column` is null for a grant on the whole view. */
type Dropped = {
  name: string;
  /** Null where it is the role that migrates. */
  owner: string | null;
  /** `role` is null for PUBLIC. */
  grants: { role: string | null; privilege: string; column: string | null; grantable: boolean }[];
};

/** Our views that depend on one, itself included, with their owners and grants (the owner's own left out). */
const DEPENDENTS = `
WITH RECURSIVE dependents(oid) AS (
  SELECT to_regclass($1)::oid
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
WHERE c.relnamespace = $2::regnamespace AND c.relkind = 'v' AND c.relname = ANY ($3)`;

async function dropWithDependents(client: Client, name: string, files: readonly View[]): Promise<Dropped[]> {
  const { rows } = await client.query<Dropped>(DEPENDENTS, [
    `${ANALYTICS}.${name}`,
    ANALYTICS,
    files.map((one) => one.name),
  ]);
  try {
    await client.query(`DROP VIEW ${rows.map((view) => `${ANALYTICS}.${view.name}`).join(', ')}`);
  } catch (error) {
    if (readSqlState(error) !== DEPENDED_ON) throw error;
    // Postgres lists whatever it is: views, functions, columns of a view's type.
    const detail = error instanceof Error && 'detail' in error ? String(error.detail) : '';
    throw new Refused(
      'conflict',
      `The view ${ANALYTICS}.${name} has other columns in this version, and objects that strandline did not create depend on it ` +
        `(${detail.replaceAll('\n', '; ')}); nothing was changed. Drop them, run strandline migrate again, and create them anew.`,
      { cause: error },
    );
  }
  return rows;
}

async function giveBack(client: Client, { name, owner, grants }: Dropped): Promise<void> {
  const view = `${ANALYTICS}.${name}`;
  const { rows } = await client.query<{ column: string }>(
    'SELECT attname AS column FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped',
    [view],
  );
  // Default privileges of the schema have granted it anew, also to whom it was taken from.
  const { rows: granted } = await client.query<{ role: string | null }>(
    `SELECT DISTINCT CASE WHEN a.grantee = 0 THEN NULL ELSE pg_get_userbyid(a.grantee) END AS role
     FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a WHERE c.oid = $1::regclass AND a.grantee <> c.relowner`,
    [view],
  );
  for (const { role } of granted) await client.query(`REVOKE ALL ON ${view} FROM ${grantee(role)}`);
  for (const { role, privilege, column, grantable } of grants) {
    if (column !== null && !rows.some((one) => one.column === column)) continue;
    const where = column === null ? '' : ` (${escapeIdentifier(column)})`;
    const option = grantable ? ' WITH GRANT OPTION' : '';
    await client.query(`GRANT ${privilege}${where} ON ${view} TO ${grantee(role)}${option}`);
  }
  if (owner !== null) await client.query(`ALTER VIEW ${view} OWNER TO ${escapeIdentifier(owner)}`);
}

function grantee(role: string | null): string {
  return role === null ? 'PUBLIC' : escapeIdentifier(role);
}

/** Sessions that have our views locked, in words. */
async function usersOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ who: string }>(
    `SELECT DISTINCT format('%s (%s, pid %s)', coalesce(nullif(s.application_name, ''), 'unnamed'), s.usename, s.pid) AS who
     FROM pg_locks l JOIN pg_class c ON c.oid = l.relation AND c.relnamespace = to_regnamespace($1)
     JOIN pg_stat_activity s ON s.pid = l.pid
     WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted
       AND l.pid <> pg_backend_pid() ORDER BY 1`,
    [ANALYTICS],
  );
  return rows.map(({ who }) => who).join(', ');
}
