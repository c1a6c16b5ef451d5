/** Commands beside a running server: it runs those that depend on its configuration, and nothing is called from the shell. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Program } from '../../src/app/program.ts';
import { serveCommands } from '../../src/cli/command-server.ts';
import { Refused } from '../../src/model/errors.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { readConfig } from '../../src/config/config.ts';
import { runCli } from '../../src/cli/command-line.ts';
import type { RunningServer } from '../../src/cli/running-server.ts';
import type { Io } from '../../src/cli/terminal-io.ts';
import { until } from '../processes.ts';
import { programOf } from '../programs.ts';
import { copyReady } from '../ready-postgres.ts';
import { gated, json, startStub, type StubService, wirePost } from '../stub-service.ts';
import { makeDirectory } from '../temporary.ts';
import { listCalls } from './every-command.ts';
import { collector, type Printed } from './stand.ts';

const KEY = 'the-key-of-the-server';
const POSTS = json({ miner_tweets: [wirePost('1'), wirePost('2')] });

let directory: string;
let stub: StubService;
let server: ChildProcess;
let printed = '';

/** Starts a server with an environment of its own, and waits until it is ready. */
async function startServer(): Promise<void> {
  server = spawn(process.execPath, [programOf('src/main.ts'), 'up'], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      STRANDLINE_DATA_DIR: 'data',
      SEARCH_API_URL: stub.url,
      SEARCH_API_KEY: KEY,
      SERVICE_SOURCES: 'sandbox',
      WEBHOOK_ALLOW: '127.0.0.1',
      CALLS_PER_DAY: '77',
      PORT: '0',
      SERVICE_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [server.stdout, server.stderr])
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until('the server starts', async () => {
    if (server.exitCode !== null) throw new Error(printed);
    return /dashboard +http/.test(printed);
  });
}

beforeAll(async () => {
  directory = await makeDirectory();
  stub = await startStub(POSTS);
  await copyReady(dataDir());
  await startServer();
});
afterAll(async () => {
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGCONT');
    server.kill('SIGTERM');
    await ended;
  }
  await stub.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

const dataDir = () => path.join(directory, 'data');
const file = () => path.join(dataDir(), 'server.json');
const readServer = async () => JSON.parse(await readFile(file(), 'utf8')) as RunningServer; // as it was written

/** A shell that has nothing but the data directory. */
async function run(argv: readonly string[], env: Record<string, string> = {}, over: Partial<Io> = {}) {
  const stdout = collector();
  const stderr = collector();
  const io: Io = {
    stdout: stdout.stream,
    stderr: stderr.stream,
    isTTY: false,
    ...over,
    env: { STRANDLINE_DATA_DIR: dataDir(), SERVICE_SOURCES: 'sandbox', ...env },
  };
  const code = await runCli(argv, io);
  return { code, stdout: stdout.text(), stderr: stderr.text() } satisfies Printed;
}

type RunJson = { id: number; status: string; code: string | null };

async function listRuns(search: string): Promise<RunJson[]> {
  return JSON.parse((await run(['runs', 'list', '--search', search, '--json'])).stdout) as RunJson[]; // as printed
}

test('a search of a shell without service or keys runs at the service of the server, and none fails', async () => {
  const watched = await run(['watch', 'kelp forest', '--json']);
  expect(watched, watched.stderr).toMatchObject({ code: 0 });
  expect(watched.stdout).toContain('"service_kind":"hosted"');
  const ran = await run(['search', 'run', 'kelp-forest-posts', '--wait', '--json']);
  expect(ran, ran.stderr).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('kelp-forest-posts: ') as string,
  });
  expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'succeeded', trigger: 'manual' });
  await until('the server prints the first run and the manual one', () =>
    Promise.resolve((printed.match(/Z +kelp-forest-posts /g) ?? []).length >= 2),
  );
  const tried = await run(['search', 'try', 'kelp-forest-posts', '--json']);
  expect(JSON.parse(tried.stdout)).toMatchObject({ service_kind: 'hosted', posts_found: 2 });
  const preview = await run(['search', 'preview', '--every', '1h', '--json']);
  expect(JSON.parse(preview.stdout)).toMatchObject({ calls_per_day_limit: 77 });

  expect(new Set(stub.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([KEY]));
  expect((await listRuns('kelp-forest-posts')).filter(({ status }) => status === 'failed')).toEqual([]);
});

test('with --sandbox, the server runs the command in its sandbox', async () => {
  const before = stub.requests.length;
  const watched = await run(['watch', 'seal pups', '--sandbox', '--json']);
  expect(watched, watched.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"service_kind":"sandbox"') as string,
    stderr: expect.stringContaining('strandline --sandbox new --topic seal-pups') as string,
  });
  expect(stub.requests).toHaveLength(before);
  expect((await run(['topic', 'list', '--sandbox'])).stdout).toContain('seal-pups');
  const { stdout } = await run(['topic', 'list']);
  expect(stdout).toContain('kelp-forest');
  expect(stdout).not.toContain('seal-pups');
});

