/** Commands beside a database of an older and of a newer version, and with a configuration that cannot be read. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { recordServer } from '../../src/cli/running-server.ts';
import { VERSION } from '../../src/config/version.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { openEmbedded } from '../../src/platform/postgres/embedded-postgres.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../../src/store/db/migrations-folder.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../database.ts';
import { copyReady } from '../ready-postgres.ts';
import { describeSchema } from '../store/describe-schema.ts';
import { makeDirectory } from '../temporary.ts';
import { type Call, listCalls } from './every-command.ts';
import { collector } from './stand.ts';

const log = createLogger('silent');
const known = await readMigrations();
const [last, before] = [known.at(-1)?.name ?? '', known.at(-2)?.name ?? ''];
let directory: string;
let older: TestDatabase;
let newer: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  directory = await makeDirectory();
  [older, newer, empty] = await Promise.all([emptyDatabase(), freshDatabase(), emptyDatabase()]);
  await migrate({ url: older.url, log, folder: await olderMigrations() });
  await query(newer.url, `INSERT INTO strandline.migrations (hash, created_at) VALUES ('x', 9999999999999)`);
});
afterAll(async () => {
  await Promise.all([older, newer, empty].map((database) => database.drop()));
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

/** The program's migrations without the newest one, and no views. */
async function olderMigrations(): Promise<string> {
  const folder = path.join(directory, 'migrations');
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true, filter: (file) => path.basename(file) !== 'views' });
  const file = path.join(folder, 'meta', '_journal.json');
  const journal: { entries: unknown[] } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, -1) }));
  return folder;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url, 'test');
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function run(argv: readonly string[], env: Record<string, string>) {
  const [stdout, stderr] = [collector(), collector()];
  const code = await runCli(argv, {
    stdout: stdout.stream,
    stderr: stderr.stream,
    isTTY: false,
    env: { SERVICE_SOURCES: 'sandbox', STRANDLINE_DATA_DIR: path.join(directory, 'data'), ...env },
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

const beside = ({ url, readerUrl }: TestDatabase) => ({ DATABASE_URL: url, DATABASE_READER_URL: readerUrl });

/** What is in a database that a command could have changed. */
async function readAll({ url }: TestDatabase): Promise<unknown> {
  return [await describeSchema(url), await query(url, 'SELECT hash FROM strandline.migrations')];
}

const MIGRATE = ['up', 'worker', 'migrate', 'restore'];
/** These work beside any version; a completion script needs no database. */
const ANY_VERSION = ['backup', 'doctor', 'config show', 'autocomplete'];
/** These open the database of the sandbox only. */
const OF_SANDBOX = new Set(['demo']);
const calls = (await listCalls()).filter(({ name }) => !OF_SANDBOX.has(name));
const without = (names: readonly string[]) => calls.filter(({ name }) => !names.includes(name));

test('there is a call for every command', () => {
  expect(calls.length).toBeGreaterThan(80);
});

describe('a newer program', () => {
  test('refuses every command but those that migrate, says what to run, and changes nothing', async () => {
    const found = await readAll(older);
    for (const { argv } of without([...MIGRATE, ...ANY_VERSION]))
      expect({ argv, ...(await run(argv, beside(older))) }).toEqual({
        argv,
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(
            `^error: The database test_\\w+ at .* has an older schema .*it has ${before} and views none; needed are ${last} and ` +
              'views 1\\.\\d+\\. To update it, run: strandline migrate\n$',
          ),
        ),
      });
    expect(await readAll(older)).toEqual(found);
  });

  test('has the same words where only the views are older, the queue is, or there is nothing yet', async () => {
    const views = await freshDatabase();
    const queue = await freshDatabase();
    try {
      await query(
        views.url,
        `COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.2'`,
      );
      await query(queue.url, 'DROP SCHEMA bullmq CASCADE');
      for (const [database, words] of [
        [views, /an older schema .*views 1\.2; .* run: strandline migrate$/m],
        [queue, /no queue \(schema "bullmq"\)\. To update it, run: strandline migrate$/m],
        [empty, /is empty\. To create its tables, run: strandline migrate$/m],
      ] as const)
        for (const argv of [['topic', 'list'], ['sql', 'select 1'], ['watch', 'a'], ['api'], ['service']])
          expect({ argv, ...(await run(argv, beside(database))) }).toMatchObject({
            argv,
            code: 2,
            stderr: expect.stringMatching(words),
          });
      expect(await query(empty.url, `SELECT to_regnamespace('strandline') AS ours`)).toEqual([
        { ours: null },
      ]);
    } finally {
      await views.drop();
      await queue.drop();
    }
  });

  test('backs the older database up; the backup can be restored, and migrates', async () => {
    await query(
      older.url,
      `INSERT INTO strandline.topics (slug, name, created_at) VALUES ('older', 'older', now())`,
    );
    const found = await readAll(older);
    const folder = path.join(directory, 'backup');
    expect(await run(['backup', folder], beside(older))).toMatchObject({ code: 0 });
    expect(await readAll(older)).toEqual(found);
    expect(await run(['restore', folder], beside(empty))).toMatchObject({ code: 0 });
    expect(await run(['topic', 'list'], beside(empty))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^older\b/m),
    });
  });

  test('doctor names both versions, config show works, and migrate updates it', async () => {
    const doctor = await run(['doctor'], beside(older));
    expect(doctor).toMatchObject({ code: 1, stderr: '' });
    expect(doctor.stdout).toMatch(new RegExp(`FAIL database: .* it has ${before} .* needed are ${last}`));
    expect(doctor.stdout).toContain('To update it, run: strandline migrate');
    expect((await run(['config', 'show'], beside(older))).code).toBe(0);
    const migrated = await run(['migrate'], beside(older));
    expect(migrated).toMatchObject({ code: 0, stderr: expect.stringContaining(`Applied: ${last}, views`) });
    expect((await run(['topic', 'list'], beside(older))).code).toBe(0);
  });
});

