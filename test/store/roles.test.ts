/** Three roles, as docker/roles.sql creates them: one migrates, one works and owns no table, one reads views. */
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { readMigrations } from '../../src/store/db/migrations-folder.ts';
import { dropMonths, ensurePartitions, listSnapshotMonths } from '../../src/store/maintenance/partitions.ts';
import { collector } from '../cli/stand.ts';
import { emptyDatabase, type TestDatabase } from '../database.ts';
import { type Fleet, openFleet } from '../fleet.ts';
import { REPOSITORY } from '../house/sources.ts';
import { until } from '../processes.ts';
import { json, startStub, type StubService, wirePost } from '../stub-service.ts';
import { makeDirectory } from '../temporary.ts';
import { startCommand } from '../worker-command.ts';
import { checkSchema } from './check-schema.ts';

const log = createLogger('silent');
/** Roles belong to the cluster, which other files use at the same time. */
const suffix = randomBytes(4).toString('hex');
const OWNER = `owner_${suffix}`;
const APP = `app_${suffix}`;
const READER = `reader_${suffix}`;
const SANDBOX = `sandbox_${suffix}`;

let directory: string;
let database: TestDatabase;
let urls: { owner: string; app: string; reader: string; sandbox: string };
let superuser: string;

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url, 'strandline test');
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  [directory, database] = await Promise.all([makeDirectory(), emptyDatabase({ closed: false })]);
  superuser = withDatabase(inject('superuserUrl'), database.name);
  const as = (role: string) => {
    const url = new URL(superuser);
    url.username = role;
    url.password = randomBytes(12).toString('hex');
    return url.href;
  };
  const sandbox = withDatabase(as(SANDBOX), `${database.name}_sandbox`);
  urls = { owner: as(OWNER), app: as(APP), reader: as(READER), sandbox };
  await Promise.all([
    writeFile(path.join(directory, 'database_owner_url'), urls.owner),
    writeFile(path.join(directory, 'database_url'), urls.app),
    writeFile(path.join(directory, 'sandbox_database_url'), urls.sandbox),
  ]);
  const read = async (file: string) =>
    (await readFile(path.join(REPOSITORY, 'docker', file), 'utf8'))
      .replaceAll('/run/secrets', directory)
      .replaceAll('DATABASE strandline_sandbox', `DATABASE ${database.name}_sandbox`)
      .replaceAll('TEMPLATE strandline ', `TEMPLATE ${database.name} `)
      .replaceAll('strandline_owner', OWNER)
      .replaceAll('strandline_app', APP)
      .replaceAll('strandline_sandbox', SANDBOX);
  await query(superuser, await read('roles.sql'));
  // A database is created outside of a transaction: each statement by itself, as psql sends them.
  for (const statement of (await read('sandbox.sql')).split(';\n').filter((part) => part.trim() !== ''))
    await query(superuser, statement);
});
afterAll(async () => {
  await query(superuser, `DROP DATABASE IF EXISTS ${database.name}_sandbox WITH (FORCE)`);
  const rest = `DROP OWNED BY ${READER}, ${APP}, ${OWNER}, ${SANDBOX} CASCADE`;
  await query(superuser, `REASSIGN OWNED BY ${OWNER} TO CURRENT_USER; ${rest}`);
  await database.drop();
  await query(inject('superuserUrl'), `${rest}; DROP ROLE ${READER}, ${APP}, ${OWNER}, ${SANDBOX}`);
  await rm(directory, { recursive: true, force: true });
});

const migrateAsOwner = () => migrate({ url: urls.owner, readerUrl: urls.reader, appRole: APP, log });

describe('before the owner migrates', () => {
  test('no other role does, and the error says who must', async () => {
    await expect(migrate({ url: urls.app, log })).rejects.toThrow(
      /must be migrated, but this role may not do it\. Run strandline migrate as the role that owns/,
    );
    await expect(migrate({ url: urls.owner, appRole: `nobody_${suffix}`, log })).rejects.toThrow(
      /the role nobody_\w+ of DATABASE_APP_ROLE does not exist/,
    );
    await expect(migrate({ url: urls.owner, appRole: OWNER, log })).rejects.toThrow(
      /DATABASE_APP_ROLE is owner_\w+, which is the role that migrates/,
    );
  });
});

