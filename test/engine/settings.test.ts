/**
 * No setting of a database, role or server changes what is read or written: a life of the program under settings is the same as without.
 * `npm run test:settings` tries each value of each setting alone.
 */
import { afterAll, expect, test } from 'vitest';
import type { Client } from 'pg';
import { escapeLiteral } from 'pg';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { HOUR } from '../../src/lib/time.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../database.ts';
import { oneOf, seeded } from '../faults/random.ts';
import { inject } from 'vitest';
import { type Life, live } from './life.ts';

const superuser = await connect(inject('superuserUrl'), 'test');
afterAll(() => superuser.end());

type Settings = Readonly<Record<string, string>>;

/** Settings that are known to matter, with values of which each would change something. The first values together, then the second ones. */
const KNOWN: Readonly<Record<string, readonly [string, ...string[]]>> = {
  DateStyle: ['German', 'SQL, DMY', 'Postgres, MDY', 'ISO, MDY'],
  IntervalStyle: ['sql_standard', 'postgres_verbose', 'iso_8601'],
  TimeZone: ['Asia/Kathmandu', 'America/St_Johns', 'UTC-25'],
  timezone_abbreviations: ['India', 'Australia'],
  bytea_output: ['escape'],
  extra_float_digits: ['-15', '-1', '0', '3'],
  array_nulls: ['off'],
  client_encoding: ['LATIN1', 'SQL_ASCII', 'EUC_JP'],
  xmlbinary: ['hex'],
  xmloption: ['document'],
  quote_all_identifiers: ['on'],
  standard_conforming_strings: ['off'],
  escape_string_warning: ['on'],
  backslash_quote: ['off', 'on'],
  transform_null_equals: ['on'],
  gin_fuzzy_search_limit: ['1'],
  restrict_nonsystem_relation_kind: ['view, foreign-table', 'view'],
  'plpgsql.extra_errors': ['all'],
  'plpgsql.extra_warnings': ['all'],
  'plpgsql.variable_conflict': ['use_variable', 'use_column'],
  'strandline.restoring': ['on'],
  default_transaction_isolation: ['serializable', 'repeatable read'],
  default_transaction_deferrable: ['on'],
  exit_on_error: ['on'],
  statement_timeout: ['100ms', '1s'],
  lock_timeout: ['1ms'],
  idle_in_transaction_session_timeout: ['100ms'],
  idle_session_timeout: ['200ms'],
  transaction_timeout: ['200ms'],
  search_path: ['traps, pg_catalog', 'nowhere', '""'],
  row_security: ['off'],
  default_text_search_config: ['pg_catalog.german'],
  default_toast_compression: ['lz4'],
  synchronous_commit: ['off', 'local'],
  client_min_messages: ['debug1', 'error'],
  check_function_bodies: ['off'],
  lc_numeric: ['C'],
  synchronize_seqscans: ['on'],
  plan_cache_mode: ['force_generic_plan', 'force_custom_plan'],
  enable_seqscan: ['off'],
  enable_indexscan: ['off'],
  enable_bitmapscan: ['off'],
  jit_above_cost: ['0'],
  debug_parallel_query: ['regress', 'on'],
  work_mem: ['64kB'],
  max_parallel_workers_per_gather: ['0', '4'],
  createrole_self_grant: ['set'],
};

/** Settings that are not drawn, each with its reason. Names may be patterns. */
const LEFT_OUT: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^(default_)?transaction_read_only$/, 'refused in words: server-state.test.ts'],
  [/^(session_replication_role|role|session_authorization)$/, 'refused in words: server-state.test.ts'],
  [
    /^(log_|debug_print|debug_pretty|debug_discard|trace_|track_|compute_query_id|backtrace)/,
    'what is logged, traced or counted',
  ],
  [
    /^(max_stack_depth|temp_file_limit|temp_buffers)$/,
    'limits of a superuser: too small, statements fail in words',
  ],
  [
    /(preload_libraries|library_path|control_path|jit_provider|tablespace)/,
    'names of what a server has installed',
  ],
  [/_timeout$/, 'time limits: known, and long enough to connect at all'],
  [
    /^(allow_|ignore_|zero_|wal_|commit_delay|commit_siblings|lo_compat|event_triggers)/,
    'means of a superuser to repair a server',
  ],
];

/** Shadows what statements call, where the search path of a session begins with it. */
const TRAPS = `
CREATE SCHEMA traps;
CREATE FUNCTION traps.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT NULL::timestamptz';
CREATE FUNCTION traps.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT NULL::timestamptz';
CREATE FUNCTION traps.lower(text) RETURNS text LANGUAGE sql AS 'SELECT upper($1)';
CREATE FUNCTION traps.md5(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION traps.least(anyelement, anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT $2';
CREATE FUNCTION traps.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT $2';
CREATE TABLE traps.runs (id bigint);
CREATE TABLE traps.job (id bigint);
CREATE TABLE traps.pg_class (oid oid);
GRANT USAGE ON SCHEMA traps TO PUBLIC`;