test('what it prints, its exit code and its errors are those of a command of the shell', async () => {
  const missing = await run(['search', 'run', 'nothing', '--wait']);
  expect(missing).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: there is no search "nothing"; see: strandline search list\n',
  });
  expect((await run(['search', 'add', 'x', '--operation', 'ai', '--every', 'x'])).code).toBe(2);
  const terminal = { isTTY: true, columns: 120 };
  expect((await run(['config', 'show'], {}, terminal)).stdout).toContain('\u001B[');
  expect((await run(['config', 'show'], { NO_COLOR: '1' }, terminal)).stdout).not.toContain('\u001B[');
});

/** Servers, those that open the database in their own way, and one that needs none. */
const OTHERS = new Set(['up', 'worker', 'api', 'service', 'migrate', 'backup', 'restore', 'autocomplete']);
test('beside a server, commands request what they do from it', async () => {
  const other = await makeDirectory();
  const ctx = { config: readConfig({ STRANDLINE_DATA_DIR: other }), log: createLogger('silent') };
  const program = { ctx, embedded: {} } as unknown as Program; // all that it uses of a program
  let place = '';
  const commands = await serveCommands({ real: program, sandbox: null }, null, () =>
    Promise.resolve({
      handle: (_request, response) => {
        place = 'server';
        response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      },
      close: () => Promise.resolve(),
    }),
  );
  const places: Record<string, string> = {};
  for (const { name, argv } of await listCalls()) {
    if (OTHERS.has(name)) continue;
    const streams = { stdout: collector().stream, stderr: collector().stream, stdin: Readable.from([]) };
    place = 'neither';
    await runCli(
      argv,
      { ...streams, isTTY: false, env: { STRANDLINE_DATA_DIR: other } },
      {
        open: () => {
          place = 'here';
          return Promise.reject(new Refused('unavailable', 'not here'));
        },
      },
    );
    places[name] = place;
  }
  await commands?.close();
  await rm(other, { recursive: true });
  const listPlaces = (wanted: string) => Object.keys(places).filter((name) => places[name] === wanted);
  expect(listPlaces('neither')).toEqual(['config show']);
  // These are about the machine, and the sandbox.
  expect(listPlaces('here')).toEqual(['reader rotate', 'demo', 'export', 'sql', 'doctor']);
});

test('changes are recorded under the account of the shell', async () => {
  const { stdout } = await run(['audit', '--json']);
  const entries = JSON.parse(stdout) as { action: string; actor: string; name: string }[]; // as printed
  const watched = entries.find(({ action }) => action === 'topic.created');
  expect(watched).toMatchObject({ actor: 'command_line', name: userInfo().username });
});

test('channels go where the server may send, not the shell', async () => {
  const added = await run(['channels', 'add', 'ops', '--webhook', `${stub.url}/hook`]);
  expect(added, added.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_/) as string });
  expect((await run(['channels', 'test', 'ops'])).stderr).toMatch(/^ops: delivered \(200\)/);
  const refused = await run(['channels', 'add', 'lan', '--webhook', 'http://10.0.0.1/x'], {
    WEBHOOK_ALLOW: '10.0.0.1',
  });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('10.0.0.1');
});

test('a file and the variables that it names are read by the shell, and applied in the server', async () => {
  const watched = path.join(directory, 'watch.yaml');
  await writeFile(watched, 'name: shell\nchannels: { file-ops: { webhook: { env: HOOK_OF_THE_SHELL } } }\n');
  const env = { HOOK_OF_THE_SHELL: `${stub.url}/file-hook` };
  const applied = await run(['apply', '-f', watched], env);
  expect(applied, applied.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^whsec_/m) as string,
  });
  expect((await run(['plan', '-f', watched], env)).code).toBe(0);
  const unset = await run(['plan', '-f', watched]);
  expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('HOOK_OF_THE_SHELL is not set')]);
});

test('config show, status and doctor tell the values of the server and of the shell apart', async () => {
  const env = {
    CALLS_PER_DAY: '5',
    SEARCH_API_URL: stub.url,
    SEARCH_API_KEY: 'another-key',
    LOG_LEVEL: 'error',
  };
  const shown = await run(['config', 'show', '--json'], env);
  const settings = JSON.parse(shown.stdout) as { name: string; value: unknown; shell: unknown }[]; // as printed
  const find = (name: string) => settings.find((setting) => setting.name === name);
  expect(find('CALLS_PER_DAY')).toMatchObject({ value: 77, shell: { value: 5, from: 'environment' } });
  expect(find('SEARCH_API_KEY')).toMatchObject({ value: '(hidden)', shell: { value: '(hidden)' } });
  expect(find('SEARCH_API_URL')).toMatchObject({ shell: null });
  expect(find('WEBHOOK_ALLOW')).toMatchObject({
    value: '127.0.0.1',
    shell: { value: null, from: 'default' },
  });
  expect(shown.stdout).not.toContain('another-key');
  expect(shown.stdout).not.toContain(KEY);

  const names = 'CALLS_PER_DAY';
  expect((await run(['status'], env)).stderr).toMatch(/other values: SEARCH_API_KEY, CALLS_PER_DAY\. /);
  const doctor = await run(['doctor', '--json'], env);
  expect(JSON.parse(doctor.stdout)).toContainEqual(
    expect.objectContaining({
      check: 'this shell',
      ok: null,
      found: expect.stringContaining(names) as string,
    }),
  );
  const alike = await run(['status'], { CALLS_PER_DAY: '77' });
  expect(alike.stderr).not.toContain('other values');
  expect(alike.stdout).toContain('of 77');
});

