/** The tools of AI assistants on stdin and stdout: in the server of the data directory, and without one. */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { until } from '../processes.ts';
import { programOf } from '../programs.ts';
import { copyReady } from '../ready-postgres.ts';
import { json, startStub, type StubService, wirePost } from '../stub-service.ts';
import { makeDirectory } from '../temporary.ts';
import { type Assistant, connect } from './stand.ts';

let directory: string;
let stub: StubService;
let server: ChildProcess | undefined;
let printed = '';

const settings = () => ({
  PATH: process.env['PATH'] ?? '',
  STRANDLINE_DATA_DIR: path.join(directory, 'data'),
  SERVICE_SOURCES: 'sandbox',
});

beforeAll(async () => {
  directory = await makeDirectory();
  stub = await startStub(json({ miner_tweets: [wirePost('1')] }));
  await copyReady(path.join(directory, 'data'));
});
afterAll(async () => {
  await stopServer();
  await stub.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

async function startServer(): Promise<void> {
  const child = spawn(process.execPath, [programOf('src/main.ts'), 'up'], {
    cwd: directory,
    env: { ...settings(), SEARCH_API_URL: stub.url, SEARCH_API_KEY: 'k', PORT: '0', SERVICE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server = child;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until('the server starts', async () => {
    if (child.exitCode !== null) throw new Error(printed);
    return /dashboard +http/.test(printed);
  });
}

async function stopServer(): Promise<void> {
  if (server?.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
}

/** An assistant that starts the command as its configuration says. */
async function start(...args: string[]): Promise<Assistant & { said: () => string }> {
  let said = '';
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programOf('src/main.ts'), 'mcp', ...args],
    cwd: directory,
    env: settings(),
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { ...(await connect(transport)), said: () => said };
}

test('beside a server it works in the server: with its services and pages, for two assistants at once', async () => {
  await startServer();
  const [one, other] = [await start(), await start('--sandbox')];
  const forecast = await one.ask('watch', { text: 'kelp forest' });
  expect(forecast.text, 'of the service that only the server knows').toContain('on the service hosted');
  expect((await one.ask('watch', { text: 'kelp forest', confirm: true })).text).toContain(
    'Their first runs start now',
  );
  await until('the first runs are over', async () => {
    const { text } = await one.ask('sql', { sql: "select count(*) from runs where status = 'succeeded'" });
    return text.includes('[2]');
  });
  const { text } = await one.ask('overview');
  expect(text).toContain('- kelp-forest "kelp forest": OK');
  expect(text).toContain(`${/dashboard +(http\S+)/.exec(printed)?.[1]}/topics/kelp-forest`);
  expect((await other.ask('overview')).text).toContain('Everything here is simulated.');
  expect((await other.ask('overview')).text).not.toContain('kelp-forest');
  const { rows } = await audit(one);
  expect(rows).toContain('"command_line"');
  await one.close();
  await other.close();
  expect([one.said(), other.said()]).toEqual(['', '']);
});

async function audit({ ask }: Assistant) {
  const { text } = await ask('sql', { sql: "select actor from audit_log where subject = 'kelp-forest'" });
  return { rows: text };
}

test('when its server has ended, and without one, it works on the database itself', async () => {
  const cut = await start();
  await stopServer();
  expect((await cut.ask('overview')).text).toContain('No worker is running');
  await cut.close();
  const { ask, close } = await start('--read-only');
  expect((await ask('overview')).text).toContain('No worker is running');
  expect((await ask('sql', { sql: 'select slug from topics' })).text).toContain('["kelp-forest"]');
  expect(await ask('watch', { text: 'seal pups', confirm: true })).toEqual({
    text: 'strandline mcp was started with --read-only, and this tool may change something',
    isError: true,
  });
  await close();
});

test('lines that are no messages are left out, and stdout has nothing but the protocol', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let out = '';
  stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const stderr = new PassThrough();
  stderr.resume();
  const io = { stdin, stdout, stderr, env: settings(), isTTY: false };
  const ended = runCli(['mcp'], io);
  const send = (message: unknown) =>
    stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const ask = (id: number, method: string, params: unknown) => send({ jsonrpc: '2.0', id, method, params });
  const replyTo = async (id: number) =>
    until(`reply ${id}`, () => Promise.resolve(out.includes(`"id":${id}`)));
  send('not json');
  send('{"jsonrpc":"2.0"}');
  send('[1,2');
  ask(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
  await replyTo(1);
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'overview', arguments: 'x' } });
  await replyTo(2);
  for (let id = 10; id < 310; id += 1) ask(id, 'tools/call', { name: 'trends', arguments: {} });
  for (let id = 10; id < 310; id += 1) await replyTo(id);
  expect(out).toContain('Too many calls');
  stdin.end();
  expect(await ended).toBe(0);
  for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
});