async function inside(database: TestDatabase, statement: string): Promise<void> {
  const client = await connect(withDatabase(inject('superuserUrl'), database.name), 'test');
  await client.query(statement);
  await client.end();
}

/** Sets what Postgres accepts. @returns what it accepted */
async function apply(client: Client, database: TestDatabase, settings: Settings): Promise<string[]> {
  const accepted: string[] = [];
  for (const [name, value] of Object.entries(settings)) {
    const written = name === 'search_path' ? value : escapeLiteral(value);
    const set = `SET ${name
      .split('.')
      .map((part) => `"${part}"`)
      .join('.')} = ${written}`;
    await client.query(`ALTER DATABASE ${database.name} ${set}`).then(
      () => accepted.push(`${name} = ${value}`),
      () => {}, // an older server, or a value that it does not have
    );
  }
  return accepted;
}

async function lifeUnder(settings: Settings): Promise<{ life: Life; accepted: string[] }> {
  const database = await freshDatabase();
  try {
    await inside(database, TRAPS);
    const accepted = await apply(superuser, database, settings);
    return { life: await live(database), accepted };
  } finally {
    await database.drop();
  }
}

/** All values of a place in {@link KNOWN}; the last one where a setting has fewer. */
function known(place: number): Settings {
  return Object.fromEntries(
    Object.entries(KNOWN).map(([name, values]) => [name, values[place] ?? values.at(-1) ?? values[0]]),
  );
}

type Setting = {
  name: string;
  vartype: string;
  min: string;
  max: string;
  values: string[] | null;
  now: string;
};

/** What a role may change, or an administrator for it, and what no reason leaves out. */
async function listSettings(): Promise<Setting[]> {
  const { rows } = await superuser.query<Setting>(
    `SELECT name, vartype, min_val AS min, max_val AS max, enumvals AS values, setting AS now FROM pg_settings
     WHERE context IN ('user', 'superuser') ORDER BY name`,
  );
  return rows.filter(
    ({ name }) => !LEFT_OUT.some(([pattern]) => pattern.test(name)) && !Object.hasOwn(KNOWN, name),
  );
}

/** Extremes and values between, of each type; none of texts, which are known or left out. */
function valuesOf({ vartype, min, max, values, now }: Setting): readonly string[] {
  if (vartype === 'bool') return [now === 'on' ? 'off' : 'on'];
  if (vartype === 'enum') return (values ?? []).filter((value) => value !== now);
  if (vartype !== 'integer' && vartype !== 'real') return [];
  const between = (Number(min) + Math.min(Number(max), 1_000_000)) / 2;
  return [min, max, String(vartype === 'integer' ? Math.trunc(between) : between)];
}

const plain = lifeUnder({});

test.each([0, 1])('a life under all settings that matter, values %i, is the same', async (place) => {
  const { life, accepted } = await lifeUnder(known(place));
  expect(accepted.length).toBeGreaterThan(Object.keys(KNOWN).length - 4);
  expect(life).toEqual((await plain).life);
});

test('a life under drawn values of all other settings is the same', async () => {
  const random = seeded(Number(process.env['SETTINGS_SEED'] ?? 1));
  const drawn = Object.fromEntries(
    (await listSettings()).flatMap((setting) => {
      const [first, ...others] = valuesOf(setting);
      return first === undefined ? [] : [[setting.name, oneOf(random, [first, ...others])]];
    }),
  );
  const { life, accepted } = await lifeUnder(drawn);
  expect(accepted.length, 'settings that were drawn and accepted').toBeGreaterThan(60);
  expect(life, accepted.join('; ')).toEqual((await plain).life);
});

test('a database is created and migrated under all settings that matter', async () => {
  const database = await emptyDatabase();
  const log = createLogger('silent');
  try {
    await inside(database, TRAPS);
    await apply(superuser, database, known(0));
    await migrate({ url: database.url, readerUrl: database.readerUrl, log });
    expect(await live(database)).toEqual((await plain).life);
  } finally {
    await database.drop();
  }
});

async function tryEachAlone(): Promise<void> {
  const cases = [
    ...Object.entries(KNOWN),
    ...(await listSettings()).map((setting) => [setting.name, valuesOf(setting)] as const),
  ].flatMap(([name, values]) => values.map((value) => ({ [name]: value })));
  const different: string[] = [];
  for (const settings of cases) {
    const { life, accepted } = await lifeUnder(settings).catch((error: unknown) => ({
      life: { error: String(error) },
      accepted: [JSON.stringify(settings)],
    }));
    if (JSON.stringify(life) !== JSON.stringify((await plain).life)) different.push(...accepted);
  }
  expect(different).toEqual([]);
}
// Some four hundred lives, each of some seconds.
if (process.env['SETTINGS'] === 'each')
  test('each value of each setting alone', { timeout: 4 * HOUR }, tryEachAlone);
