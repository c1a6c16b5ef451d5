/**
 * Secrets of every kind as canaries. The real program goes through success, every way a call can fail, outages of its
 * stores and a crash, as loud as it can be; then everything it left is searched. None may sing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { type Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { connect, withDatabase } from '../../src/platform/postgres/connect.ts';
import { onEachBackend } from '../backends.ts';
import { emptyDatabase, type TestDatabase } from '../database.ts';
import { stage } from '../engine/stage.ts';
import { REPOSITORY } from '../house/sources.ts';
import { until } from '../processes.ts';
import { programOf } from '../programs.ts';
import { startRedis } from '../redis.ts';
import { type MailServer, startMailServer } from '../tell/mail-server.ts';
import { gated, json, type StubService, startStub, wirePost } from '../stub-service.ts';
import { makeDirectory } from '../temporary.ts';
import { type Canaries, dumpDatabase, dumpRedis, readBelow, sungIn, watchArguments } from './traces.ts';

const canary = (name: string) => `canary-${name}-${randomBytes(12).toString('hex')}`;

/** Variables that hold a secret, each with one. */
const IN_ENVIRONMENT = [
  'SEARCH_API_KEY',
  'MASTER_KEY',
  'SERVICE_API_KEYS',
  'BLUESKY_APP_PASSWORD',
  'MASTODON_TOKEN',
  'X_BEARER_TOKEN',
  'REDDIT_CLIENT_SECRET',
  'YOUTUBE_API_KEY',
  'BRAVE_API_KEY',
  'TAVILY_API_KEY',
  'EXA_API_KEY',
  'LLM_API_KEY',
];
/** Those that a provider is sent as they are, so that it is known that they were in use. */
const SENT = IN_ENVIRONMENT.slice(3).filter((one) => one !== 'REDDIT_CLIENT_SECRET');
/** All but the last have a key, and refuse it. */
const PROVIDERS = ['bluesky', 'mastodon', 'x', 'reddit', 'youtube', 'brave', 'tavily', 'exa', 'hacker-news'];

