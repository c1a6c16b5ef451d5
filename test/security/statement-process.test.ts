/** The statement process: what it may do, and how it ends. That it works wherever the program runs from: test/house/start.test.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { connectionEnvironment } from '../../src/config/config.ts';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { isAlive } from '../../src/platform/postgres/pid-file.ts';
import { createLogger } from '../../src/platform/logger.ts';
import {
  openReaderHost,
  type ReaderHost,
  type VisitorStatement,
} from '../../src/store/reader/reader-host.ts';
import { freshDatabase } from '../database.ts';
import { REPOSITORY } from '../house/sources.ts';
import { findStatementProcesses } from '../processes.ts';
import { programOf } from '../programs.ts';
import { makeDirectory } from '../temporary.ts';
import { overTls } from '../tls-postgres.ts';

const database = await freshDatabase();
const PROGRAM = pathToFileURL(programOf('src/web/reader-process.ts'));
const logged: string[] = [];
const log = createLogger('info', [], { write: (line) => void logged.push(line) });
const opened: ReaderHost[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  logged.length = 0;
});
afterAll(() => database.drop());

type Asking = Omit<VisitorStatement, 'url'>;
type TestHost = Omit<ReaderHost, 'ask'> & { ask(statement: Asking): ReturnType<ReaderHost['ask']> };

function host(
  {
    url = database.readerUrl,
    ...more
  }: Partial<Parameters<typeof openReaderHost>[0]> & { url?: string } = {},
  limits = {},
): TestHost {
  const one = openReaderHost({ program: PROGRAM, env: {}, log, ...more }, limits);
  opened.push(one);
  return { ...one, ask: (statement) => one.ask({ url, ...statement }) };
}

const signal = new AbortController().signal;
const json = (one: TestHost, sql: string) => one.ask({ sql, form: 'json', signal });

/** What Postgres runs for readers of this database. */
async function active(): Promise<number> {
  const client = await connect(database.url, 'test');
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity WHERE application_name = 'strandline sql' AND datname = current_database()`,
  );
  await client.end();
  return rowCount ?? 0;
}

async function start(one: ReaderHost): Promise<number> {
  await json(one, 'select 1');
  const [pid = 0] = await findStatementProcesses();
  return pid;
}

describe.skipIf(process.platform !== 'linux')('the statement process', () => {
  test('starts with the first statement and ends with the host', async () => {
    const one = host();
    expect(await findStatementProcesses()).toEqual([]);
    const pid = await start(one);
    expect(await start(one)).toBe(pid);
    await one.close();
    expect(isAlive(pid)).toBe(false);
    await expect(json(one, 'select 1')).rejects.toThrow(/closing/);
  });

  test('exposes the password neither in its arguments nor in its environment', async () => {
    const pid = await start(host());
    const shown = await Promise.all(
      ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
    );
    expect(shown.join()).toContain('reader-process');
    expect(shown.join()).not.toContain(new URL(database.readerUrl).password);
    expect(shown[1]).toBe('');
  });

  test('stops when idle, and starts again on demand', async () => {
    const one = host({}, { idleMs: 1 });
    await json(one, 'select 1');
    await vi.waitFor(async () => expect(await findStatementProcesses()).toEqual([]), { timeout: 60_000 });
    expect(logged).toEqual([]);
    await vi.waitFor(() => json(one, 'select 1'), { timeout: 60_000 });
  });

  test('fails its statements with an explanation when it is killed; the crash is logged, and a new process starts a second later', async () => {
    const one = host();
    const pid = await start(one);
    const asked = expect(json(one, 'select pg_sleep(20)')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the SQL process ended (SIGKILL); see the log',
    });
    process.kill(pid, 'SIGKILL');
    await asked;
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: 'statement process ended', reason: expect.stringContaining('SIGKILL') as unknown },
    ]);
    const body = await vi.waitFor(() => json(one, 'select 2'), { timeout: 60_000 });
    expect(body.body.toString()).toContain('[[2]]');
  });

  test('is killed when it does not respond', async () => {
    const one = host({}, { maxReplyMs: 500 });
    await expect(json(one, 'select pg_sleep(25)')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the statement did not end within 0.5 s; its process was killed',
    });
    expect(await findStatementProcesses()).toEqual([]);
  });

  test('that cannot start is logged with its output, and is not restarted immediately', async () => {
    const program = pathToFileURL(path.join(REPOSITORY, 'src/web/no-reader-process.ts'));
    const one = host({ program }, { restartMs: 600_000 });
    await expect(json(one, 'select 1')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the SQL process ended (code 1); see the log',
    });
    await expect(json(one, 'select 1')).rejects.toThrow(/\(code 1\).*try again in a second/);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('no-reader-process');
  });

  test('has a memory limit, and exceeding it is reported as such', async () => {
    const directory = await makeDirectory();
    const program = pathToFileURL(path.join(directory, 'greedy.mjs'));
    await writeFile(program, 'const held = []; for (;;) held.push(new Array(1_000_000).fill(0));');
    const one = host({ program });
    await expect(json(one, 'select 1')).rejects.toThrow(/ran out of memory; ask for fewer columns or rows/);
  });

  test('cancels the statement in Postgres when the visitor disconnects', async () => {
    const one = host();
    const leaving = new AbortController();
    const asked = one.ask({ sql: 'select pg_sleep(25)', form: 'json', signal: leaving.signal });
    // It is over no sooner than it is in Postgres.
    const ended = asked.catch(async () => active());
    await vi.waitFor(async () => expect(await active()).toBe(1), { timeout: 60_000 });
    leaving.abort();
    expect(await ended).toBe(0);
    await expect(asked).rejects.toMatchObject({ kind: 'conflict' });
    expect((await json(one, 'select 1')).rows).toBe(1);
  });

  test('ends with a killed program', async () => {
    const child = spawn(process.execPath, [programOf('src/main.ts'), 'api'], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATABASE_URL: database.url,
        DATABASE_READER_URL: database.readerUrl,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    let said = '';
    try {
      const address = await new Promise<string>((resolve, reject) => {
        child.stderr.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          const [, url] = /"address":"(http:[^"]+)"/.exec(said) ?? [];
          if (url !== undefined) resolve(url);
        });
        void ended.then(() => reject(new Error(said)));
      });
      const reply = await fetch(`${address}/api/v1/sql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sql: 'select 1 as n' }),
      });
      expect(await reply.json()).toMatchObject({ rows: [[1]] });
      const left = await findStatementProcesses(child.pid);
      expect(left).toHaveLength(1);
      child.kill('SIGKILL');
      await ended;
      await vi.waitFor(() => expect(left.filter(isAlive)).toEqual([]), { timeout: 60_000 });
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});

