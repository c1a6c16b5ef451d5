/** A new source is its file and its line: the program is copied, and nothing else of it changes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../database.ts';
import { REPOSITORY } from '../../house/sources.ts';
import { makeDirectory } from '../../temporary.ts';
import { json, startProvider } from './provider.ts';

const KEY = 'canary-of-the-pier';
const SOURCES = 'src/service/sources';
let directory: string;
let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  [directory, database] = await Promise.all([makeDirectory(), freshDatabase()]);
  for (const name of ['src', 'migrations', 'package.json', 'tsconfig.json', 'docs/questions.md'])
    await cp(path.join(REPOSITORY, name), path.join(directory, name), { recursive: true });
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(directory, 'node_modules'), 'junction');
  const source = await readFile(new URL('pier.ts', import.meta.url), 'utf8');
  await writeFile(
    path.join(directory, SOURCES, 'providers/pier.ts'),
    source.replaceAll(`../../../${SOURCES}/`, '../').replaceAll('../../../src/', '../../../'),
  );
  const registry = path.join(directory, SOURCES, 'source-registry.ts');
  const lines = await readFile(registry, 'utf8');
  await writeFile(
    registry,
    lines
      .replace(
        /^import .* from '.\/providers\/arxiv.ts';$/m,
        "$&\nimport { PIER } from './providers/pier.ts';",
      )
      .replace(/^ {2}EXA,$/m, '$&\n  PIER,'),
  );
  await mkdir(path.join(directory, 'home'));
  env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: database.url,
    STRANDLINE_DATA_DIR: path.join(directory, 'home/data'),
  };
}, 60_000);
afterAll(async () => {
  await rm(directory, { recursive: true });
  await database.drop();
});

const ARGV = ['--import', 'tsx', 'src/main.ts'];

async function run(command: string, more: Record<string, string>) {
  const options = { cwd: directory, env: { ...env, ...more } };
  return promisify(execFile)(process.execPath, [...ARGV, ...command.split(' ')], options).catch(
    (error: unknown) => error as { stdout: string; stderr: string }, // what it printed is on the error
  );
}

test('its variables are shown, masked, and asked for by name', async () => {
  const { stdout } = await run('config show --json', { PIER_API_KEY: KEY, SERVICE_SOURCES: 'pier' });
  expect(stdout).not.toContain(KEY);
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'PIER_API_KEY', value: '(hidden)', from: 'environment' }),
      expect.objectContaining({ name: 'PIER_SERVER', value: 'https://pier.example/', from: 'default' }),
    ]),
  );
  const { stderr } = await run('config show', { SERVICE_SOURCES: 'pier' });
  expect(stderr).toContain('got "pier"; PIER_API_KEY to be set beside it');
}, 60_000);

test('the file of variables knows them', async () => {
  const file = path.join(directory, 'home/pier.json');
  await writeFile(file, `{\n  "PIER_SERVER": "ftp://host",\n  "PIER_API_KEY": "${KEY}"\n}`);
  const { stderr } = await run('config show', { STRANDLINE_CONFIG: file });
  expect(stderr).toMatch(/pier\.json:2: PIER_SERVER: got "ftp:\/\/host"; an address/);
  expect(stderr).toMatch(/pier\.json:3: PIER_API_KEY: got "\(hidden\)"; no secret in this file/);
  expect(stderr).not.toContain(KEY);
}, 60_000);

test('a search of the service is answered from it, with its key', async () => {
  const link = 'https://boats.example/evening';
  const provider = await startProvider(
    json({ finds: [{ title: 'Boats in the evening', link, published: new Date() }] }),
  );
  const child = spawn(process.execPath, [...ARGV, 'service'], {
    cwd: directory,
    env: {
      ...env,
      PIER_API_KEY: KEY,
      PIER_SERVER: provider.url,
      SERVICE_SOURCES: 'pier',
      SERVICE_PORT: '0',
      SERVICE_API_KEYS: 'key-of-the-service',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  try {
    const response = await fetch(`${await readAddress(child)}/search/ai/search`, {
      method: 'POST',
      headers: { authorization: 'key-of-the-service', 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'boats', tools: ['Web Search'], model: 'NOVA' }),
    });
    expect(await response.text()).toContain(link);
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}, 60_000);

/** @returns the address that the service says it answers at */
async function readAddress({ stderr }: ChildProcess): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr ?? process.stdin })) {
    lines.push(line);
    const [, url] = /answers at (http:\S+?)\/search/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`it did not start: ${lines.join('\n')}`);
}