describe('the sandbox', () => {
  test('is migrated by its owner, which cannot connect to the other database, nor the other roles to it', async () => {
    await migrate({ url: urls.sandbox, kind: 'sandbox', log });
    const at = (url: string, name: string) => query(withDatabase(url, name), 'SELECT 1');
    for (const url of [urls.owner, urls.app])
      await expect(at(url, `${database.name}_sandbox`)).rejects.toThrow('permission denied for database');
    await expect(at(urls.sandbox, database.name)).rejects.toThrow('permission denied for database');
  });
});

describe('after the owner migrated', () => {
  let fleet: Fleet;
  let receiver: StubService;
  beforeAll(async () => {
    expect(await migrateAsOwner()).toMatchObject({ notes: [] });
    expect(await migrateAsOwner()).toEqual({ applied: [], notes: [] });
    receiver = await startStub(json({}));
    fleet = await openFleet(null, { ...database, url: urls.app, drop: () => Promise.resolve() });
  });
  afterAll(async () => {
    await fleet?.close();
    await receiver?.close();
  });

  const env = () => ({
    DATABASE_URL: urls.app,
    DATABASE_READER_URL: urls.reader,
    WEBHOOK_ALLOW: '127.0.0.1',
    MASTER_KEY: 'of the test, which seals nothing that matters',
    STRANDLINE_DATA_DIR: path.join(directory, 'data'),
    SERVICE_SOURCES: 'sandbox',
  });
  /** What a command prints, as the role that owns nothing. */
  const strandline = async (...args: string[]) => {
    const [stdout, stderr] = [collector(), collector()];
    const io = { stdout: stdout.stream, stderr: stderr.stream, env: env(), isTTY: false };
    expect(await runCli(args, io), `${args.join(' ')}: ${stderr.text()}`).toBe(0);
    return stdout.text();
  };

  test('none of the roles is a superuser, and only owners can create roles', async () => {
    expect(
      await query(
        superuser,
        `SELECT rolname AS name, rolsuper OR rolcreatedb OR rolreplication OR rolbypassrls AS powerful, rolcreaterole AS makes
         FROM pg_roles WHERE rolname LIKE '%${suffix}' ORDER BY 1`,
      ),
    ).toEqual([
      { name: APP, powerful: false, makes: false },
      { name: OWNER, powerful: false, makes: true },
      { name: READER, powerful: false, makes: false },
      { name: SANDBOX, powerful: false, makes: true },
    ]);
    expect(await query(urls.reader, 'SELECT count(*)::int AS n FROM strandline_analytics.posts')).toEqual([
      { n: 0 },
    ]);
  });

  test.each([
    'CREATE TABLE strandline.x (n int)',
    'CREATE TABLE public.x (n int)',
    'CREATE SCHEMA x',
    'DROP TABLE strandline.posts CASCADE',
    'ALTER TABLE strandline.posts ADD COLUMN x int',
    'TRUNCATE strandline.posts CASCADE',
    'DROP FUNCTION strandline.drop_snapshot_month(text)',
    'CREATE OR REPLACE VIEW strandline_analytics.posts AS SELECT 1',
    `INSERT INTO strandline.migrations (hash) VALUES ('x')`,
    'DELETE FROM bullmq.migration',
    `UPDATE strandline.audit_log SET actor = 'program'`,
    'DROP TABLE bullmq.job',
    `SELECT strandline.drop_snapshot_month('posts')`,
    `SELECT strandline.drop_snapshot_month('post_snapshots')`,
    `COPY strandline.posts TO PROGRAM 'true'`,
    `SELECT pg_read_file('/etc/passwd')`,
    'SELECT * FROM pg_authid',
    `ALTER ROLE ${OWNER} PASSWORD 'x'`,
    `SET ROLE ${OWNER}`,
  ])('the app role may not run %s', async (sql) => {
    await expect(query(urls.app, sql)).rejects.toThrow(/permission denied|must be owner|is no month/);
  });

  test('searches run, also concurrently, and their results can be sent, searched, exported and forgotten', async () => {
    fleet.stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('2')] }));
    await strandline('channels', 'add', 'ops', '--webhook', `${receiver.url}/hook`);
    await fleet.start(env());
    const first = await fleet.add('role-first', 'harbour');
    expect(await fleet.ended(first)).toMatchObject({ status: 'succeeded' });
    await strandline('rules', 'add', 'all', '--search', 'role-first', '--channel', 'ops');
    fleet.stub.answers(json({ miner_tweets: [wirePost('3'), wirePost('4')] }));
    await strandline('search', 'run', 'role-first');
    await until('a message arrives', async () => Promise.resolve(receiver.requests.length > 0));

    // More than are added one by one: BullMQ does that by temporary tables.
    const runs = await Promise.all(Array.from({ length: 12 }, (_, i) => fleet.add(`role-many-${i}`)));
    for (const run of runs) expect(await fleet.ended(run)).toMatchObject({ status: 'succeeded' });
    expect(await checkSchema(urls.app)).toBe('current');

    expect(await strandline('export', 'posts', '--search', 'role-first')).toContain('/user_4/status/4');
    expect(await strandline('status')).toContain('runs succeeded');
    expect(await strandline('find', 'post', '--json')).toContain('/user_1/status/1');
    expect(JSON.parse(await strandline('sql', '--json', 'select count(*)::int as n from posts'))).toEqual([
      { n: 4 },
    ]);
    await strandline('trends', 'rebuild');
    await strandline('backup', path.join(directory, 'backup'));
    await strandline('author', 'forget', '@user_1', '--service', 'hosted', '--yes');
    expect(await strandline('export', 'posts')).not.toContain('user_1');
  });

  test('months of snapshots are created and dropped; one in use is postponed', async () => {
    const { db } = fleet.ctx;
    await ensurePartitions(db, new Date('2026-03-10T00:00:00Z'));
    const names = async () => (await listSnapshotMonths(db)).map(({ name }) => name);
    expect(await names()).toEqual(
      expect.arrayContaining(['post_snapshots_2026_03', 'post_snapshots_2026_04']),
    );
    const before = new Date('2026-05-01T00:00:00Z');
    const reader = await connect(urls.app, 'strandline test');
    await reader.query('BEGIN; SELECT count(*) FROM strandline.post_snapshots');
    expect(await dropMonths(db, before, () => true)).toMatchObject({ done: false });
    await reader.end();
    expect(await dropMonths(db, before, () => true)).toMatchObject({ done: true });
    expect((await listSnapshotMonths(db)).every(({ until: end }) => end > before)).toBe(true);
  });

  test('the API and a command start as the app role, but not while a migration is pending', async () => {
    await query(
      urls.owner,
      `DELETE FROM strandline.migrations WHERE id = (SELECT max(id) FROM strandline.migrations)`,
    );
    try {
      const { ended, told } = startCommand({ ...env(), PORT: '0' }, 'api');
      expect((await ended).code).toBe(2);
      expect(told.join('\n')).toMatch(/must be migrated, but this role may not do it/);
    } finally {
      // What it did is there already; only its row is missing.
      const last = (await readMigrations()).at(-1);
      await query(
        urls.owner,
        `INSERT INTO strandline.migrations (hash, created_at) VALUES ('${last?.hash}', ${last?.when})`,
      );
    }
    expect(await strandline('search', 'list')).toContain('role-first');
  });
});

