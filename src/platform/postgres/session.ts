/**
 * What every connection of the program fixes for its session, whatever server, database and role set. Sent as statements and not as
 * start-up parameters, which pgbouncer refuses.
 */

import { readErrorCode } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { type ClientBase, escapeLiteral, type PoolConfig } from 'pg';

/** Settings by name, with their values as Postgres shows them. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Settings that change what statements read or write, or how values are written as text. Settings of speed, memory and planning are
 * left to the administrator. A setting that a server does not have is skipped.
 */
const FIXED: SessionSettings = {
  // How values are written as text, in both directions.
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  timezone_abbreviations: 'Default',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  client_encoding: 'UTF8',
  xmlbinary: 'base64',
  xmloption: 'content',
  quote_all_identifiers: 'off',
  // What statements mean.
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  transform_null_equals: 'off',
  gin_fuzzy_search_limit: '0', // otherwise, full-text search returns a random part
  restrict_nonsystem_relation_kind: '',
  default_table_access_method: 'heap',
  'plpgsql.extra_errors': 'none',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  exit_on_error: 'off',
  'strandline.restoring': 'off', // otherwise, triggers count nothing
  // What ends a statement, a transaction or a session.
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
};

/** Settings that only a superuser, or a role with a grant, may change: fixed where possible; otherwise nothing starts. */
export const FIXED_IF_ALLOWED: SessionSettings = {
  session_replication_role: 'origin', // otherwise, neither triggers nor foreign keys act
  'plpgsql.variable_conflict': 'error',
};

/** Where names without a schema are found: nowhere but in Postgres itself. Temporary tables hide nothing. */
const SEARCH_PATH = 'pg_catalog, pg_temp';

const PREPARE_TIMEOUT_MS = 10 * SECOND;
/** A server's time limit of a few milliseconds can end the statement that removes the limit. */
const MAX_PREPARE_ATTEMPTS = 10;
const CANCELED = '57014';

/**
 * Fixes the settings of a new session in one round trip, and removes what the last client of a pooler's connection may have left: prepared
 * statements and subscriptions.
 * @param own further settings of this connection, and other values of fixed ones
 */
export async function prepareSession(client: ClientBase, own: SessionSettings = {}): Promise<void> {
  const query = { text: composeSession(own), query_timeout: PREPARE_TIMEOUT_MS };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(query);
      return;
    } catch (error) {
      if (attempt === MAX_PREPARE_ATTEMPTS || readErrorCode(error) !== CANCELED) throw error;
    }
  }
}

/** The option of a pool that prepares each connection before its first use. */
export function prepareEach(own: SessionSettings): Pick<PoolConfig, 'onConnect'> {
  // pg-pool awaits it, which its declared type omits.
  const onConnect: (client: ClientBase) => unknown = (client) => prepareSession(client, own);
  return { onConnect };
}

/** SQLSTATEs of a statement that did not get its locks: it reached the lock timeout, or was ended because of a deadlock. */
export const LOCK_ERRORS: ReadonlySet<string> = new Set(['55P03', '40P01']);

/** The statements of {@link prepareSession}. The time limits come first, because they apply to the statements after them. */
function composeSession({ search_path = SEARCH_PATH, ...own }: SessionSettings): string {
  const { statement_timeout = '0', transaction_timeout = '0', ...others } = { ...FIXED, ...own };
  return `
SET statement_timeout = ${escapeLiteral(statement_timeout)};
SET search_path = ${search_path};
${setSql({ transaction_timeout })};
${setSql({ ...others, ...FIXED_IF_ALLOWED })};
SELECT set_config(name, 'on', false) FROM (VALUES ('synchronous_commit')) AS wanted (name)
WHERE current_setting(name) = 'off' AND ${escapeLiteral(own['synchronous_commit'] ?? 'on')} <> 'off';
DEALLOCATE ALL; UNLISTEN *`;
}

/** Sets what differs. Settings in {@link FIXED_IF_ALLOWED} only if this role may. */
function setSql(settings: SessionSettings): string {
  const rows = Object.entries(settings).map(([name, value]) => {
    const needsRight = Object.hasOwn(FIXED_IF_ALLOWED, name);
    return `(${escapeLiteral(name)}, ${escapeLiteral(value)}, ${needsRight})`;
  });
  return `SELECT set_config(name, value, false) FROM (VALUES ${rows.join(', ')}) AS wanted (name, value, needs_right)
WHERE current_setting(name, true) <> value AND CASE WHEN needs_right THEN has_parameter_privilege(name, 'SET') ELSE true END`;
}
