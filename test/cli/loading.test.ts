/**
 * Most of the start-up cost of a command is the modules it loads, counted by V8 in a separate process. Its debugger also
 * sees CommonJS inside packages, which a loader hook does not, and does not slow the program down as coverage does.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { VERSION } from '../../src/config/version.ts';
import { freshDatabase } from '../database.ts';
import { buildPackage } from '../programs.ts';
import { makeDirectory } from '../temporary.ts';

const run = promisify(execFile);
const database = await freshDatabase();
/** The output of `npm run build`, file by file, so that a start counts modules like the sources and compiles none. */
let built: string;
const directory = await makeDirectory();
beforeAll(async () => {
  built = await buildPackage();
});
afterAll(async () => {
  await rm(directory, { recursive: true });
  await database.drop();
});

/** What serves requests, calls services and distributes work: much of the program, and of no use to a reader. */
const HEAVY = new Set(['bullmq', 'fast-xml-parser', 'fastify', 'ioredis', 'preact', 'prom-client', 'undici']);

/**
 * Commands that read: the maximum of our modules and of packages, a tenth above what they load. A command that
 * needs more has a reason, and its line changes with it.
 */
// biome-ignore format: one line for each
const READING: readonly { command: string; own: number; packages: number; heavy?: readonly string[] }[] = [
  // With the sources, whose variables it shows.
  { command: 'config show', own: 95, packages: 21 },
  { command: 'help topic', own: 110, packages: 36 },
  // With where the server is.
  { command: 'retention show', own: 120, packages: 33 },
  // With what changed answers say, and how often there is each thing.
  { command: 'new', own: 160, packages: 33 },
  { command: 'find ferry', own: 163, packages: 33 },
  { command: 'trends', own: 174, packages: 35 },
  // With the query language, and which side has topics.
  { command: 'export posts', own: 135, packages: 34 },
  // With where the server is, and which times of posts count.
  { command: 'status', own: 165, packages: 52, heavy: ['bullmq', 'ioredis'] },
];

/** Operations, where no server runs: with the database, the declarations of their subject and what these need. */
// biome-ignore format: one line for each
const WITHOUT_SERVER: typeof READING = [
  { command: 'token list', own: 120, packages: 33 },
  { command: 'audit', own: 120, packages: 33 },
  { command: 'posts list', own: 152, packages: 33 },
  { command: 'links list', own: 154, packages: 33 },
  { command: 'topic list', own: 155, packages: 36 },
  { command: 'search list', own: 153, packages: 36 },
  { command: 'runs list --json', own: 137, packages: 33 },
  { command: 'rules list', own: 150, packages: 39 },
  { command: 'channels list', own: 150, packages: 33 },
  { command: 'feeds list', own: 137, packages: 33 },
  { command: 'views list', own: 120, packages: 33 },
  { command: 'shares list', own: 127, packages: 33 },
  { command: 'deliveries list', own: 141, packages: 33 },
];

/** Beside a server the same commands load what makes a request and a table: no schema, no statement, no server. */
const OF_REQUESTS = [
  'ansi-regex',
  'commander',
  'emoji-regex',
  'get-east-asian-width',
  'picocolors',
  'string-width',
  'strip-ansi',
];

test.each(WITHOUT_SERVER)(
  '$command loads no schema and no database if a server has them',
  async ({ command }) => {
    const server = createServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'strandline-version': VERSION })
        .end('{"items":[],"next_cursor":null}'),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    const { packages, own } = await loadedBy(command, { STRANDLINE_URL: `http://127.0.0.1:${port}` });
    server.close();
    expect(packages).toEqual(OF_REQUESTS);
    expect(own.length, own.join('\n')).toBeLessThanOrEqual(45);
  },
);

test.each(['--version', '--help', 'help'])('%s loads the command parser and no command', async (command) => {
  const { packages, own } = await loadedBy(command);
  expect(packages).toEqual(['commander', 'picocolors']);
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(15);
  expect(own).toContain('dist/main.js');
});

test.each([...READING, ...WITHOUT_SERVER])(
  '$command loads at most $own modules of the program and $packages packages',
  async ({ command, own, packages, heavy = [] }) => {
    const loaded = await loadedBy(command);
    expect(loaded.own.length, loaded.own.join('\n')).toBeLessThanOrEqual(own);
    expect(loaded.packages.length, loaded.packages.join('\n')).toBeLessThanOrEqual(packages);
    expect(loaded.packages.filter((name) => HEAVY.has(name))).toEqual(heavy);
  },
);

/** Runs a command in a separate process: its packages by name, and files of `dist`. */
async function loadedBy(
  command: string,
  where: Record<string, string> = { DATABASE_URL: database.url },
): Promise<{ packages: string[]; own: string[] }> {
  const list = path.join(directory, 'loaded.json');
  const listing = `--import=data:text/javascript,${encodeURIComponent(LIST_LOADED)}`;
  await run(process.execPath, [listing, 'dist/main.js', ...command.split(' ')], {
    cwd: built,
    env: { PATH: process.env['PATH'], ...where, LOADED: list },
  });
  const urls = z.array(z.string()).parse(JSON.parse(await readFile(list, 'utf8')));
  const here = `${pathToFileURL(built).href}/`;
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return {
    packages: [...new Set(packages)].toSorted(),
    own: urls.flatMap((url) => (url.startsWith(`${here}dist/`) ? [url.slice(here.length)] : [])).toSorted(),
  };
}

/** Writes down what V8 has compiled, each address once. */
const LIST_LOADED = `
  import { writeFileSync } from 'node:fs';
  import { Session } from 'node:inspector';
  const session = new Session();
  const urls = new Set();
  session.on('Debugger.scriptParsed', ({ params }) => urls.add(params.url));
  session.connect();
  session.post('Debugger.enable');
  process.on('exit', () => writeFileSync(process.env.LOADED, JSON.stringify([...urls])));`;