/** Answers of a service that repeats what it was sent, by the prompt that asks for it. */
const WAYS_TO_FAIL: Readonly<Record<string, (response: ServerResponse, said: string) => void>> = {
  auth: (response, said) =>
    void response.writeHead(401, { 'x-said': said }).end(JSON.stringify({ detail: said })),
  payment: (response, said) => void response.writeHead(402).end(said),
  refused: (response, said) => void response.writeHead(422).end(JSON.stringify({ detail: [{ msg: said }] })),
  limited: (response, said) => void response.writeHead(429, { 'retry-after': '3600' }).end(said),
  broken: (response, said) =>
    void response.writeHead(500, { 'set-cookie': `key=${said}` }).end(`<b>${said}</b>`),
  moved: (response, said) =>
    void response.writeHead(302, { location: `http://127.0.0.1:1/?key=${said}` }).end(),
  'no-json': (response, said) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"key": "${said}"`),
  page: (response, said) => void response.writeHead(200, { 'content-type': 'text/html' }).end(said),
  'other-shape': (response, said) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ [said]: [said] })),
  rejects: (response, said) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ miner_tweets: [wirePost('7', { text: said }), { id: said, text: said }, said] })),
  'bad-packing': (response, said) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(said),
  'cut-off': (response, said) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
    response.write(`{"miner_tweets": ["${said}`, () => response.socket?.resetAndDestroy());
  },
};

onEachBackend('secrets', ({ name, redisUrl }) => {
  const canaries: Record<string, string> = Object.fromEntries(
    IN_ENVIRONMENT.map((one) => [one, canary(one)]),
  );
  const passwords = { database: canary('database'), redis: canary('redis'), mail: canary('mail') };
  Object.assign(canaries, passwords);
  const role = `role_${randomBytes(6).toString('hex')}`;
  let directory: string;
  let database: TestDatabase;
  let superuser: Client;
  let stub: StubService;
  let provider: { url: string; asked: () => string; close(): void };
  let mailServer: MailServer;
  let redis: { url: string; stop(): Promise<void> } | undefined;
  let env: Record<string, string>;
  let endWatch: () => string;
  const left: Record<string, string> = {};

  beforeAll(async () => {
    endWatch = watchArguments();
    directory = await makeDirectory();
    database = await emptyDatabase();
    superuser = await connect(withDatabase(inject('superuserUrl'), database.name), 'test');
    await superuser.query(`CREATE ROLE ${role} LOGIN PASSWORD '${passwords.database}' IN ROLE strandline`);
    await superuser.query(`GRANT ALL ON DATABASE ${database.name} TO ${role}`);
    const login = new URL(database.url);
    login.username = role;
    login.password = passwords.database;
    if (redisUrl !== null) {
      redis = await startRedis(directory);
      const admin = new Redis(redis?.url ?? '');
      await admin.config('SET', 'requirepass', passwords.redis);
      admin.disconnect();
    }
    stub = await startStub(({ headers, body }, response) => {
      const said = String(headers.authorization);
      const fail = WAYS_TO_FAIL[String(body['prompt'])];
      if (fail === undefined)
        return json({ miner_tweets: [wirePost(String(stub.requests.length), { text: `it said ${said}` })] })(
          { path: '', headers, body },
          response,
        );
      return fail(response, said);
    });
    provider = await startProvider();
    mailServer = await startMailServer();
    // It refuses the login, and repeats it.
    mailServer.behaves({ login: 'another:login' });
    env = {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: login.href,
      DATABASE_READER_URL: database.readerUrl,
      ...(redis === undefined ? {} : { REDIS_URL: redis.url.replace('//', `//:${passwords.redis}@`) }),
      ...Object.fromEntries(IN_ENVIRONMENT.map((one) => [one, canaries[one] ?? ''])),
      STRANDLINE_DATA_DIR: path.join(directory, 'data'),
      SEARCH_API_URL: stub.url,
      BLUESKY_HANDLE: 'somebody.example',
      REDDIT_CLIENT_ID: 'client',
      REDDIT_USERNAME: 'somebody',
      X_USD_PER_DAY: '1',
      LLM_BASE_URL: provider.url,
      LLM_MODEL: 'model',
      SERVICE_SOURCES: PROVIDERS.join(','),
      SERVICE_SOURCE_URLS: PROVIDERS.map((one) => `${one}=${provider.url}`).join(','),
      WEBHOOK_ALLOW: '127.0.0.1',
      SMTP_URL: `smtp://alerts:${passwords.mail}@127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'alerts@example.com',
      PORT: '0',
      SERVICE_PORT: '0',
      LOG_LEVEL: 'trace',
      RECONCILE_SECONDS: '1',
      // A claim whose confirmation was lost with its connection is nobody's until its lease ends.
      RUN_LEASE_SECONDS: '5',
    };
  });
  afterAll(async () => {
    await stub.close();
    provider.close();
    await mailServer.close();
    await redis?.stop();
    await superuser.end();
    await database.drop();
    const owner = await connect(inject('superuserUrl'), 'test');
    await owner.query(`DROP ROLE ${role}`);
    await owner.end();
    await rm(directory, { recursive: true, force: true });
  });

  /** What a command prints for whoever reads it; it may be a secret that is shown once. */
  async function command(...argv: string[]): Promise<{ code: number; stdout: string }> {
    const printed = { stdout: '', stderr: '' };
    const into = (stream: keyof typeof printed) =>
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          printed[stream] += chunk.toString();
          done();
        },
      });
    const code = await runCli(argv, { stdout: into('stdout'), stderr: into('stderr'), env, isTTY: false });
    left['what commands say'] = `${left['what commands say'] ?? ''}\n$ ${argv.join(' ')}\n${printed.stderr}`;
    return { code, stdout: printed.stdout };
  }
  async function made(secret: string, ...argv: string[]): Promise<string> {
    const { code, stdout } = await command(...argv);
    expect(code, `${argv.join(' ')}: ${left['what commands say'] ?? ''}`).toBe(0);
    canaries[secret] = stdout.trim();
    return stdout.trim();
  }
  const rows = async (sql: string) => (await superuser.query<Record<string, unknown>>(sql)).rows;

  test(`secrets appear in no log, table or file of the program, with the queue on ${name}`, async () => {
    expect((await command('migrate')).code).toBe(0);
    const token = await made('token', 'token', 'create', '--scope', 'admin');
    await made('service key', 'service', 'key', 'create');
    expect((await command('channels', 'add', 'mail', '--email', 'desk@example.com')).code).toBe(0);
    expect((await command('channels', 'test', 'mail')).code).toBe(1);
    expect(mailServer.commands.join('\n')).toContain('AUTH PLAIN');
    await made('webhook secret', 'channels', 'add', 'ops', '--webhook', `${provider.url}/hook`);
    expect((await command('rules', 'add', 'all', '--on', 'post', '--channel', 'ops')).code).toBe(0);
    expect((await command('config', 'show')).stdout).not.toMatch(/canary/);

    const program = await startProgram(env);
    // What it says is read until it ends, whatever becomes of this test.
    try {
      await add('fine', 'hosted');
      await command('search', 'run', 'fine', '--wait');
      for (const way of Object.keys(WAYS_TO_FAIL)) {
        await add(way, 'hosted');
        // A key that is refused stops all searches of the service: the next way begins from anew.
        await rows(
          `UPDATE strandline.searches SET state = 'active', state_reason = NULL, next_due_at = now() + interval '1 hour' WHERE archived_at IS NULL`,
        );
      }
      await add('sources', 'own', 'Web Search,Microblog Search,Discussion Board Search,Video Search');
      // The model is called only where a source found something. The sample topic may be paused before its first run.
      await add('summary', 'own', 'News Forum Search');
      await untilAllProvidersAreAsked();

      // A run that the program itself takes, and is in the middle of: its job is there to be looked at.
      const gate = gated(json({ miner_tweets: [] }));
      stub.answers(gate.answer);
      const before = stub.requests.length;
      const asked = await fetch(`${program.url}/api/v1/searches/fine/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
      expect(asked.status).toBe(202);
      await until('the run is under way', async () => stub.requests.length > before);
      left['jobs under way'] =
        redis === undefined ? await dumpDatabase(superuser) : await dumpRedis(env['REDIS_URL'] ?? '');
      expect(left['jobs under way']).toMatch(/fence|run-\d/);

      // Of the queue, whose address is a secret too, only these speak.
      left['what is served'] = await crawl(program.url, token, redis === undefined ? /./ : OF_THE_QUEUE);
      const backup = path.join(directory, 'backup');
      expect((await command('backup', backup)).code).toBe(0);
      left['a backup'] = await readBelow(backup);
      await command('doctor');
      // A wrong address of Redis is among them.
      if (redis === undefined) await wrongWays();

      // Stores that go away, with all that libraries then say.
      await rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
      if (redis !== undefined) {
        const admin = new Redis(env['REDIS_URL'] ?? '');
        await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        admin.disconnect();
      }
      gate.open();
      await until(
        'the run ends',
        async () => (await rows(`SELECT FROM strandline.runs WHERE status IN ('running')`)).length === 0,
        120_000,
      );
      program.child.kill('SIGUSR2');
      await program.ended;
    } finally {
      program.child.kill('SIGKILL');
      await program.ended;
    }
    left['what the program says'] = program.said();
    expect(program.said()).toMatch(/uncaught exception/);
    left['the database'] = await dumpDatabase(superuser);
    left['the queue'] = redis === undefined ? '' : await dumpRedis(env['REDIS_URL'] ?? '');
    left['arguments of processes'] = endWatch();
    expect(left['arguments of processes']).toContain(programOf('src/main.ts'));

    const ended = await rows(`SELECT DISTINCT code FROM strandline.runs WHERE code IS NOT NULL`);
    expect(ended.length, JSON.stringify(ended)).toBeGreaterThanOrEqual(8);
    const sang = Object.entries(left).flatMap(([where, text]) =>
      sungIn(text, canaries).map(
        (secret) => `${secret} in ${where}: ${around(text, canaries[secret] ?? '')}`,
      ),
    );
    expect(sang).toEqual([]);
  }, 300_000);

  /** A source that had no time to be asked on a busy machine is asked by the next run. */
  async function untilAllProvidersAreAsked(): Promise<void> {
    await until(
      'all providers are asked',
      async () => {
        const missing = SENT.filter((secret) => !provider.asked().includes(canaries[secret] ?? 'none'));
        if (missing.length === 0) return true;
        for (const slug of ['sources', 'summary']) await command('search', 'run', slug, '--wait');
        throw new Error(`not asked: ${missing.join(', ')}`);
      },
      180_000,
    );
  }

  /** @param tools of an AI search; without them the search is one of posts */
  async function add(slug: string, service: string, tools?: string): Promise<void> {
    await command(
      'search',
      'add',
      slug,
      '--service',
      service,
      '--operation',
      tools === undefined ? 'microblog' : 'ai',
      '--every',
      '1h',
      '--prompt',
      slug,
      ...(tools === undefined ? [] : ['--tools', tools]),
    );
  }

  /** Secrets that are wrong, and places where they are refused: what is then said must not repeat them. */
  async function wrongWays(): Promise<void> {
    const right = env;
    const wrong = { DATABASE_URL: right['DATABASE_URL'], REDIS_URL: 'redis://:wrong@127.0.0.1:1' };
    canaries['wrong password'] = canary('wrong');
    for (const [variable, value] of Object.entries({
      DATABASE_URL: wrong.DATABASE_URL?.replace(passwords.database, canaries['wrong password']),
      DATABASE_READER_URL: database.readerUrl.replace(/:[^:@]+@/, `:${canaries['wrong password']}@`),
      REDIS_URL: `redis://:${canaries['wrong password']}@127.0.0.1:1`,
      SEARCH_API_URL: `http://user:${canaries['wrong password']}@host`,
      SMTP_URL: `smtp://user:${canaries['wrong password']}@127.0.0.1:${mailServer.port}/path`,
      MASTER_KEY: canaries['wrong password'].slice(0, 20),
    })) {
      env = { ...right, [variable]: value ?? '' };
      await command('doctor');
      await command('status');
    }
    const file = path.join(directory, 'key');
    await writeFile(file, `${canaries['wrong password']}\u0001`);
    env = { ...right, SEARCH_API_KEY: '', SEARCH_API_KEY_FILE: file };
    await command('config', 'show');
    env = right;
  }
});

const around = (text: string, secret: string) =>
  text.slice(Math.max(0, text.indexOf(secret) - 150), text.indexOf(secret) + 20);

type Program = { child: ChildProcess; url: string; said: () => string; ended: Promise<unknown> };

/** Everything in one process, which throws with a secret on it when it is told to. */
async function startProgram(env: Record<string, string>): Promise<Program> {
  const fault = `process.on('SIGUSR2', () => { throw Object.assign(new Error('as told'), { parameters: [process.env.MASTER_KEY] }) })`;
  const child = spawn(process.execPath, [programOf('src/main.ts'), 'up'], {
    cwd: REPOSITORY,
    env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const ended = once(child, 'exit');
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const url = await until('it listens', async () => {
    if (child.exitCode !== null) throw new Error(said);
    return /dashboard\s+(http:\/\/\S+)/.exec(said)?.[1];
  });
  return { child, url, said: () => said, ended };
}

/**
 * Providers of all sources and a language model, and a receiver of webhooks: they refuse, and repeat what they were sent.
 * The source that needs no key finds a story.
 */
async function startProvider(): Promise<{ url: string; asked: () => string; close(): void }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const said = JSON.stringify([request.url, request.headers, Buffer.concat(chunks).toString()]);
      asked.push(said);
      if (/^\/api\/v1\/search(?:_by_date)?\?/.test(request.url ?? ''))
        return response.end(
          JSON.stringify({
            hits: [
              { objectID: '1', created_at_i: Math.floor(Date.now() / 1_000), title: 'The summary of it' },
            ],
          }),
        );
      return response.writeHead(401, { 'x-said': encodeURIComponent(said.slice(0, 2_000)) }).end(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => asked.join('\n'),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const OF_THE_QUEUE = /system|status|doctor|metrics|livez|readyz/;

/** What whoever may see everything is shown at every address that there is, by the API and by the pages. */
async function crawl(url: string, token: string, addresses: RegExp): Promise<string> {
  const names: Record<string, string> = { search: 'fine', topic: 'fine', channel: 'ops', rule: 'all' };
  const headers = { authorization: `Bearer ${token}` };
  const read = async (where: string) => {
    const response = await fetch(new URL(where, url), { headers, signal: AbortSignal.timeout(60_000) });
    return `${where}: ${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
  };
  const described = await read('/openapi.json');
  const paths = [...described.matchAll(/"(\/(?:api|feeds)[^"]*)":\{"get"/g)].map(([, found = '']) => found);
  const pages = [...(await read('/')).matchAll(/href="(\/[^"#]*)"/g)].map(([, found = '']) => found);
  expect(paths.length).toBeGreaterThan(20);
  expect(pages.length).toBeGreaterThan(5);
  const texts = [described];
  for (const where of new Set([
    ...paths,
    ...pages,
    '/metrics',
    '/livez',
    '/readyz',
    '/docs',
    '/sign-in',
    '/nothing',
  ]))
    if (addresses.test(where) && !where.endsWith('/events'))
      texts.push(await read(where.replaceAll(/\{(\w+)\}/g, (_, member: string) => names[member] ?? '1')));
  return texts.join('\n');
}

test('passwords of the embedded Postgres appear neither in process arguments nor in its log', async () => {
  const endWatch = watchArguments();
  const { open, dataDir } = await stage();
  const postgres = await open('owner');
  const home = path.join(dataDir, 'postgres');
  const canaries: Canaries = JSON.parse(await readFile(path.join(home, 'secrets.json'), 'utf8')) as Canaries; // as files.ts writes it
  const wrong = new URL(postgres.url);
  wrong.password = canaries['owner'] ?? '';
  await expect(connect(wrong.href, 'test')).rejects.toMatchObject({ code: '28P01' });
  await postgres.close();
  const seen = endWatch();
  expect(seen).toMatch(/initdb/);
  expect(sungIn(seen, canaries)).toEqual([]);
  expect(sungIn(await readBelow(path.join(home, 'log')), canaries)).toEqual([]);
  expect(sungIn(await readFile(path.join(home, 'start.log'), 'latin1').catch(() => ''), canaries)).toEqual(
    [],
  );
  // The superuser, and an owner and a reader of each database.
  expect(Object.keys(canaries)).toHaveLength(5);
});
