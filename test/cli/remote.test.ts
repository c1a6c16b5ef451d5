/** `STRANDLINE_URL`: what a command says when the server that it names is not there, or is another. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { VERSION } from '../../src/config/version.ts';
import { collector, makeStand, homeOf } from './stand.ts';
import { apiRoutes } from '../../src/api/api-routes.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

async function run(argv: readonly string[], env: Record<string, string>) {
  const [stdout, stderr] = [collector(), collector()];
  const io = { stdout: stdout.stream, stderr: stderr.stream, isTTY: false, env };
  const open = () => Promise.reject(new Error('a command with STRANDLINE_URL opens nothing'));
  const code = await runCli(argv, io, { open });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

const LIST = ['topic', 'list'];
const sayJson =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

test('the token is sent, and a wrong or missing one is named', async () => {
  const stand = await makeStand();
  const app = await buildHttpServer(homeOf(stand.world), { api: [apiRoutes], pages: [] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const STRANDLINE_URL = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`; // it listens on a port
  const { stdout: token } = await stand.run(['token', 'create', '--scope', 'read']);
  const STRANDLINE_TOKEN = token.trim();

  const env = { STRANDLINE_URL, STRANDLINE_TOKEN };
  expect(await run(LIST, env)).toMatchObject({
    code: 0,
    stderr: 'No topics. Create one: strandline watch "..."\n',
  });
  const scope = await run(['pause'], env);
  expect(scope).toMatchObject({ code: 1, stderr: 'error: the token lacks the scope write\n' });
  const wrong = await run(LIST, { STRANDLINE_URL, STRANDLINE_TOKEN: 'st_wrong' });
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(/refuses the token: this token is invalid: .* \(STRANDLINE_TOKEN\)/);
  expect(wrong.stderr).not.toContain('st_wrong');
  const none = await run(LIST, { STRANDLINE_URL });
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('needs a token: set STRANDLINE_TOKEN') as string,
  });
  await app.close();
  await stand.close();
});

test('a server of another version refuses the command before it acts; one that says none is not believed', async () => {
  const stand = await makeStand();
  const app = await buildHttpServer(homeOf(stand.world), { api: [apiRoutes], pages: [] });
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/pause',
    headers: { 'strandline-version': '9.9.9' },
  });
  expect(reply.statusCode).toBe(409);
  expect(reply.headers['strandline-version']).toBe(VERSION);
  expect(reply.json<{ detail: string }>().detail).toContain(
    `strandline ${VERSION}, but the command is 9.9.9`,
  );
  expect(
    (await app.inject({ url: '/api/v1/topics', headers: { 'strandline-version': VERSION } })).statusCode,
  ).toBe(200);
  await app.close();
  await stand.close();

  const older = await serve(
    sayJson(200, { items: [], next_cursor: null }, { 'strandline-version': '0.0.1' }),
  );
  expect((await run(LIST, { STRANDLINE_URL: older })).stderr).toContain(
    `is strandline 0.0.1, but this command is ${VERSION}`,
  );
  const silent = await serve(sayJson(200, { items: [], next_cursor: null }));
  expect(await run(LIST, { STRANDLINE_URL: silent })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('of an unknown version') as string,
  });
});

test('no token leaves over plain HTTP beyond this machine, nor in an address', async () => {
  const token = 'st_secret_secret';
  const plain = await run(LIST, { STRANDLINE_URL: 'http://watch.example', STRANDLINE_TOKEN: token });
  expect(plain).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('https: others could read the token') as string,
  });
  const asPassword = await run(LIST, { STRANDLINE_URL: `https://me:${token}@watch.example` });
  expect(asPassword).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('without a password') as string,
  });
  expect((await run(LIST, { STRANDLINE_URL: 'watch.example' })).code).toBe(2);
  expect((await run(LIST, { STRANDLINE_URL: 'https://watch.example', STRANDLINE_TOKEN: 'st ö' })).code).toBe(
    2,
  );
  for (const { stderr } of [plain, asPassword]) expect(stderr).not.toContain(token);
});

test('a connection that is refused, a reply that is no JSON, and a redirect are said in words', async () => {
  const url = await serve(sayJson(200, {}));
  await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
  const refused = await run(LIST, { STRANDLINE_URL: url });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('(ECONNREFUSED): nothing listens there');
  const page = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  );
  expect((await run(LIST, { STRANDLINE_URL: page })).stderr).toContain(
    'did not reply as strandline does (200)',
  );
  const requested: string[] = [];
  const target = await serve((request, response) => {
    requested.push(String(request.url));
    response.end();
  });
  const moved = await serve((_request, response) => response.writeHead(302, { location: target }).end());
  expect((await run(LIST, { STRANDLINE_URL: moved })).stderr).toContain('redirects elsewhere');
  expect(requested).toEqual([]);
  const tls = await run(LIST, { STRANDLINE_URL: page.replace('http:', 'https:') });
  expect(tls.stderr).toContain('it does not speak TLS');
});

test('sql and export read what a server has: the same rows as on its own machine', async () => {
  const stand = await makeStand();
  await stand.run(['watch', 'ferries', '--service', 'hosted', '--name', 'Ferries']);
  const app = await buildHttpServer(homeOf(stand.world), { api: [apiRoutes], pages: [] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const STRANDLINE_URL = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`; // it listens on a port
  const { stdout: token } = await stand.run(['token', 'create', '--scope', 'read', '--scope', 'sql']);
  const env = { STRANDLINE_URL, STRANDLINE_TOKEN: token.trim() };
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-remote-'));
  try {
    const query = 'select slug, name, 12345678901234567890::numeric as big from topics';
    for (const form of [[], ['--json']]) {
      const here = await stand.run(['sql', query, ...form]);
      const there = await run(['sql', query, ...form], env);
      expect(there.stdout).toBe(here.stdout);
      expect(there.stdout).toContain('Ferries');
      expect(there.stderr).toMatch(/^1 row in \d+ ms\n$/);
    }
    const many = await run(['sql', '--json', 'select * from generate_series(1, 1001)'], env);
    expect((JSON.parse(many.stdout) as unknown[]).length).toBe(1_000);
    expect(many.stderr).toContain('There are more rows');
    expect(await run(['sql', 'select nonsense from topics'], env)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/query[^]*column "nonsense" does not exist/) as string,
    });

    const rows = await stand.run(['export', 'topics']);
    expect(rows.stdout).toContain('Ferries');
    expect(await run(['export', 'topics'], env)).toEqual({ code: 0, stdout: rows.stdout, stderr: '' });
    const [file, local] = ['there.parquet', 'here.parquet'].map((name) => path.join(folder, name));
    expect(await run(['export', 'topics', '--out', String(file)], env)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/there\.parquet: .* a server sends no manifest\n$/) as string,
    });
    await stand.run(['export', 'topics', '--out', String(local)]);
    expect(await readFile(String(file))).toEqual(await readFile(String(local)));
    const before = await readdir(folder);
    for (const [argv, words] of [
      [
        ['all', '--out', `${folder}/`],
        /what[^]*one of posts, .*; for several, run the export where the server runs/,
      ],
      [
        ['topics', '--since', `${folder}/here.parquet.datapackage.json`],
        /since[^]*a time; to continue an export/,
      ],
      [['topics', '--out', folder], /out[^]*a file, such as .*topics\.csv/],
      [['posts', '--search', 'a', '--search', 'b'], /search[^]*one search from a server/],
      [['posts', '--topic', 'none'], /topic[^]*none/],
    ] as const) {
      const { code, stdout, stderr } = await run(['export', ...argv], env);
      expect({ code: code !== 0, stdout }).toEqual({ code: true, stdout: '' });
      expect(stderr).toMatch(words);
    }
    expect(await readdir(folder)).toEqual(before);
  } finally {
    await rm(folder, { recursive: true });
    await app.close();
    await stand.close();
  }
});

test('an export that breaks off leaves no file', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/csv', 'strandline-version': VERSION });
    response.write('slug,name\n', () => response.destroy());
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-remote-'));
  const env = { STRANDLINE_URL: url };
  const { code, stderr } = await run(['export', 'topics', '--out', path.join(folder, 'topics.csv')], env);
  expect(code).toBe(1);
  expect(stderr).toContain('broke off');
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('a command about this machine says why it cannot be sent, and opens nothing', async () => {
  const { code, stderr } = await run(['reader', 'rotate'], { STRANDLINE_URL: 'https://watch.example' });
  expect(code).toBe(1);
  expect(stderr).toContain(
    'this command uses the database and files of its own machine, not https://watch.example',
  );
});