describe('an older program', () => {
  test('refuses every command beside a newer database, in words', async () => {
    const found = await readAll(newer);
    for (const { argv } of without([...ANY_VERSION, 'restore']))
      expect({ argv, ...(await run(argv, beside(newer))) }).toMatchObject({
        argv,
        code: 2,
        stderr: expect.stringMatching(/was migrated by a newer strandline .* Use the newer version/),
      });
    expect(await readAll(newer)).toEqual(found);
  });

  test('backs it up, names it in doctor, and shows its configuration', async () => {
    expect((await run(['backup', path.join(directory, 'of newer')], beside(newer))).code).toBe(0);
    expect((await run(['doctor'], beside(newer))).stdout).toMatch(
      new RegExp(
        `FAIL database: .* newer strandline \\(migrations .* does not know: 1; its own newest is ${last}\\)`,
      ),
    );
    expect((await run(['config', 'show'], beside(newer))).code).toBe(0);
  });
});

test('the embedded database: the first command creates it; an older one waits for migrate', async () => {
  const dataDir = path.join(directory, 'embedded');
  await copyReady(dataDir);
  const env = { STRANDLINE_DATA_DIR: dataDir };
  expect(await run(['topic', 'list'], env)).toMatchObject({ code: 0 });

  // A Postgres that this process runs, so that it is not started for each command.
  const postgres = await openEmbedded({ dataDir, log, role: 'guest' });
  try {
    await query(
      postgres.url,
      `COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.2'`,
    );
    expect(await run(['topic', 'list'], env)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/older schema .*views 1\.2; .* run: strandline migrate/),
    });
    expect(await run(['migrate'], env)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Applied: views'),
    });
    expect(await run(['topic', 'list'], env)).toMatchObject({ code: 0 });
  } finally {
    await postgres.close();
  }
});

describe('a configuration that cannot be read', () => {
  const BROKEN = { 'an unknown name': '{"PROT": 1}', 'no JSON': '{', 'an invalid value': '{"PORT": "x"}' };

  test.each(Object.entries(BROKEN))(
    '%s: every command is refused, and nothing is sent to a running server',
    async (_, text) => {
      const dataDir = path.join(directory, 'served');
      await mkdir(dataDir, { recursive: true });
      let connections = 0;
      const server = createServer().on('connection', () => (connections += 1));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      await recordServer(dataDir, {
        pid: process.pid,
        version: VERSION,
        dashboard: null,
        port,
        key: 'k',
        settings: [],
      });
      const file = path.join(directory, 'broken.json');
      await writeFile(file, text);
      const env = { STRANDLINE_DATA_DIR: dataDir, STRANDLINE_CONFIG: file };
      try {
        for (const call of without(['autocomplete']))
          expect(await runNamed(call, env)).toMatchObject({ code: 2, named: true });
      } finally {
        server.close();
      }
      expect(connections).toBe(0);
      expect((await run(['autocomplete', 'bash'], env)).code).toBe(0);
    },
  );

  async function runNamed({ argv }: Call, env: Record<string, string>) {
    const { code, stdout, stderr } = await run(argv, env);
    return { argv, code, named: `${stdout}${stderr}`.includes('broken.json:1'), stderr };
  }
});