test('Ctrl-C interrupts the command in the server: its run goes back to the queue', async () => {
  const gate = gated(POSTS);
  stub.answers(gate.answer);
  const before = stub.requests.length;
  const shell = spawn(
    process.execPath,
    [programOf('src/main.ts'), 'search', 'run', 'kelp-forest-posts', '--wait'],
    {
      env: { PATH: process.env['PATH'], STRANDLINE_DATA_DIR: dataDir() },
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  );
  const ended = once(shell, 'exit');
  await until('the service is called', async () => stub.requests.length > before);
  shell.kill('SIGINT');
  const [code, signal] = (await ended) as [number | null, string | null]; // as node:child_process says
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  gate.open();
  stub.answers(POSTS);
  await until('the run ends', async () => (await listRuns('kelp-forest-posts'))[0]?.status === 'succeeded');
});

test('only the key in the file is accepted, which only its owner may read, and which appears nowhere', async () => {
  const { key, port } = await readServer();
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  const ask = async (keyOfShell: string) => {
    const authorization = `Bearer ${keyOfShell}`;
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/topics`, { headers: { authorization } });
    return reply.status;
  };
  expect(await ask(`${key.slice(1)}x`)).toBe(404);
  expect(await ask(key)).toBe(200);
  expect(printed).not.toContain(key);
});

test('where the server does not take the command, it says so and calls nothing', async () => {
  const before = stub.requests.length;
  const own = await readServer();
  const env = { SEARCH_API_URL: stub.url, SEARCH_API_KEY: 'k' };
  const attempt = async (changed: Partial<RunningServer> | null) => {
    await rm(file(), { force: true });
    if (changed !== null) await writeFile(file(), JSON.stringify({ ...own, ...changed }), { mode: 0o600 });
    return run(['watch', 'not saved'], env);
  };
  const pid = String(server.pid);
  expect((await attempt({ version: '0.0.1' })).stderr).toBe(
    `error: The running server (process ${pid}) is strandline 0.0.1, but this command is ${own.version}. Restart the server, or use its version.\n`,
  );
  // As if another program listened on the port.
  expect((await attempt({ key: 'wrong' })).stderr).toContain('did not reply as strandline does (404)');
  // Nothing listens there, and nothing is in the file: the database knows the owner.
  expect((await attempt({ port: 1 })).stderr).toContain(`(process ${pid}) takes no commands yet`);
  expect(await attempt(null)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('takes no commands') as string,
  });
  const diagnosed = await attempt({ version: '0.0.1' }).then(() => run(['doctor', '--json'], env));
  expect(JSON.parse(diagnosed.stdout)).toContainEqual(
    expect.objectContaining({ check: 'server', ok: false }),
  );

  await rm(file());
  const stderr = collector();
  const early = run(['search', 'preview', '--every', '1h'], {}, { stderr: stderr.stream });
  await until('the shell waits', async () => stderr.text().includes('Waiting for the server'));
  // Whole, as a server writes it: the shell reads it as soon as it is there.
  await writeFile(`${file()}.whole`, JSON.stringify(own), { mode: 0o600 });
  await rename(`${file()}.whole`, file());
  expect((await early).code).toBe(0);
  expect((await run(['topic', 'list'])).stdout).not.toContain('not-saved');
  expect(
    stub.requests.slice(before).filter(({ body }) => JSON.stringify(body).includes('not saved')),
  ).toEqual([]);
});

test('after a server was killed, commands act themselves; a stopped one removes its file', async () => {
  const killed = once(server, 'exit');
  server.kill('SIGKILL');
  await killed;
  const { key } = await readServer();
  const preview = await run(['search', 'preview', '--every', '1h', '--json'], { CALLS_PER_DAY: '9' });
  expect(preview, preview.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(preview.stdout)).toMatchObject({ calls_per_day_limit: 9 });
  printed = '';
  await startServer();
  expect((await readServer()).key).not.toBe(key);
  const stopped = once(server, 'exit');
  server.kill('SIGTERM');
  await stopped;
  await expect(stat(file())).rejects.toThrow(/ENOENT/);
});