test('a superuser who migrates restricts the functions for the reader only, and restores them for a locked-out app role', async () => {
  const other = await emptyDatabase({ closed: false });
  const [first, second] = [`first_${suffix}`, `second_${suffix}`];
  const password = randomBytes(12).toString('hex');
  const as = (role: string) => {
    const url = new URL(withDatabase(inject('superuserUrl'), other.name));
    url.username = role;
    url.password = password;
    return url.href;
  };
  const root = withDatabase(inject('superuserUrl'), other.name);
  await query(
    root,
    `CREATE ROLE ${first} LOGIN PASSWORD '${password}'; CREATE ROLE ${second} LOGIN PASSWORD '${password}'`,
  );
  try {
    const migrateFor = (appRole: string | undefined) =>
      migrate({ url: root, readerUrl: other.readerUrl, appRole, log });
    const start = (role: string) => migrate({ url: as(role), log });
    await migrateFor(first);
    expect(await start(first)).toEqual({ applied: [], notes: [] });
    await expect(query(other.readerUrl, 'SELECT pg_try_advisory_lock(1)')).rejects.toThrow(
      /permission denied/,
    );
    await expect(query(as(second), 'SELECT pg_try_advisory_lock(1)')).rejects.toThrow(/permission denied/);

    // Nothing is left to close, and this role was not granted it.
    await migrateFor(second);
    for (const role of [first, second]) expect(await start(role)).toEqual({ applied: [], notes: [] });
  } finally {
    await query(root, `DROP OWNED BY ${first}, ${second}`);
    await other.drop();
    await query(inject('superuserUrl'), `DROP ROLE ${first}, ${second}`);
  }
});