describe('its output', () => {
  /** One process for all: whom it logs in as comes with each statement. */
  const one = openReaderHost({ program: PROGRAM, env: {}, log });
  const ask = (statement: Asking, url = database.readerUrl) => one.ask({ url, ...statement });
  const askJson = (sql: string, url?: string) => ask({ sql, form: 'json', signal }, url);
  afterAll(() => one.close());

  test.each([
    [
      'html',
      `select '<b>' as a, null as b, 1 as n`,
      /<th scope="col"><bdi[^>]*>a<.*&lt;b>.*null.*class="number"/,
    ],
    [
      'json',
      `select '<b>' as a, null as b, 1 as n`,
      /"rows":\[\["<b>",null,1\]\],"truncated":false,"duration_ms":\d+\}$/,
    ],
    ['json', `select '{"a": 1}'::jsonb as j, array['x', null] as t`, /\[\["\{\\"a\\": 1\}",\["x",null\]\]\]/],
    ['html', `select 1 where false`, /^$/],
  ] as const)('%s for %s', async (form, sql, says) => {
    expect((await ask({ sql, form, signal })).body.toString()).toMatch(says);
  });

  test('a table larger than 2 MB is truncated at a row', async () => {
    const found = await ask({
      sql: `select repeat('<', 290) from generate_series(1, 1001)`,
      form: 'html',
      signal,
    });
    expect(found).toMatchObject({ rows: 1_000, more: true });
    const wide = Array.from({ length: 12 }, () => `repeat('<', 290)`).join(', ');
    const cut = await ask({
      sql: `select ${wide} from generate_series(1, 900)`,
      form: 'html',
      signal,
    });
    expect(cut.more).toBe(true);
    expect(cut.body.length).toBeLessThanOrEqual(2_000_000);
    expect(cut.body.toString().match(/<tr>/g)).toHaveLength(cut.rows + 1);
    expect(cut.body.toString()).toMatch(/<\/tr><\/tbody><\/table><\/div>$/);
  });

  test('a role without free connections gives a retryable error', async () => {
    const superuser = await connect(withDatabase(inject('superuserUrl'), database.name), 'test');
    const role = `few_${database.name}`;
    await superuser.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT 1`);
    const url = new URL(database.readerUrl);
    url.username = role;
    url.password = 'few';
    const held = await connect(url.href, 'test');
    await expect(askJson('select 1', url.href)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'all reader connections are in use; try again in a moment',
    });
    await held.end();
    await superuser.query(`DROP ROLE ${role}`);
    await superuser.end();
  });

  test('over TLS, the bytes from Postgres are counted as they arrive', async () => {
    const { url, close } = await overTls(database.readerUrl);
    try {
      expect((await askJson(`select 'ä' as a`, url)).body.toString()).toContain('[["ä"]]');
      expect(await askJson(`select repeat('x', 3800) from generate_series(1, 1001)`, url)).toMatchObject({
        more: true,
      });
      await expect(askJson(`select repeat('x', 5000) from generate_series(1, 1000)`, url)).rejects.toThrow(
        'the result is larger than 4 MB; select fewer columns or rows',
      );
    } finally {
      close();
    }
  });

  test('the password may come from a password file, in the home directory or named; PGPASSWORD is not passed on', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = new URL(database.readerUrl);
    const { password } = url;
    url.password = '';
    const home = await makeDirectory();
    const lines = `*:*:*:${url.username}:${decodeURIComponent(password)}\n`;
    await writeFile(path.join(home, '.pgpass'), lines, { mode: 0o600 });
    const logsIn = () => json(host({ url: url.href, env: connectionEnvironment() }), 'select 1');

    vi.stubEnv('HOME', home);
    expect(await logsIn()).toMatchObject({ rows: 1 });
    vi.stubEnv('HOME', path.join(home, 'another'));
    vi.stubEnv('PGPASSWORD', decodeURIComponent(password));
    await expect(logsIn()).rejects.toThrow('client password');
    vi.stubEnv('PGPASSFILE', path.join(home, '.pgpass'));
    expect(await logsIn()).toMatchObject({ rows: 1 });
  });

  test('an unavailable database and a failed login are reported as such', async () => {
    const away = new URL(database.readerUrl);
    away.port = '1';
    await expect(askJson('select 1', away.href)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const wrong = new URL(database.readerUrl);
    wrong.password = 'wrong';
    await expect(askJson('select 1', wrong.href)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('the reader cannot log in') as unknown,
    });
  });
});
